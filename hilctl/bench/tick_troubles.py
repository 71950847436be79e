"""What goes wrong on a run, for the two ticks that are compared: host, readings, link, and the plant's signs."""

import math
from typing import Any

from hilctl.bench.tick_course import Course, Spoil, arm, as_read
from hilctl.errors import HilctlError
from hilctl.law.requests import RequestKind
from hilctl.signals import Mode, Status, Trip


def stalled(course: Course) -> None:
    """The host stands still: in hold, in motions that are rejoined, in some that are stopped, and in a stop."""
    arm(course)
    course.run("hold with stalls", 300, stalls={50: 1, 100: 7, 150: 300})
    course.track("sine", amplitude_m=0.01, frequency_hz=2.0, cycles=8)
    course.run("rejoined", 2000, stalls={400: 2, 700: 5, 1000: 20, 1200: 1, 1500: 8, 1504: 6})
    course.adopt(law__feedback="pid")
    course.run("rejoined under the PID", 1000, stalls={700: 20})
    course.adopt()
    course.expect(Mode.TRACK)
    course.run("too long", 2000, Mode.HOLD, stalls={700: 45, 702: 3})
    course.expect(Mode.HOLD, Trip.LATE_TICKS)
    course.ask(RequestKind.RESET)
    course.track("sine", amplitude_m=0.01, frequency_hz=2.0, cycles=8)
    course.run("too often", 2000, Mode.HOLD, stalls={700: 12, 715: 12})
    course.expect(Mode.HOLD, Trip.LATE_TICKS)
    course.adopt(limits__escalation__hold_s=0.5, limits__escalation__null_s=0.2)
    course.run("held, null, off", 2000, Mode.OFF, stalls={100: 30, 300: 9})
    _again(course)
    course.adopt(arming__proof_s=1.0)
    arm(course)
    if course.state[0].arm.rounds == 0:
        raise HilctlError("armed without bumps after a long off")


def disturbed(course: Course) -> None:
    """Readings that are bad now and then, or too often; exchanges that fail; another master; a supply that fails."""
    arm(course)
    course.track("triangle", speed_m_s=0.1, amplitude_m=0.02)
    course.run("now and then", 3000, spoil=_now_and_then)
    course.expect(Mode.TRACK)
    course.run("a second master", 3000, Mode.OFF, spoil=lambda k, _: Status.OVERWRITTEN if k % 300 == 0 else Status.OK)
    course.expect(Mode.OFF, Trip.OVERWRITTEN)
    _again(course)
    arm(course)
    course.run("every other reading", 3000, Mode.OFF, spoil=_every_other)
    course.expect(Mode.OFF, Trip.SENSOR_RANGE)
    _again(course)
    arm(course)
    course.run("every third exchange", 3000, Mode.OFF, spoil=lambda k, _: Status.TIMEOUT if k % 3 == 0 else Status.OK)
    course.expect(Mode.OFF, Trip.DRIVER)
    _again(course)
    arm(course)
    course.run("no supply", 3000, Mode.OFF, spoil=_turned(supply_pressure_pa=0.3))
    course.expect(Mode.OFF, Trip.SUPPLY_PRESSURE)
    _again(course)
    arm(course)
    course.adopt(limits__saturation__action="warn", limits__drift__action="warn")
    course.run("blocked", 6000, Mode.OFF, spoil=_blocked)
    course.expect(Mode.OFF, Trip.HOLD_EFFORT)
    _again(course)
    arm(course)
    course.run("displacement sticks", 1000, Mode.OFF, spoil=_sticks())
    course.expect(Mode.OFF, Trip.SENSOR_STUCK)
    _again(course)
    arm(course)
    course.adopt(limits__escalation__cause_s=0.1)
    course.run("its cause stays while it is held", 6000, Mode.OFF, spoil=_wandered)
    course.expect(Mode.OFF, Trip.SENSOR_DRIFT)


def supplied(course: Course) -> None:
    """The supply at its low level and at its high one again; and one that does not come back."""
    arm(course)
    course.ask(RequestKind.SUPPLY, action=1)
    course.run("low pressure", 3000)
    course.track("move", position_m=0.01, speed_m_s=0.02)
    course.run("moved at low pressure", 4000, Mode.HOLD)
    course.ask(RequestKind.SUPPLY, action=2)
    course.run("high pressure", 3000)
    course.expect(Mode.HOLD)
    course.ask(RequestKind.SUPPLY, action=1)
    course.run("low again", 3000)
    course.adopt(arming__timeout_s=0.5, limits__escalation__cause_s=0.1)
    course.ask(RequestKind.SUPPLY, action=2)
    course.run("it does not come", 4000, Mode.OFF, spoil=_turned(supply_pressure_pa=0.3))
    course.expect(Mode.OFF, Trip.SUPPLY_PRESSURE)


