"""The service's side of the core: it starts it, feeds it, reads it, ends it. Never blocks but in `stop`."""

import contextlib
import os
import pickle
import signal
import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from firmware_bridge.driver import RigFacts
from hilctl.errors import HilctlError
from hilctl.law.reference import KNOTS
from hilctl.law.reference.motion import Kind
from hilctl.law.requests import Refusal, RequestKind
from hilctl.loop import memory as shared
from hilctl.loop.board import newest
from hilctl.loop.box import Box
from hilctl.loop.external import written
from hilctl.loop.layout import (
    ANSWER_SLOTS,
    ANSWERS,
    BANKS,
    CALLED_OFF,
    FREE,
    HEARTBEAT,
    HELD,
    INTAKES,
    MAIL,
    RELINK,
    REQUESTS,
    ROWS,
    RUN_UNTIL,
    SNAPSHOT_ASKED,
    SNAPSHOT_DONE,
    STALL,
    STATUSES,
)
from hilctl.loop.mailbox import WRITER_FIRST, mail_put
from hilctl.loop.memory import Memory
from hilctl.loop.options import CoreOptions
from hilctl.loop.outside import Reader, Writer, load, store
from hilctl.loop.runner import CoreProcess, Runner
from hilctl.loop.sent import Intake, Sent
from hilctl.loop.spawn import Spawned, spawn
from hilctl.loop.status import CoreStatus
from hilctl.params import Params

Table = npt.NDArray[np.int64]


class QueueFull(HilctlError):
    """Too many requests wait for the loop, or too many answers for the service."""

    code = "busy"


class Busy(HilctlError):
    """Both waveform banks belong to motions that are not over."""

    code = "busy"


class Answer(NamedTuple):
    """What became of a request: the refusal's code, 0 when it was taken, and the first tick that saw it."""

    id: int
    refusal: int
    tick: int


class Snapshot(NamedTuple):
    """The law's whole state after a tick, before the row and the intake with these numbers, having seen requests up to
    that id; with what the loop carries, and the waveform of the motion that runs."""

    tick: int
    row: int
    request: int
    intake: int
    state: bytes
    carried: bytes
    knots: bytes


