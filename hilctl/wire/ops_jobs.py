"""The operations on jobs: long commands of `hilctl` that the service runs, each as a process of its own."""

from typing import Annotated, Literal, NamedTuple

from hilctl.params import Params, note, whole
from hilctl.wire.op import LAST, MAX_CHUNK, Nothing, Op, Open
from hilctl.wire.roles import Role

MEASURED = 1000  # points that are kept of a job
LONGEST_REPORT = 1000  # bytes of one, as the job's process reports it
MAX_UPLOAD = 64 << 20  # bytes of a file that is sent for a job
MAX_JOB = 999_999  # they are numbered from 1, and their folders' names have as many digits


class Kind(NamedTuple):
    """A command that can be a job."""

    words: tuple[str, ...]  # of `hilctl`
    result: str  # the JSON document that it leaves in its folder
    page: str = ""  # the page, where it draws one
    rig: bool = False  # it reads the rig file, besides


KINDS: dict[str, Kind] = {
    "commission": Kind(("commission",), "commission.json", "report.html"),
    "friction": Kind(("identify", "friction"), "friction.json"),
    "presliding": Kind(("identify", "presliding"), "presliding.json"),
    "plant": Kind(("identify", "plant"), "plant.json"),
    "dynamics": Kind(("identify", "dynamics"), "study.json", "report.html"),
    "tune": Kind(("tune",), "tune.json", rig=True),
    "verify": Kind(("verify",), "verify.json"),
}
KindName = Literal["", "commission", "friction", "presliding", "plant", "dynamics", "tune", "verify"]

STATES: dict[str, str] = {
    "running": "its process runs",
    "aborting": "it was asked to end: the table comes to rest, parameters are restored",
    "done": "it came to its end; `exit_code` 3: verified, and compensation may not stay on",
    "failed": "its command ended with an error, which is in `reason`",
    "aborted": "it ended because it was asked to",
    "died": "its process was killed; the loss of its lease stopped the table and restored the parameters",
    "lost": "the service ended before it did",
}
LIVE = ("running", "aborting")  # the others are over


class Start(Params):
    """A new job."""

    kind: Annotated[KindName, note("which command; empty: that of the job that is resumed")] = ""
    resumes: Annotated[
        int,
        whole(0, MAX_JOB, "", "continues in the folder of this job; without options, with those of that job. 0: none"),
    ] = 0


class Job(Params):
    """One of the jobs."""

    job: Annotated[int, whole(1, MAX_JOB, "", "its number, as `jobs` lists it")]


class Upload(Params):
    """A file for a job, in pieces."""

    name: Annotated[str, note("what options of a job call it: upload:NAME; letters, digits, dot, dash, underscore")]
    bytes: Annotated[int, whole(1, MAX_UPLOAD, "", "of the whole file")]
    offset: Annotated[int, whole(0, MAX_UPLOAD, "", "of this piece in the file; 0 begins a new one")] = 0


class Look(Job):
    """One of the jobs, what its command has printed, and what it has measured."""

    first: Annotated[int, whole(0, LAST, "", "number of the first line wanted, counted from 0")] = 0
    first_measured: Annotated[int, whole(0, LAST, "", "number of the first point wanted, counted from 0")] = 0


FIELDS = (
    "job", "kind", "options", "resumes", "state", "by", "role", "part", "fraction", "left_s", "begun_ns", "ended_ns",
    "exit_code", "reason",
)  # fmt: skip
_FIELDS = ", ".join(FIELDS)

JOBS = (
    Op(
        "job_start",
        Start,
        _FIELDS,
        "starts a command as a job: a process with its own lease and with the rights of who starts it. Answers when "
        "its options are checked; the lease must be free, or `--takeover` be among the options. One job runs at a time",
        role=Role.COMMISSIONER,
        open=(
            Open(
                "options",
                "texts",
                "words of its command line, without RIG, --twin, --set, --connect, --out and files of the rig's PC; "
                "`job:N` names the folder of job N, `job:N/FILE` a file in it, `upload:NAME` a file that was sent",
            ),
        ),
    ),
    Op(
        "job_upload",
        Upload,
        "name, received",
        "sends a file for a job, in pieces, in order; it is there when its last byte has come. The newest 16 are kept",
        role=Role.COMMISSIONER,
        open=(Open("data", "bytes", f"at most {MAX_CHUNK} bytes"),),
    ),
    Op(
        "job_abort",
        Job,
        _FIELDS,
        "ends a job in order: its table comes to rest, its parameters are restored; `wait {job}` says when",
    ),
    Op(
        "job_delete",
        Job,
        "jobs [number]",
        "removes a job that is over, with the files of its folder, and with the jobs that resumed it there",
        role=Role.COMMISSIONER,
    ),
    Op(
        "jobs",
        Nothing,
        f"jobs [{{{_FIELDS}}}]",
        "the jobs that are remembered, the newest first, at most 32: the one that runs, and those of earlier runs of "
        "the service",
        effect=False,
        role=Role.OBSERVER,
    ),
    Op(
        "job",
        Look,
        f"{_FIELDS}, lines, first, next, measured [{{number, kind, ...}}], next_measured, files [{{name, bytes}}], "
        "result, page",
        f"one job: its progress, the last 200 lines of its output, the last {MEASURED} points that it has measured, "
        "its files, which `download {job, name}` copies",
        effect=False,
        role=Role.OBSERVER,
    ),
)