def faulty(course: Course) -> None:
    """An arming for each fault that the bumps find, and one without; a device that starts again asks for them too."""
    _refused(course, Trip.POLARITY, _turned(displacement_m=-1.0, acceleration_m_s2=-1.0))
    _refused(course, Trip.NO_MOTION, _turned(displacement_m=0.0, acceleration_m_s2=0.0))
    _refused(course, Trip.SENSOR_REVERSED, _turned(acceleration_m_s2=-1.0))
    _refused(course, Trip.SENSOR_DEAD, _turned(displacement_m=0.0))
    _refused(course, Trip.PRESSURES_EXCHANGED, _exchanged)
    _refused(course, Trip.SENSOR_REVERSED, _turned(displacement_m=-1.0))
    _refused(course, Trip.SENSOR_DEAD, _turned(acceleration_m_s2=0.0))
    _refused(course, Trip.SENSOR_REVERSED, _mirrored)
    _refused(course, Trip.SENSOR_DEAD, _turned(pressure_a_pa=0.0))
    course.adopt(arming__null_max=0.001)
    _refused(course, Trip.NULL_NOT_CONFIRMED, as_read)
    arm(course)
    course.run("the device starts again", 100, spoil=_restarted)
    course.ask(RequestKind.OFF)
    course.run("off, for a short while", 100, Mode.OFF)
    course.adopt(sensors__displacement__offset=0.001)
    arm(course)


def _refused(course: Course, trip: Trip, spoil: Spoil) -> None:
    course.run("before a fault", 1200, spoil=spoil)
    course.ask(RequestKind.ARM)
    course.run(trip.name, 8000, Mode.OFF, spoil=spoil)
    course.expect(Mode.OFF, trip)
    _again(course)


def _again(course: Course) -> None:
    course.adopt()
    course.run("reset", 500)
    course.ask(RequestKind.RESET)


def _turned(**factors: float) -> Spoil:
    """Readings times a factor, so also none at all."""

    def spoil(_place: int, readings: Any) -> int:
        for name, factor in factors.items():
            readings[name] *= factor
        return Status.OK.value

    return spoil


def _exchanged(_place: int, readings: Any) -> int:
    readings.pressure_a_pa, readings.pressure_b_pa = float(readings.pressure_b_pa), float(readings.pressure_a_pa)
    return Status.OK.value


def _mirrored(_place: int, readings: Any) -> int:
    readings.pressure_b_pa = 5e6 - readings.pressure_b_pa  # about what it is at the low supply
    return Status.OK.value


def _restarted(_place: int, readings: Any) -> int:
    readings.device_tick -= 1000
    return Status.OK.value


def _blocked(place: int, readings: Any) -> int:
    readings.displacement_m, readings.acceleration_m_s2 = 0.001 + place % 2 * 1e-7, place % 2 * 1e-6
    return Status.OK.value


def _sticks() -> Spoil:
    """Displacement repeats what it read first."""
    first: list[float] = []

    def spoil(_place: int, readings: Any) -> int:
        first.append(float(readings.displacement_m))
        readings.displacement_m = first[0]
        return Status.OK.value

    return spoil


def _wandered(_place: int, readings: Any) -> int:
    readings.acceleration_m_s2 += 8.0
    return Status.OK.value


def _every_other(place: int, readings: Any) -> int:
    if place % 2 == 0:
        readings.acceleration_m_s2 = 1e6
    return Status.OK.value


def _now_and_then(place: int, readings: Any) -> int:
    """Seldom enough that nothing trips."""
    if place % 7 == 0:
        readings.pressure_a_pa = math.nan
    if place % 50 == 0:
        readings.displacement_m = 1.0
    if place % 110 == 0:
        readings.age_ns[:] = 1_000_000_000
    if place % 1500 == 3:
        return Status.OVERWRITTEN.value
    if place % 90 == 30:
        return Status.TIMEOUT.value
    return Status.LATE.value if place % 11 == 0 else Status.OK.value
