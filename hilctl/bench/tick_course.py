"""A run of the whole controller on the twin, kept so that any tick of it can be run again: by us, or in C.

`whole`: off, armed, a triangle; on the way the gains change (a blend), the feedback becomes the PID and three-variable
control again, the motion is stopped; a sine, a sweep, a move and an uploaded wave follow; the end is off. `own` is such
a run of a rig that closes its own displacement loop, with stalls and a trip to null on the way. What goes wrong is in
tick_troubles.py.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from firmware_bridge import registry
from firmware_bridge.driver import COMMAND, READINGS
from hilctl import rig
from hilctl.errors import HilctlError
from hilctl.law.motions import Samples, check_plan, plan, samples_of
from hilctl.law.requests import REQUEST, RequestKind
from hilctl.law.state import STATE
from hilctl.law.tick import rt_adopt, rt_command, rt_request, rt_start, rt_tick
from hilctl.loop.layout import BANK
from hilctl.params import record_of
from hilctl.rt.jit import jit, record_type
from hilctl.rt.records import as_record, words_of
from hilctl.signals import SAMPLE, Mode, Status

RIG, OWN_LOOP = "table-500", "servo-004"
ROWS = 1024  # of the ring that samples are written to; a power of two
_ARMING_TICKS = 30_000  # half a minute: it takes a few seconds

# What a tick has besides readings: its number, the periods that were skipped before it, how the exchange went.
TURN = record_of([("tick", np.int64), ("skipped", np.int64), ("status", np.int64)])

# From a tick's place in its stretch and its readings, which may be changed, to the status of the exchange.
Spoil = Callable[[int, Any], int]


def _signature() -> Any:
    law, command, readings, turns, samples = map(record_type, (STATE, COMMAND, READINGS, TURN, SAMPLE))
    byte, whole = (record_type(np.dtype(kind)) for kind in (np.uint8, np.int64))
    return whole(law[::1], command, readings[::1], turns[::1], samples[::1], byte[::1])


@jit(_signature, cached=True)
def rt_play(states: Any, command: Any, readings: Any, turns: Any, samples: Any, bank: Any) -> int:
    """As many ticks as there are readings; how many. The waveform lies in raw memory, as in the loop.

    The state comes in an array of one: of a long record that Python hands over, numpy spells out the layout each time,
    which takes as long as two hundred ticks.
    """
    knots, s = words_of(as_record(bank, BANK)), states[0]
    for k in range(len(readings)):
        turn = turns[k]
        rt_command(s, command, turn.tick, turn.skipped, 0)
        rt_tick(s, command, readings[k], turn.status, knots, samples[k & (ROWS - 1)])
    return len(readings)


@jit()
def rt_next_command(states: Any, command: Any, tick: int, skipped: int) -> None:
    """The command that is sent in this tick."""
    rt_command(states[0], command, tick, skipped, 0)


class Stretch(NamedTuple):
    """Ticks without a request: the law's state before them, and what was read."""

    name: str
    state: Any
    readings: Any
    turns: Any

    def part(self, begin: int, end: int) -> "Stretch":
        """Some of its ticks. The state is still that before the first of all."""
        return self._replace(readings=self.readings[begin:end], turns=self.turns[begin:end])


def as_read(_place: int, _readings: Any) -> int:
    """Nothing is spoilt."""
    return Status.OK.value


class Course:
    """The run; `stretches` in order."""

    def __init__(self, name: str = RIG) -> None:
        self._name, self._rig = name, rig.load(name, twin=True)
        self._twin = registry.find(self._rig.driver)(self._rig.driver_config, self._rig.facts(virtual=True))
        self._twin.open()
        self.state, self.command = np.zeros(1, STATE), np.zeros(1, COMMAND)[0]
        self.samples, self.bank = np.zeros(ROWS, SAMPLE), np.zeros(BANK.itemsize, np.uint8)
        self.stretches: list[Stretch] = []
        self._tick, self._motions, self._epoch = 0, 0, 1
        rt_start(self.state[0], self._rig.settings(), 0)

    def run(
        self,
        name: str,
        ticks: int,
        until: int = -1,
        stalls: Mapping[int, int] | None = None,
        spoil: Spoil = as_read,
    ) -> Stretch:
        """The next ticks, kept; fewer when the mode `until` is reached. `stalls`: periods skipped, by tick."""
        before, law = self.state.copy(), self.state[0]
        readings, turns = np.zeros(ticks, READINGS), np.zeros(ticks, TURN)
        count = 0
        while count < ticks and law.mode != until:
            here = slice(count, count + 1)
            skipped = (stalls or {}).get(count, 0)
            self._tick += skipped
            rt_next_command(self.state, self.command, self._tick, skipped)
            self._twin.exchange(self._twin.state, self.command, readings[count])
            turns[count] = self._tick, skipped, spoil(count, readings[count])
            rt_play(self.state, self.command, readings[here], turns[here], self.samples, self.bank)
            self._tick += 1
            count += 1
        if until >= 0 and law.mode != until:
            raise HilctlError(f"{name}: mode {law.mode} instead of {until}, trip {law.guard.trip}")
        stretch = Stretch(name, before, readings[:count], turns[:count])
        self.stretches.append(stretch)
        return stretch

    def expect(self, mode: Mode, trip: int = 0) -> None:
        """This mode, and this trip or none."""
        law = self.state[0]
        if law.mode != mode or law.guard.trip != trip:
            raise HilctlError(f"{self.stretches[-1].name}: mode {law.mode}, trip {law.guard.trip}; not {mode}, {trip}")

    def ask(self, kind: RequestKind, motion: Any = None, action: int = 0) -> None:
        """A request, which must be taken."""
        request = np.zeros(1, REQUEST)[0]
        request.kind, request.action = kind, action
        if motion is not None:
            request.motion = motion
        refusal = rt_request(self.state[0], request, self._tick)
        if refusal != 0:
            raise HilctlError(f"{kind.name} was refused: {refusal}")

    def track(self, kind: str, samples: Samples | None = None, **request: Any) -> None:
        """Starts a motion from where the reference rests."""
        self._motions += 1
        limits = rig.motion_limits(self._rig.controller, self._rig.dt_s)
        made = plan(kind, request, limits, float(self.state[0].head.x_m), self._motions, samples)
        check_plan(made, limits)
        self.bank.view(np.float64)[: len(made.knots)] = made.knots
        self.ask(RequestKind.TRACK, made.motion)

    def adopt(self, **changes: Any) -> None:
        """A new parameter set, blended in from the next tick on."""
        self._epoch += 1
        keys = {key.replace("__", "."): value for key, value in changes.items()}
        rt_adopt(self.state[0], rig.load(self._name, twin=True, changes=keys).settings(self._epoch))