class Link:
    """One run of the core."""

    def __init__(
        self, memory: Memory, runner: Runner, driver: str, options: CoreOptions, box: Box | None = None
    ) -> None:
        self.memory, self.driver, self.options, self.box = memory, driver, options, box
        self._runner = runner
        # As a table of words: numpy copies them as they are, and needs no view of another type for that.
        tables = (side.view(np.int64).reshape(len(side), -1) for side in (memory.rows, memory.readings))
        self._rows = Reader(memory.words, ROWS, *tables)
        self._requests = Writer(memory.words, REQUESTS, memory.requests)
        self._answers = Reader(memory.words, ANSWERS, memory.answers)
        self._sent = Sent(Reader(memory.words, INTAKES, memory.intakes))
        self._word_array: Any = np.frombuffer(memory.words, np.int64)
        self._back = WRITER_FIRST
        self._asked = self._answered = 0
        self._motion_of_bank = [0] * BANKS  # the last motion that was asked for with this waveform
        self._next_bank = 0
        self._refused_motions: dict[int, int] = {}  # request id: motion id, until answered
        self._state = "starting"
        self._messages: tuple[str, ...] = ()
        self._events: list[tuple[str, dict[str, Any]]] = []
        self._told: dict[str, Any] = {}
        self._doing = ""
        self._last: Any = None

    @classmethod
    def start(
        cls,
        settings: Any,
        *,
        driver: str,
        driver_config: Params | Mapping[str, Any],
        facts: RigFacts,
        options: CoreOptions,
        core: Spawned | None = None,
    ) -> "Link":
        """Gives a core its memory and its configuration; a core that was spawned before has had time to load."""
        run = int.from_bytes(os.urandom(7), "little")
        memory = shared.make(settings, options, run)
        core = core or spawn()
        message = pickle.dumps((run, driver, driver_config, facts, options))
        process, box = CoreProcess(core), Box(options.history_rows) if options.box_rows else None
        with contextlib.suppress(OSError):  # it has ended already: poll tells
            process.send(message, memory.fd, *([box.fd] if box is not None else []))
        return cls(memory, process, driver, options, box)

    # towards the core

    def beat(self) -> None:
        """A sign of life, due every 100 ms or so."""
        store(self.memory.words, HEARTBEAT, time.monotonic_ns())

    def put_settings(self, record: Any) -> None:
        """Hands over a whole parameter set; the newest counts. The first call loads a compiled function."""
        self.memory.settings[self._back] = record
        self._sent.settings(record)
        self._back = int(mail_put(self._word_array, MAIL, self._back))

    def put_knots(self, knots: npt.NDArray[np.float64]) -> int:
        """Writes a waveform into a bank that no motion needs any more, and returns its index. Busy: there is none."""
        if len(knots) > KNOTS:
            raise ValueError(f"a waveform of {len(knots)} knots is longer than a bank of {KNOTS}")
        done = self.status.motion_done_id
        for k in range(BANKS):
            bank = (self._next_bank + k) % BANKS
            if self._motion_of_bank[bank] <= done:
                self.memory.knots[bank].knots[: len(knots)] = knots
                self._sent.knots(bank, knots)
                self._next_bank = (bank + 1) % BANKS
                return bank
        raise Busy(f"motions {self._motion_of_bank} are not over, the last that ended is {done}")

    def bank_of(self, motion: int) -> Any:
        """The knots of a motion that has a bank."""
        return self.memory.knots[self._motion_of_bank.index(motion)].knots

    def points(self, coefficients: npt.NDArray[np.float64]) -> None:
        """Keeps what is written into the bank of an external reference, until the loop has seen it."""
        self._sent.points(coefficients)

    def ask(self, request: Any) -> int:
        """Queues a request and returns the id by which it will be answered; QueueFull when the loop has too many."""
        if self._asked - self._answered >= ANSWER_SLOTS:
            raise QueueFull(f"{ANSWER_SLOTS} requests are not answered yet")
        request.id = self._asked + 1
        if not self._requests.put(request):
            raise QueueFull("the loop has not taken the requests before this one")
        self._asked += 1
        self._sent.request(request)
        if request.kind == RequestKind.TRACK and request.motion.kind in (Kind.WAVEFORM, Kind.EXTERNAL):
            self._motion_of_bank[int(request.bank)] = int(request.motion.id)
            self._refused_motions[self._asked] = int(request.bank)
        return self._asked

    def call_off(self) -> None:
        """What waits in the loop for its time never begins, or has begun by now: its answer tells which."""
        store(self.memory.words, CALLED_OFF, self._asked)

    def run_until(self, tick: int) -> None:
        """Virtual clock: lets time pass until this tick."""
        store(self.memory.words, RUN_UNTIL, tick)

    def stall(self, periods: int) -> None:
        """Virtual clock: its next tick comes after so many missed periods, as on a host that stalls; for tests."""
        store(self.memory.words, STALL, periods)

    def relink(self, *, wanted: bool = True) -> None:
        """The link to the device is to be opened again: at once while it is lost, and while off also if it is open."""
        store(self.memory.words, RELINK, int(wanted))

    def held(self, row: int | None) -> None:
        """Virtual clock: rows from here on are still wanted: the loop runs ahead of them by `hold_rows` at most."""
        store(self.memory.words, HELD, FREE if row is None else row)

    def snapshot(self) -> None:
        """Asks for a copy of the law's state at a tick's boundary."""
        words = self.memory.words
        if load(words, SNAPSHOT_DONE) == words[SNAPSHOT_ASKED]:
            store(words, SNAPSHOT_ASKED, words[SNAPSHOT_ASKED] + 1)

    # from the core

    def snapshot_ready(self) -> Snapshot | None:
        """The copy that was asked for, once it is there."""
        words, copy = self.memory.words, self.memory.snapshot
        done = load(words, SNAPSHOT_DONE)
        if done == 0 or done != words[SNAPSHOT_ASKED]:
            return None
        state = copy.state
        knots = b""
        if state.motion_id and state.motion.kind == Kind.WAVEFORM:
            knots = self._sent.knots_of(int(state.bank))
        elif state.motion_id and state.motion.kind == Kind.EXTERNAL:
            knots = written(self.memory.knots[int(state.bank)].knots)
        tick, row, request, intake = (int(copy[name]) for name in ("tick", "row", "request", "intake"))
        return Snapshot(tick, row, request, intake, state.tobytes(), copy.carried.tobytes(), knots)

    def answers(self) -> list[Answer]:
        """Answers since the last call, in order."""
        out = [Answer(*(int(x) for x in a.item())) for a in self._answers.take(ANSWER_SLOTS)]
        for answer in out:
            bank = self._refused_motions.pop(answer.id, -1)
            if bank >= 0 and answer.refusal != 0:
                self._motion_of_bank[bank] = 0
            if answer.refusal == Refusal.CALLED_OFF:
                self._sent.forget(answer.id)
        self._answered += len(out)
        return out

    def drain(self, limit_rows: int) -> npt.NDArray[Any]:
        """Copies of the oldest rows that have not been read yet, in order, at most so many."""
        out: npt.NDArray[Any] = self._rows.take(limit_rows).view(self.memory.rows.dtype)
        return out

    def intakes(self) -> list[Intake]:
        """What the loop took from outside since the last call, in order."""
        return self._sent.taken()

    @property
    def intakes_told(self) -> int:
        """How many of these there ever were: once this has grown, there is something new."""
        return self._sent.told

    def pour(self, limit_rows: int, into: Callable[[Table, Table], None]) -> int:
        """The same rows as a table of words, and beside it what the driver gave, without a copy: `into` gets them as
        they lie in the ring, in one part or two. Returns how many."""
        return self._rows.pour(limit_rows, into)

    def peek(self, first: int) -> list[Table]:
        """Rows from number `first` on, as tables of words, without a copy and without taking them."""
        found: list[Table] = self._rows.peek(first)
        return found

    @property
    def asked(self) -> int:
        """The id of the last request; a status whose `request` is the same has seen it."""
        return self._asked

    @property
    def rows_read(self) -> int:
        """The number of the row that `drain` gives next."""
        return self._rows.read

    @property
    def rows_lost(self) -> int:
        """How many rows the loop could not hand over, because the ring was full."""
        return self._rows.lost

    @property
    def status(self) -> CoreStatus:
        """How the core is now."""
        self._hear()
        self._last = _or(newest(self.memory.words, STATUSES, self.memory.statuses), self._last)
        doing = (self._doing,) if self._doing else ()
        return CoreStatus(self._last, self.memory, self._state, (*self._messages, *doing), self._told)

    def events(self) -> list[tuple[str, dict[str, Any]]]:
        """What has happened to the link to the device since the last call: kind and body, in order."""
        self._hear()
        out, self._events = self._events, []
        return out

    @property
    def voice(self) -> int:
        """A descriptor that is readable while the core has said something new, and after its end; -1: there is none."""
        return self._runner.voice

    @property
    def messages(self) -> tuple[str, ...]:
        """Everything that the core has said to people, in order."""
        self._hear()
        return self._messages

    def _hear(self) -> None:
        for message in self._runner.said():
            if "state" in message:  # what is said of a state is true as long as the state lasts
                self._state, self._doing = message["state"], message.get("text", "")
            elif "event" in message:
                self._events.append((message["event"], message["body"]))
            elif "link" in message:
                self._told = message["link"]
            elif "text" in message:
                self._messages = (*self._messages, message["text"])

    # its end

    def poll(self) -> int | None:
        """The core's exit code, None while it runs."""
        return self._runner.poll()

    def stop(self, timeout_s: float) -> int:
        """Asks for an orderly end and waits for it; kills the core when the time is over. Returns the exit code.

        Also beside a thread that goes on reading what the core says: this one does not listen.
        """
        self._runner.end()
        code = self._runner.wait(timeout_s)
        if code is None:
            self._runner.kill()
            code = self._runner.wait(timeout_s)
        return -signal.SIGKILL if code is None else code

    def close(self) -> None:
        """Lets go of the core; one that still runs sees us gone, stops the rig and ends."""
        self._runner.close()
        self.memory.close()
        if self.box is not None:
            self.box.close()


def _or(new: Any, old: Any) -> Any:
    return old if new is None else new
