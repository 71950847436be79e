"""The service's one thread: a cycle every block of samples, or as soon as somebody asks.

wait → heartbeat → samples in → what they show → requests → lease → job → tasks → telemetry → a sign of life

That is a whole round. While nobody asks and no sample shows a change, most rounds are short: wait → telemetry. And
while nobody listens either, they are as rare as its heartbeats.
"""

import math
import time
from typing import Any

from hilctl.service.alarms import EARLIER, raised_again
from hilctl.service.black_box import BlackBox
from hilctl.service.descriptors import Descriptors
from hilctl.service.desk import Desk
from hilctl.service.do_feed import ran_dry
from hilctl.service.doorbell import Doorbell
from hilctl.service.filing import after_failure, rotate, run_always
from hilctl.service.lease import Held
from hilctl.service.left import pack_left, tell_story
from hilctl.service.lost import after_loss
from hilctl.service.service import Service
from hilctl.service.status import status_of, told_trip
from hilctl.service.subscriptions import OF_ALL, OF_ONE
from hilctl.service.systemd import Systemd
from hilctl.service.tasks import Pace, Result, Task
from hilctl.service.telemetry import MOST_ROWS, Telemetry
from hilctl.service.watch import Seen
from hilctl.signals import Trip
from hilctl.wire.ops import OPS

_STATUS_S = 1.0
_FAST_S = 0.001
_BEAT_S = 0.05  # how often the service tells its core that it lives
_LOOK_S = 0.05  # how often it asks whether the core lives
_ADMIT_S = 0.2  # how often it looks whether keys, roles or the token have changed: a whole round is due then
_HEAR_S = 0.1  # how often a whole round hears the core and new subscribers though neither has rung
_FILE_AGAIN_S = 10.0  # after a file that could not be opened
_DRAINS = 8  # in one cycle, so that a fast virtual clock cannot starve the wire


