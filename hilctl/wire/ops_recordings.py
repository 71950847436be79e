"""The operations on samples, in memory and in recordings: read, begun, listed, copied, removed."""

from typing import Annotated, Literal

from hilctl.params import Params, note, whole
from hilctl.wire.op import LAST, Nothing, Op, Open
from hilctl.wire.ops_jobs import MAX_JOB
from hilctl.wire.roles import Role


class Fetch(Params):
    """Samples by sequence number."""

    first: Annotated[int, whole(0, LAST, "", "first sample")]
    last: Annotated[int, whole(0, LAST, "", "last sample, included")] = LAST
    every: Annotated[int, whole(1, 1_000_000, "", "every how many samples one is sent")] = 1
    keep: Annotated[
        bool, note("virtual clock, lease holder: time waits until what follows this page was fetched, or keep is false")
    ] = False


class Record(Params):
    """A recording."""

    action: Annotated[Literal["start", "stop"], note("one recording at a time")]
    name: Annotated[str, note("file name within the rig's recording folder; empty: the date")] = ""


class Delete(Params):
    """A recording that goes."""

    name: Annotated[str, note("as `recordings` lists it")]


class Download(Params):
    """A piece of a recording."""

    name: Annotated[str, note("as `recordings` lists it, or `job` its files")]
    offset: Annotated[int, whole(0, LAST, "", "of its first byte")] = 0
    job: Annotated[int, whole(0, MAX_JOB, "", "a file of this job; 0: a recording")] = 0


_CHANNELS = Open("channels", "texts", "which channels; empty: all")

RECORDINGS = (
    Op(
        "fetch",
        Fetch,
        "first, count, every, next, end, columns",
        "a page of at most 1 MiB, from memory or a recording of this run; `next` is where to go on, null when done",
        effect=False,
        role=Role.OBSERVER,
        open=(_CHANNELS,),
    ),
    Op(
        "record",
        Record,
        "path, first, flushed",
        "starts or stops a recording; one that the rig file requires is stopped by the holder of the lease, or in off",
    ),
    Op(
        "recordings",
        Nothing,
        "recordings [{name, bytes, changed_ns, active, samples}]",
        "the files in the rig's recording folder, the newest first, at most 1024; `active`: it is being written, the "
        "recording that runs or the black box of a trip; `samples`: first and last of one of this run, which `fetch` "
        "reads as well",
        effect=False,
        role=Role.OBSERVER,
    ),
    Op(
        "download",
        Download,
        "name, offset, bytes, data, next",
        "a piece of a recording, or of a file of a job, of at most 1 MiB; `next` is where to go on, null at its end. "
        "Not of a file that is being written",
        effect=False,
        role=Role.OBSERVER,
    ),
    Op(
        "delete",
        Delete,
        "name, bytes",
        "removes a recording; never one that is being written, nor one that was made because recording.required asks "
        "for it",
        role=Role.COMMISSIONER,
    ),
)
