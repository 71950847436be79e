"""Preparation before a measurement: sensors zeroed, null and polarity proved, the oil warmed up, all of it dated.

pressures        zero with the supply off and the chambers vented; not on a vertical axis, where the remaining oil
                 carries the table
acceleration     zero at rest, which on a vertical axis also takes the weight out
displacement     the table's position, if a person measured it with a gauge and says so
null, polarity   identified by arming, with small bumps at low pressure; here the bumps are only confirmed
warm-up          a sine of moderate speed: cold oil has a different friction

Zeroing changes the active offsets of the sensors, as `hilctl zero` does; `hilctl set --undo` undoes it.
"""

import math
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import numpy as np

from hilctl.experiment.drive import LegFault, look
from hilctl.experiment.policy import soft_s
from hilctl.experiment.record import fresh, record_of
from hilctl.experiment.trips import why_ended
from hilctl.machine import GRAVITY
from hilctl.results.prepared import Prepared, Zeroed
from hilctl.signals import Arming

if TYPE_CHECKING:
    from hilctl.client import Client

ZERO_S = 2.0  # of samples for a zero: noise of 25 kPa leaves 0.6 kPa at 1 kHz
VENT_S, VENT_EVERY_S = 60.0, 0.5  # for the chambers to empty
VENTED_SHARE = 0.03  # of the supply pressure: the largest offset of a transducer
FEWEST = 10  # readings of a look
VENTED_STEADY = 4.0  # standard errors of the difference between two looks
LEVEL_M_S2 = 1.5  # of an accelerometer at rest: more is no offset, it is misaligned or not connected
WARM_UP_S, WARM_UP_M_S = 10.0, 0.3
WARM_UP_SHARE, WARM_UP_MOST_M = 0.5, 0.05  # of the way to the limits
SOFT_S = 1.0  # at least
PART_OF_SPEED, PART_OF_ACCELERATION = 0.5, 0.1  # of the limits, at most
NULL_S = 0.5
_OIL = "oil_temperature_degc"
STEADY_S = 0.5  # after displacement is zeroed, until the estimated speed shows a table at rest


def prepare(
    rig: "Client",
    *,
    stands_at_m: float | None = None,
    warm_up_s: float = WARM_UP_S,
    tell: Callable[[str], None] = lambda text: None,
) -> Prepared:
    """From off or hold, without a trip, to hold, zeroed and warmed up. LegFault says what is wrong."""
    _switched_off(rig, tell)
    sensors, remarks = {"acceleration": 0.0}, []
    if rig.get("machine.vertical")["machine.vertical"]:
        remarks.append("the pressures were not zeroed: on a vertical axis the oil carries the table (machine.vertical)")
    else:
        tell("waiting until the chambers are empty")
        _vent(rig)
        sensors |= {"pressure_a": 0.0, "pressure_b": 0.0}
    zeroed = []
    if stands_at_m is not None:
        sensors["displacement"] = stands_at_m
    for sensor, to in sensors.items():
        if not rig.get(f"sensors.{sensor}.present")[f"sensors.{sensor}.present"]:
            remarks.append(f"{sensor} was not zeroed: the rig has no such sensor (sensors.{sensor}.present)")
            continue
        tell(f"zeroing {sensor}")
        zeroed.append(_zero(rig, sensor, to))
    polarity = _armed(rig, tell)
    held = look(rig, NULL_S, ("u_cmd", _OIL))
    before = _finite(held.readings(_OIL))
    if warm_up_s > 0:
        tell("warming up")
        _warm_up(rig, warm_up_s)
    after = _finite(look(rig, NULL_S, (_OIL,)).readings(_OIL))
    return Prepared(
        date=_now(), zeroed=zeroed, polarity=polarity, null_opening=float(np.mean(held["u_cmd"])),
        warm_up_s=warm_up_s, oil_before_degc=before, oil_after_degc=after, epoch=int(rig.status()["epoch"]),
        remarks=remarks,
    )  # fmt: skip


def prepare_again(
    rig: "Client", made: Prepared, *, warm_up_s: float = WARM_UP_S, tell: Callable[[str], None]
) -> None:
    """As it was `made` before, for work that goes on: the same zeros, in one set; armed and warm."""
    _switched_off(rig, tell)
    zeros = {one.key: one.new for one in made.zeroed}
    if zeros and rig.get(*zeros) != zeros:
        rig.set(zeros, origin=f"zeros of {made.date}")
    _armed(rig, tell)
    if warm_up_s > 0:
        tell("warming up")
        _warm_up(rig, warm_up_s)


def _switched_off(rig: "Client", tell: Callable[[str], None]) -> None:
    """From rest; LegFault where something moves the rig, or a trip is latched."""
    status = rig.status()
    trip = status["trip"]
    if trip:
        raise LegFault(f"a trip is latched: {trip['name']}: {trip['text']}; then `hilctl reset`")
    if status["mode"] not in ("off", "hold"):
        raise LegFault(f"the rig is in {status['mode']}: something moves it; end that first (`hilctl stop`)")
    if status["mode"] != "off":
        tell("switching off, to zero the pressures")
        rig.off()