class App:
    """Runs a service until it is asked to end."""

    def __init__(self, service: Service, desk: Desk, telemetry: Telemetry) -> None:
        self.service, self.desk, self.telemetry = service, desk, telemetry
        self._block_s = service.rig.service.block_s
        self._scope_every = max(1, round(service.rate_hz / service.rig.service.scope_hz))
        self._block_due_s = self._status_due_s = time.monotonic()
        self._beat_due_s = 0.0
        self._next_s = self._look_due_s = self._hear_due_s = self._admit_due_s = self._file_due_s = 0.0
        self._always = True  # that it runs, or was not tried yet
        self.descriptors: Descriptors | None = None  # watched where the process is the service's own
        self.systemd = Systemd()
        self._problem = self._journal = self._alarms = ""
        self.box = BlackBox()
        self._story, self._told = False, 0  # whether there is something new for who finds this run's black box
        service.tasks.own("what an earlier run left", pack_left(service))
        self._rows_lost, self._recording = 0, service.recorder.state
        self._bell = self._doorbell()
        service.events.listen(telemetry.event)
        service.listeners = lambda: telemetry.listeners
        service.events.listen(service.recorder.event)
        service.events.listen(service.alarms.hear)
        service.logbook.open()
        self._raise_earlier()
        self._said = 0  # by the core

    def cycle(self, soonest_s: float | None = None) -> None:
        """One round."""
        s = self.service
        due_s = self._block_due_s if soonest_s is None else min(self._block_due_s, soonest_s)
        rings = self._bell.wait(max(0, math.ceil((due_s - time.monotonic()) * 1000)))
        now_s = time.monotonic()
        if rings:  # what was asked may take some rounds, which shall not be rare
            self._block_due_s = min(self._block_due_s, now_s + self._block_s)
        if now_s >= self._beat_due_s:
            self._beat_due_s = now_s + _BEAT_S
            s.core.link.beat()
        if not rings and now_s >= self._block_due_s and self._pass_on(now_s):
            self._next_s = self._block_due_s
            return
        looks, hears = now_s >= self._look_due_s, now_s >= self._hear_due_s or len(rings) > (self.desk.socket in rings)
        busy = self._take_samples()
        if hears or s.core.virtual or s.inputs.pressing:
            self._take_inputs()
        s.core.collect()
        if looks:
            self._look_due_s = now_s + _LOOK_S
            self._look(now_s)
        more = self.desk.socket in rings and self.desk.serve()
        if now_s >= self._admit_due_s:
            self._admit_due_s = now_s + _ADMIT_S
            self._watch_admission()
            self._watch_descriptors()
            self.desk.look()
        if s.lease.held is not None:
            self._watch_lease(now_s)
        pace = s.tasks.step()
        if hears:
            self._hear_due_s = now_s + _HEAR_S
            self._hear()
            self._tell_story()
        if now_s >= self._block_due_s:
            self._publish(now_s)
        if more or (busy and s.core.virtual):
            self._next_s = 0.0
        elif pace == Pace.FAST:
            self._next_s = now_s + _FAST_S
        else:
            self._next_s = self._block_due_s
        self._bell.used()

    def _pass_on(self, now_s: float) -> bool:
        """A short round: the block goes out as it lies in the ring, and stays there. False where it must be a whole
        one: that is due, somebody waits, a sample shows a change, or there is none."""
        s = self.service
        if now_s >= min(self._admit_due_s, self._status_due_s) or s.core.virtual or s.core.unanswered:
            return False
        if len(s.tasks) or s.recorder.active or s.inputs.pressing or s.jobs.running or s.lease.silent(now_s):
            return False
        if self.telemetry.scope_wanted or self.telemetry.sent < s.core.history.end:
            return False
        parts = s.core.link.peek(self.telemetry.sent)
        if not parts or sum(map(len, parts)) > MOST_ROWS or not all(s.watch.quiet(words) for words in parts):
            return False
        self.telemetry.straight(parts)
        self._next_block(now_s, self._block_s if self.telemetry.wanted else max(self._block_s, _BEAT_S))
        return True

    def _doorbell(self) -> Doorbell:
        """What wakes the service: requests, subscriptions, and what the core says."""
        core = self.service.core
        return Doorbell(self.desk.socket, *self.telemetry.sockets, beside=-1 if core.ended else core.link.voice)

    def run(self) -> None:
        """Until asked to end."""
        while not self.service.asked_to_end:
            self.cycle(self._next_s)

    def finish(self) -> None:
        """The last samples and events, after the core has ended."""
        while self._take_samples():
            pass
        self._take_inputs()
        self._hear()
        self.box.close(self.service)
        self._status_due_s = 0.0
        self._publish(time.monotonic())

    def _raise_earlier(self) -> None:
        """Alarms that nobody had acknowledged when an earlier run ended."""
        for one in self.service.alarm_file.read():
            self.service.tell(EARLIER, **raised_again(one))

    # The phases.

    def _look(self, now_s: float) -> None:
        """At what goes on beside: the core's process, the job that runs, the alarms on the disk."""
        if self.service.core.look():
            self._core_ended()
        self.service.jobs.look(now_s)
        self.service.alarm_file.look(self.service.alarms)
        self.systemd.alive()

    def _take_samples(self) -> bool:
        """Rows into memory, recording and watch; True when there may be more at once."""
        s = self.service
        if not s.core.virtual:
            first = s.core.history.end
            if s.core.drain():
                self._show(first)
            return False
        for _ in range(_DRAINS):
            room = s.recorder.room
            if room <= 0:
                s.recorder.hurry()
            first = s.core.history.end
            if not s.core.drain(room):
                self._watch_standstill()
                return False
            self._show(first)
        return True

    def _show(self, first: int) -> None:
        """The rows in memory from this one on, to the recording and to the watch. The recording gets a copy: its rows
        wait for the disk, those in memory are overwritten. The watch has seen those that short rounds passed on: of
        them it gets the last one at most."""
        s = self.service
        history = s.core.history
        end = history.end
        if s.recorder.active:
            s.recorder.rows(first, history.table(first, end))
        first = max(first, min(self.telemetry.sent, end - 1))
        while first < end:
            words = history.glance(first, end - first)
            seen = s.watch.look(first, words)
            if seen:
                self._tell(seen)
            first += len(words)

    def _take_inputs(self) -> None:
        """What the loop took, after the rows: all that these follow from has come by then."""
        s = self.service
        for one in s.inputs.look(s.core.history.end):
            s.recorder.input(one)
            self._story = True
        if self._story:  # at once: without it a replay ends there
            self._tell_story()

    def _tell_story(self) -> None:
        box, told = self.service.core.link.box, self.service.events.next
        if box is not None and (self._story or told != self._told):
            self._story, self._told = False, told
            tell_story(self.service, box)

    def _watch_standstill(self) -> None:
        s = self.service
        if s.core.ended is None:
            status = s.core.link.status
            if status.standing and status.rows == s.core.history.end:
                self._tell(s.watch.stand(status.rows, status))

    def _tell(self, changes: list[Seen]) -> None:
        for seen in changes:
            body = self._trip_body(seen.body) if seen.kind == "trip" else seen.body
            if seen.kind == "motion_over":
                ran_dry(self.service, body)
            self.service.events.tell(seen.kind, seen.tick, **body)
            if seen.kind == "trip":
                self.box.tripped(self.service, seen.tick, body)

    def _trip_body(self, body: dict[str, Any]) -> dict[str, Any]:
        told = told_trip(Trip(body["trip"]), self.service.core.link.status, self.service.store.controller)
        told.pop("tick", None)  # the event has its own,
        told["trip_number"] = told.pop("number")  # and a number of its own
        rest = {key: told.get(key) for key in ("value", "limit", "action")}
        return {"trip": told.pop("name"), **told, **rest}

    def _hear(self) -> None:
        """What the core says of its link to the device, and who subscribes: system calls that rarely bring anything."""
        s = self.service
        s.hear()
        said = s.core.link.messages
        for text in said[self._said :]:
            s.logbook.say("hilctl.loop", text)
        self._said = len(said)
        flood = self.telemetry.learn(lambda: status_of(s))
        if flood:
            name = s.admission.suspend(flood)
            reason = f"{name} has more than {OF_ONE} subscriptions, or all together more than {OF_ALL}"
            s.tell("access", action="too_many_subscriptions", reason=f"{reason}; every subscription has ended")
            self._bell = self._doorbell()

    def _core_ended(self) -> None:
        s = self.service
        assert s.core.ended is not None
        while self._take_samples():
            pass
        self._take_inputs()
        s.tell(
            "core_ended" if s.core.ending and s.core.ended.exit_code == 0 else "core_gone",
            exit_code=s.core.ended.exit_code,
            text=s.core.ended.text,
        )
        s.watch.core_ended()
        self._bell = self._doorbell()
        self._status_due_s = 0.0

    def _watch_lease(self, now_s: float) -> None:
        lost = self.service.lease.expired(now_s)
        if lost is not None:
            self._lease_lost(lost, now_s)

    def _lease_lost(self, lost: Held, now_s: float, **why: str) -> None:
        s = self.service
        if s.core.ending:  # the rig is being switched off as it is
            return
        s.core.hold(None)
        silent_s, policy = round(now_s - lost.beat_s, 3), s.rig.service.lease_lost
        s.tell("lease_lost", holder=lost.holder, lease_kind=lost.kind, silent_s=silent_s, then=policy, **why)
        s.tasks.own("the loss of the lease", after_loss(s, lost))

    def _watch_admission(self) -> None:
        """Whoever was revoked has no lease, no connection and no answer from here on."""
        s = self.service
        gone, problem = s.admission.look(), s.admission.problem
        if problem and problem != self._problem:
            s.tell("access", action="problem", reason=problem)
        self._problem = problem
        held = s.lease.held
        if held is not None and (s.admission.role(held.owner) or 0) < OPS["lease"].role:
            s.lease.drop()
            self._lease_lost(held, time.monotonic(), why="its holder may no longer command")
        if gone:
            s.tell("access", action="revoked")
            self.desk.reopen()
            self.telemetry.reopen()
            self._bell = self._doorbell()

    def _watch_descriptors(self) -> None:
        """Connections never take the last descriptors: a recording, and what is connected, must go on."""
        if self.descriptors is None or not self.descriptors.look():
            return
        full = self.descriptors.full
        for door in (self.desk.door, *self.telemetry.doors):
            if full:
                door.shut()
            else:
                door.let()
        reason = "too many connections: new ones wait until others end" if full else "there is room again"
        self.service.tell("access", action="full" if full else "room", reason=reason)

    def _publish(self, now_s: float) -> None:
        s = self.service
        self.telemetry.samples(s.core.history, self._scope_every)
        self._next_block(now_s, self._block_s)
        if s.recorder.state is not self._recording:
            self._watch_recorder()
        if s.recorder.active or now_s >= self._status_due_s:
            self._watch_files(now_s)
        if now_s >= self._status_due_s:
            self._status_due_s = now_s + _STATUS_S
            self._watch_losses()
            self._watch_clock()
            self._watch_journal()
            self._watch_alarm_file()
            self.telemetry.status(lambda: status_of(s))

    def _next_block(self, now_s: float, every_s: float) -> None:
        self._block_due_s += every_s
        if self._block_due_s < now_s:  # a stall: go on from here
            self._block_due_s = now_s + every_s

    def _watch_recorder(self) -> None:
        was, now = self._recording, self.service.recorder.state
        self._recording = now
        if was.state == "on" and now.path != was.path:
            self.service.shelf.add(was)
        if now.state == "failed" and was.state == "on":
            self.service.shelf.add(now)
            if self.service.rig.recording.required and not now.always:
                self.service.tasks.own("the end of a required recording", after_failure(self.service))
            self.service.tell("recording_failed", path=now.path, reason=now.reason, flushed=now.flushed)
        if now.continues and now.reason and now.path != was.path:
            self.service.tell("recording_continued", path=now.path, continues=now.continues, reason=now.reason)

    def _watch_files(self, now_s: float) -> None:
        """The next file where one is long enough; the recording that always runs, where none does."""
        s = self.service
        while s.recorder.removed:
            path = s.recorder.removed.popleft()
            s.shelf.forget(path)
            s.tell("recording", action="remove", path=str(path), by="recording.always")
        if s.filing or s.core.ended is not None or now_s < self._file_due_s:
            return
        if s.recorder.full:
            s.tasks.own("the next file of a recording", self._after(rotate(s), "rotate"))
        elif s.rig.recording.always.enabled and not s.recorder.active and s.core.started and not s.core.ending:
            s.tasks.own("recording.always", self._after(run_always(s), "always"))

    def _after(self, task: Task[bool], what: str) -> Task[Result]:
        self._file_due_s = math.inf
        done = False
        try:
            done = yield from task
        finally:
            self._file_due_s = 0.0 if done else time.monotonic() + _FILE_AGAIN_S
        if what == "always" and not done and self._always:
            state = self.service.recorder.state
            self.service.tell("recording_failed", path=state.path, reason=state.reason, by="recording.always")
        if what == "always":
            self._always = done
        return {}

    def _watch_clock(self) -> None:
        stepped_ns = self.service.wall.look()
        if stepped_ns:
            by_s, offset = round(stepped_ns * 1e-9, 6), self.service.wall.now
            self.service.tell("clock_step", by_s=by_s, **offset._asdict())

    def _watch_journal(self) -> None:
        s, was, now = self.service, self._journal, self.service.journal.problem
        self._journal = now
        if now != was:
            s.tell("journal_failed" if now else "journal_back", path=str(s.journal.path), reason=now)
        if now:
            s.journal.retry()

    def _watch_alarm_file(self) -> None:
        s, was, now = self.service, self._alarms, self.service.alarm_file.problem
        self._alarms = now
        if now != was:
            s.tell("alarms_failed" if now else "alarms_back", path=str(s.alarm_file.path), reason=now)

    def _watch_losses(self) -> None:
        s = self.service
        if s.core.ended is None:
            lost = s.core.link.rows_lost
            if lost > self._rows_lost:
                s.tell("rows_lost", count=lost - self._rows_lost)
                self._rows_lost = lost