def arm(course: Course) -> None:
    """From off to hold."""
    course.run("off", 1500)
    course.ask(RequestKind.ARM)
    course.run("arming", _ARMING_TICKS, Mode.HOLD)
    course.run("hold", 200)


def whole(course: Course) -> None:
    """Everything that the law does, once."""
    arm(course)
    course.track("triangle", speed_m_s=0.1, amplitude_m=0.02)
    course.run("triangle", 2000)
    course.adopt(law__three_state__kd_per_m=15.0, machine__overlap_a=0.01, machine__overlap_b=0.012,
                 machine__hysteresis=0.001, machine__edge_rounding=0.003, law__valve__dither=0.001)  # fmt: skip
    course.run("blend", 800)
    course.adopt(law__notch_1__depth_db=20.0, law__notch_1__frequency_hz=60.0, law__notch_3__depth_db=6.0)
    course.run("notches", 800)
    course.adopt()
    course.run("no notches", 800)
    course.adopt(law__feedback="pid", law__pid__kd_s_per_m=0.01)
    course.run("to the PID", 800)
    course.adopt(law__feedback="three_state")
    course.run("back", 800)
    course.adopt(law__adapt__share=1.0, law__adapt__time_s=2.0)
    course.run("learned", 1600)
    course.adopt(law__adapt__share=0.5, law__adapt__time_s=2.0, machine__overlap_a=0.01, machine__overlap_b=0.012,
                 machine__edge_rounding=0.002)  # fmt: skip
    course.run("learned behind an overlap", 1600)
    course.adopt(law__adapt__share=1.0, law__adapt__gain_max=1e-3, law__valve__null_bias=0.004)
    course.run("learned too far", 1600)
    course.adopt()
    course.run("not learned", 800)
    course.ask(RequestKind.STOP)
    course.run("stop", 2000, Mode.HOLD)
    course.track("sine", amplitude_m=0.005, frequency_hz=2.0, cycles=1)
    course.run("sine", 4000, Mode.HOLD)
    course.track("chirp", amplitude_m=0.002, start_hz=1.0, end_hz=10.0, duration_s=3.0, knee_hz=5.0)
    course.run("chirp", 6000, Mode.HOLD)
    course.track("move", position_m=0.01)
    course.run("move", 4000, Mode.HOLD)
    history = samples_of(0.005 * np.sin(np.linspace(0.0, 8.0 * np.pi, 200)), "displacement", interval_s=0.01)
    course.track("waveform", history)
    course.run("waveform", 6000, Mode.HOLD)
    course.adopt(law__adapt__share=1.0, law__adapt__time_s=2.0, machine__overlap_a=0.01, machine__overlap_b=0.012,
                 machine__Qn=0.003)  # fmt: skip
    course.track("move", position_m=0.04, duration_s=0.5)
    course.run("behind an overlap, to rest", 1600)
    course.ask(RequestKind.OFF)
    course.run("off again", 2000, Mode.OFF)


def own(course: Course) -> None:
    """What the law does otherwise where the rig closes its own loop: arming, the command, null, and off."""
    arm(course)
    course.track("sine", amplitude_m=0.004, frequency_hz=3.0, cycles=8)
    course.run("sine", 1500, stalls={500: 5, 900: 40})
    course.ask(RequestKind.STOP)
    course.run("stop", 2000, Mode.HOLD)
    course.adopt(limits__tracking_error__max_m=0.002, limits__command__slew_per_s=2.0)
    course.track("sine", amplitude_m=0.015, frequency_hz=5.0, cycles=8)
    course.run("limited, to null", 4000, Mode.NULL)
    course.run("null", 4000, Mode.OFF)
    course.run("off, its spring brings it back", 500)
    course.adopt()
    course.ask(RequestKind.RESET)
    arm(course)
    course.track("move", position_m=0.01)
    course.run("move", 4000, Mode.HOLD)
    course.ask(RequestKind.OFF)
    course.run("off again", 2000, Mode.OFF)