def _armed(rig: "Client", tell: Callable[[str], None]) -> str:
    """In hold; how the polarity was proved."""
    rig.pass_time(STEADY_S)
    tell("arming")
    return _arm(rig)


def _vent(rig: "Client") -> None:
    """Waits until both pressures are steady near zero."""
    supply = float(rig.get("machine.Ps")["machine.Ps"])
    channels, before, passed_s = ("pressure_a_pa", "pressure_b_pa"), None, 0.0
    while True:
        seen = look(rig, VENT_EVERY_S, channels)
        passed_s += VENT_EVERY_S
        shown = [seen[c][fresh(seen, c)] for c in channels]
        if min(map(len, shown)) < FEWEST:
            raise LegFault(f"the pressures give no readings: {seen.losses(channels).text}; check the link")
        means = np.array([float(np.mean(one)) for one in shown])
        errors = np.array([float(np.std(one)) / math.sqrt(len(one)) for one in shown])
        still = before is not None and bool(np.all(np.abs(means - before) <= VENTED_STEADY * math.sqrt(2) * errors))
        if still and bool(np.all(np.abs(means) < VENTED_SHARE * supply)):
            return
        if passed_s >= VENT_S:
            worst = int(np.argmax(np.abs(means)))
            raise LegFault(
                f"{channels[worst].removesuffix('_pa')} reads {means[worst] / 1e6:.2f} MPa with the supply off for "
                f"{passed_s:.0f} s, more than {100 * VENTED_SHARE:g} % of machine.Ps: trapped oil, a supply that is "
                "not off, or a transducer with an offset; vent the chambers, or check the transducer "
                "(sensors.pressure_a, sensors.pressure_b)"
            )
        before = means


def _zero(rig: "Client", sensor: str, to: float) -> Zeroed:
    """One sensor, from samples of one epoch."""
    rate_hz, vertical = float(rig.hello["rate_hz"]), bool(rig.get("machine.vertical")["machine.vertical"])
    samples = max(10, round(ZERO_S * rate_hz))
    begin = end = int(rig.status()["history"]["end"])
    while end - begin < samples + 3:  # a missed tick leaves no sample
        rig.pass_time((samples + 3 - (end - begin) + 0.02 * samples) / rate_hz)
        end = int(rig.status()["history"]["end"])
    if sensor == "acceleration":
        rows = rig.samples(end - samples, end - 1, ("tick", "rejected", "acceleration_m_s2"))
        seen = _finite(record_of(rows, rate_hz).readings("acceleration_m_s2")) or 0.0
        if abs(seen) > LEVEL_M_S2 + (GRAVITY if vertical else 0.0):
            raise LegFault(
                f"the accelerometer reads {seen:.3g} m/s² at rest: it is misaligned, overloaded or not connected; "
                "check its mounting and cable (sensors.acceleration)"
            )
    made = rig.zero(sensor, to, samples)
    return Zeroed(
        sensor=sensor, key=str(made["key"]), old=float(made["old"]), new=float(made["new"]), read=float(made["mean"]),
        date=_now(),
    )  # fmt: skip


def _arm(rig: "Client") -> str:
    """Arms, and says how the polarity was proved."""
    from hilctl.client import Code, Refused

    first = int(rig.status()["history"]["end"])
    try:
        rig.arm()
    except Refused as refused:
        if refused.code != Code.TRIPPED:
            raise
        raise LegFault(_arming_failed(rig.status()["trip"])) from None
    steps = set(rig.samples(first, None, ("arming",))["arming"].tolist())
    if {Arming.BUMP_UP.value, Arming.BUMP_DOWN.value} <= steps:
        return "proved by bumps at low pressure"
    return "proved at an earlier arming of this run"


def _arming_failed(trip: dict[str, Any] | None) -> str:
    if not trip:
        return "arming ended in a trip that is no longer latched; arm again and see `hilctl status`"
    return f"arming ended by {trip['name']}: {trip['text']}"


def _warm_up(rig: "Client", seconds: float) -> None:
    """Whole cycles of a sine that stays well within every limit."""
    limits = rig.get("limits")
    low, high = limits["limits.position.min_m"], limits["limits.position.max_m"]
    amplitude = min(WARM_UP_SHARE * 0.5 * (high - low), WARM_UP_MOST_M)
    speed = min(WARM_UP_M_S, PART_OF_SPEED * limits["limits.velocity.max_m_s"],
                math.sqrt(PART_OF_ACCELERATION * limits["limits.acceleration.max_m_s2"] * amplitude))  # fmt: skip
    frequency = speed / (2 * math.pi * amplitude)
    cycles = max(1, round(seconds * frequency))
    soft = soft_s(frequency, SOFT_S)
    motion = rig.track(
        "sine", amplitude_m=amplitude, frequency_hz=frequency, center_m=0.5 * (low + high), cycles=cycles,
        soft_start_s=soft, soft_stop_s=soft,
    )  # fmt: skip
    try:
        outcome = rig.wait(motion)
    except KeyboardInterrupt:
        rig.stop()
        raise
    if outcome.why != "done":
        raise LegFault(f"the warm-up ended: {why_ended(rig, motion, outcome)}")


def _finite(values: Any) -> float | None:
    there = values[np.isfinite(values)]
    return float(np.mean(there)) if len(there) else None


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
