"""Everything that the handlers of requests share. One thread, the wire's, touches it."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from hilctl.recording.recorder import Recorder
from hilctl.rig import Rig
from hilctl.service.admission import Admission
from hilctl.service.alarm_file import AlarmFile
from hilctl.service.alarms import Alarms
from hilctl.service.audit import Audit
from hilctl.service.core import Core
from hilctl.service.events import Events
from hilctl.service.external import External
from hilctl.service.inputs import Inputs
from hilctl.service.jobs import Jobs
from hilctl.service.journal import Journal
from hilctl.service.lease import LeaseDesk
from hilctl.service.logbook import Logbook
from hilctl.service.planning import Planning
from hilctl.service.queue import MotionQueue
from hilctl.service.shelf import Shelf
from hilctl.service.store import Store
from hilctl.service.tasks import Tasks
from hilctl.service.uploads import Uploads
from hilctl.service.wall import Wall
from hilctl.service.watch import Watch
from hilctl.service.waveforms import Waveforms
from hilctl.signals import Mode
from hilctl.wire.errors import Code, Refused
from hilctl.wire.roles import Who


class Places(NamedTuple):
    """The rig's directories."""

    runtime: Path
    recordings: Path
    jobs: Path


class Identity(NamedTuple):
    """What `hello` tells."""

    run: str
    schema: str
    clock: str  # "real" or "virtual"
    endpoints: dict[str, str]


class Asked(NamedTuple):
    """Who asks."""

    who: Who
    client: str  # what the sender calls itself
    token: str  # the lease's
    now_s: float
    connected: Callable[[], bool] = lambda: False  # whether the connection that it came by still stands

    @property
    def sender(self) -> str:
        """Which program, and of whom."""
        return f"{self.client} of {self.who.name}" if self.client else self.who.name


@dataclass
class Service:
    """The rooms of the service, and what few things belong to none of them."""

    places: Places
    identity: Identity
    store: Store
    core: Core
    lease: LeaseDesk
    events: Events
    recorder: Recorder
    inputs: Inputs
    journal: Journal
    watch: Watch
    admission: Admission
    wall: Wall
    alarms: Alarms
    alarm_file: AlarmFile
    guard: Any = None  # answers libzmq who may connect, where keys are asked for
    audit: Audit = field(default_factory=Audit)
    shelf: Shelf = field(default_factory=Shelf)
    logbook: Logbook = field(default_factory=Logbook)
    waveforms: Waveforms = field(default_factory=Waveforms)
    tasks: Tasks = field(default_factory=Tasks)
    # Planning a motion may take a second, judging a change a tenth: stop must not wait for them.
    planning: Planning = field(default_factory=Planning)
    # Nor for a disk.
    files: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1, "files"))
    jobs: Jobs = field(init=False)
    occupied: str = ""  # why no motion may begin, in words: one is being planned, the friction model changes
    changing: bool = False
    filing: bool = False  # a recording is being begun, continued or ended
    unfinished: dict[Path, str] = field(default_factory=dict)  # files being written beside the recording, and why
    last_motion: int = 0
    external: External | None = None
    resting_m: float | None = None  # where the motion that runs will rest, if that is known
    queue: MotionQueue = field(default_factory=MotionQueue)
    asked_to_end: bool = False
    started_s: float = 0.0
    replies_lost: int = 0
    requests_refused: int = 0
    listeners: Callable[[], dict[str, int]] = dict  # to each topic, how many

    def __post_init__(self) -> None:
        self.jobs = Jobs(self.places.jobs, self.admission.lent, self.tell, self.files)
        self.uploads = Uploads(self.places.jobs / "uploads")

    @contextmanager
    def writing(self, path: Path, why: str) -> Iterator[None]:
        """A file that is not whole meanwhile: nobody is to copy or to remove it."""
        self.unfinished[path] = why
        try:
            yield
        finally:
            del self.unfinished[path]

    @property
    def rig(self) -> Rig:
        """The rig with the active parameters."""
        return self.store.rig

    @property
    def rate_hz(self) -> float:
        """Ticks per second."""
        return 1.0 / self.store.rig.dt_s

    @property
    def virtual(self) -> bool:
        """Whether time is virtual."""
        return self.core.virtual

    @property
    def low_pressure(self) -> bool:
        """Whether the table is held, or driven, at the low level of the supply."""
        row = self.core.history.last()
        return self.watch.mode in (Mode.HOLD, Mode.TRACK, Mode.STOP) and row is not None and int(row["supply"]) == 1

    def tell(self, kind: str, **body: Any) -> None:
        """An event, now."""
        self.events.tell(kind, self.watch.tick, **body)

    def drop_queue(self, why: str, first: int = 0) -> list[int]:
        """No motion of the queue begins any more, from this item on; their numbers."""
        gone = self.queue.cancel(why, first)
        if self.queue.undecided:
            self.core.call_off()
        if gone:
            self.tell("queue_cancelled", items=gone, why=why)
        return gone

    def hear(self) -> None:
        """Takes in what the core says of its link to the device."""
        for kind, body in self.core.link.events():
            self.tell(kind, **body)

    def need_mode(self, op: str, *modes: Mode) -> None:
        """Refuses outside these modes, and says what to do."""
        if self.watch.mode in modes:
            return
        remedy = {
            Mode.OFF: "`hilctl arm` first",
            Mode.TRACK: "a motion runs: stop it, or wait for it",
        }.get(self.watch.mode, "wait for it to settle")
        if op == "arm" and self.watch.mode == Mode.HOLD:
            told = "already armed: the mode is hold; `hilctl move` and `hilctl track` start motions"
            raise Refused(Code.WRONG_MODE, told, "mode")
        wanted = " or ".join(m.name.lower() for m in modes)
        raise Refused(
            Code.WRONG_MODE, f"{op} needs the mode {wanted}, it is {self.watch.mode.name.lower()}; {remedy}", "mode"
        )
