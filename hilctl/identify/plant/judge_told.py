"""What is reported of the fits: every quantity with its interval and origin, flags and notes."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
import numpy as np
from msgspec.structs import replace

from hilctl.experiment.accelerometer import Accelerometer
from hilctl.experiment.scales import SURE, load_scale_sd, scale_sd
from hilctl.identify.plant.estimate_flow import RANK, WORDS, Fitted
from hilctl.identify.plant.estimate_mass import TIMING_S, TRAVEL_M, Mass
from hilctl.identify.plant.judge_valve import SET_AS, WIDEST, valve_changes, valve_notes, valve_told
from hilctl.identify.plant.model_signals import Shown
from hilctl.law.settings import Controller
from hilctl.params import leaves
from hilctl.params.finite import finite
from hilctl.results.plant import PlantEvidence
from hilctl.results.quantity import Flag, Quantity, quantity

UNSURE = 0.25  # of the value: with a wider half of the interval it is not identifiable
LATE = 0.5e-3  # s: the same for delays
ON_TIME_S = 5e-5  # off by less, the accelerometer's delay stays as the rig file says
LEAK = 0.04  # of Ctc: what noise of the pressures, and edges that leak otherwise than assumed, change; twins, 2026-11
DAMPING = 0.007  # of zv: likewise
MISFIT = 3.0  # scatter of a line
CERTAIN, SPRING = 5.0, 0.02  # standard deviations; of the supply's force, over the whole travel
SUPPLY_OFF = 0.05  # of the supply pressure, by which what is measured may differ from what is declared

MODEL = frozenset({  # what the inverse model takes
    "machine.m", "machine.Qn", "machine.beta", "machine.Ctc", "machine.wv", "machine.zv", "law.feed.extra_preview_s",
})  # fmt: skip
_DELAY = "sensors.acceleration.delay_s"
_MAY_BE_NONE = ("dead_band", "play", "rounding", "threshold", "Ctc")
_FLOW = "flow of the valve against pressures and motion, sines and chirps"
_FORCE = "force against acceleration in fast sliding, friction a nuisance"
_SIDES = "accelerometer against displacement"


class PlantFit(NamedTuple):
    """An identified machine."""

    quantities: Mapping[str, Quantity]  # by key, as in the rig file where it has one
    model: frozenset[str]  # those of the inverse model; others are of a sensor, or derived
    flags: tuple[Flag, ...]
    notes: tuple[str, ...]  # what the numbers are relative to
    explained_percent: dict[str, float]  # of each record's flow
    scatter: float  # of a spectral line, in units of what is expected of it
    singular_values: tuple[float, ...]
    weakest: str
    rig_seconds: float
    samples: int
    losses: tuple[str, ...] = ()
    fast_left_out: str = ""  # why they are, where the valve swallows them: to be driven once it is set

    def quantity(self, key: str) -> Quantity:
        """By key."""
        return self.quantities[key]

    def changes(self) -> dict[str, float]:
        """What to set in the rig, by key: the model's parameters that were identified."""
        model = {
            key: q.value for key, q in self.quantities.items()
            if key in self.model and q.identified and q.before is not None and q.value is not None
        }  # fmt: skip
        return {**model, **valve_changes(self.quantities), **_delay_change(self.quantities)}

    def since(self, first: "PlantFit") -> "PlantFit":
        """After a first fit, which was set in between: with the values that were active before that, and with what it
        alone identified."""
        found = dict(self.quantities)
        for key, earlier in first.quantities.items():
            own = found[key]
            found[key] = earlier if earlier.identified and not own.identified else replace(own, before=earlier.before)
        return self._replace(quantities=found)

    @property
    def told(self) -> dict[str, Quantity]:
        """As a result holds them: without numbers where these data say none."""
        return {key: q if q.identified else q.withheld() for key, q in self.quantities.items()}

    def evidence(self) -> PlantEvidence:
        """How well they are identified."""
        return PlantEvidence(
            flags=list(self.flags), notes=[*self.notes, *self.losses], explained_percent=finite(self.explained_percent),
            scatter=finite(self.scatter), singular_values=finite(self.singular_values), weakest=self.weakest,
            changes=self.changes(), rig_seconds=self.rig_seconds, samples=self.samples,
        )  # fmt: skip

    def to_json(self) -> dict[str, Any]:
        """As plain values that JSON can hold."""
        plain: dict[str, Any] = msgspec.to_builtins({"plant": self.told})
        return {**plain, **msgspec.to_builtins(self.evidence())}


def told(
    records: Sequence[Shown], fitted: Fitted, meter: Accelerometer, mass: Mass | None, facts: Mapping[str, Any]
) -> PlantFit:
    """The result. Without a mass it is a slow sine's, which shows the valve alone."""
    estimated = _estimated(fitted, mass, meter, records[0].grid.dt_s, facts)
    quantities, beyond = _settable(estimated)
    lost = dict(zip((r.driven.name for r in records), fitted.explained, strict=True))
    return PlantFit(
        quantities=quantities,
        model=MODEL,
        flags=(*_flags(estimated, fitted, records, facts), *beyond, *(_stiffness(mass, facts) if mass else [])),
        notes=(*_notes(meter, facts, alone=mass is None), *valve_notes(quantities)),
        explained_percent=lost,
        scatter=fitted.scatter,
        singular_values=fitted.singular_values,
        weakest=", ".join(f"{name} {share:+.2f}" for name, share in fitted.weakest.items()),
        rig_seconds=sum(r.driven.record.seconds for r in records),
        samples=sum(r.driven.record.ticks for r in records),
    )


def _estimated(
    fitted: Fitted, mass: Mass | None, meter: Accelerometer, dt_s: float, facts: Mapping[str, Any]
) -> dict[str, Quantity]:
    p, sd, bound = fitted.value, fitted.sd, fitted.at_bound
    found: dict[str, Quantity] = {}

    def one(key: str, unit: str, value: float, sd: float, why: str = _FLOW, floor: float = 0.0,
            least: float = -math.inf, at: int = 0) -> None:  # fmt: skip
        """`floor`: so wide may half its interval be in any case; `at`: an end of its range at which it stands."""
        reach = SURE * sd
        known = math.isfinite(reach) and not at and reach <= max(floor, UNSURE * abs(value))
        found[key] = quantity(value, max(value - reach, least), value + reach, unit, why, identified=known,
                              before=facts.get(key))  # fmt: skip

    one("machine.Qn", "m³/s", p["Qn"], sd["Qn"], at=bound["Qn"])
    if mass is None:
        return found | valve_told(fitted, facts)
    mass_sd = math.hypot(mass.sd, mass.value * meter.gain_sd)
    beta = 1 / p["compliance"]
    one("machine.m", "kg", mass.value, mass_sd, _FORCE)
    one("machine.beta", "Pa", beta, sd["compliance"] * beta**2, at=bound["compliance"])
    one("machine.Ctc", "m³/(s·Pa)", p["Ctc"], math.hypot(sd["Ctc"], LEAK * p["Ctc"]), least=0.0, at=bound["Ctc"])
    one("machine.wv", "rad/s", p["wv"], sd["wv"], at=bound["wv"])
    one("machine.zv", "", p["zv"], math.hypot(sd["zv"], DAMPING * p["zv"]), at=bound["zv"])
    found |= valve_told(fitted, facts)
    gain = facts["sensors.acceleration.gain"] / meter.gain
    gain_sd = math.hypot(meter.gain_sd / meter.gain, scale_sd(facts, "displacement"))
    one("sensors.acceleration.gain", "", gain, gain * gain_sd, _SIDES, floor=UNSURE)

    held, late = dt_s, facts["sensors.displacement.delay_s"] + p["tau"]
    lag, lag_sd, total_sd = _lag(fitted)
    for key, value, own_sd, at in (
        ("law.feed.extra_preview_s", p["delay"], sd["delay"], bound["delay"]),
        ("loop_delay_s", held + p["delay"], sd["delay"], bound["delay"]),
        ("valve_lag_s", lag, lag_sd, 0),
        ("total_lag_s", 1.5 * held + p["delay"] + lag, total_sd, 0),
        ("sensors.displacement.delay_s", late, sd["tau"], 0),
    ):
        one(key, "s", value, own_sd, floor=LATE, at=at)
    one(_DELAY, "s", facts["sensors.displacement.delay_s"] + meter.later_s, meter.later_sd_s, _SIDES, floor=LATE)
    return found


def _settable(found: Mapping[str, Quantity]) -> tuple[dict[str, Quantity], list[Flag]]:
    """What is beyond the bounds of its key cannot be set, and says more of these data than of the rig."""
    declared = {leaf.path: leaf for leaf in leaves(Controller)}
    kept, flags = dict(found), []
    for key, q in found.items():
        leaf = declared.get(SET_AS.get(key, key))
        if leaf is None or not q.identified or q.value is None:
            continue
        if q.value <= leaf.high and (q.value >= leaf.low or leaf.low == 0.0):  # less than none is none
            continue
        kept[key] = replace(q, origin="not identifiable")
        text = f"{key} = {q.value:.4g} {q.unit}: beyond {leaf.low:g} to {leaf.high:g}, which its key takes"
        flags.append(Flag("bound", key, text, "the value before stays; check the sensors and [machine]"))
    return kept, flags


def _delay_change(quantities: Mapping[str, Quantity]) -> dict[str, float]:
    """The accelerometer's delay, where it is another one than the rig file says."""
    found = quantities.get(_DELAY)
    if found is None or not found.identified or found.value is None or found.before is None:
        return {}
    reach = max(0.5 * (found.bounds[1] - found.bounds[0]), ON_TIME_S)
    value = max(found.value, 0.0)
    return {_DELAY: value} if abs(value - found.before) > reach else {}


def _lag(fitted: Fitted) -> tuple[float, float, float]:
    """2 zv/wv, its standard deviation, and that of its sum with the delay."""
    p = fitted.value
    lag = 2 * p["zv"] / p["wv"]
    slope = {"zv": 2 / p["wv"], "wv": -lag / p["wv"], "delay": 0.0}
    sds = []
    for with_delay in (0.0, 1.0):
        slope["delay"] = with_delay
        variance = sum(
            slope[one] * slope[other] * float(fitted.covariance[WORDS.index(one), WORDS.index(other)])
            for one in slope for other in slope
        )  # fmt: skip
        sds.append(math.sqrt(max(variance, 0.0)))
    return lag, sds[0], sds[1]


def _flags(
    quantities: Mapping[str, Quantity], fitted: Fitted, records: Sequence[Shown], facts: Mapping[str, Any]
) -> list[Flag]:
    flags = []
    for key, q in quantities.items():
        if not q.identified and (key in MODEL or key in WIDEST):
            ends = "{:.3g} to {:.3g}".format(*q.bounds)
            text = f"{key} = {q.value:.4g} {q.unit}, {ends}: not identifiable from these data"
            flags.append(Flag("imprecise", key, text, "keep the value before; larger motions would identify it"))
    for name, at in fitted.at_bound.items():
        if at and not (at < 0 and name in _MAY_BE_NONE):
            end = "lower" if at < 0 else "upper"
            text = f"{name} = {fitted.value[name]:.4g} is the {end} end of its range: the best value lies beyond"
            flags.append(Flag("bound", name, text, "correct [machine] in the rig file, and identify again"))
    if fitted.singular_values[-1] < RANK * fitted.singular_values[0]:
        text = "one combination of parameters is not identifiable from these data"
        flags.append(Flag("rank", "", text, "drive larger motions, up to higher frequencies"))
    if fitted.scatter > MISFIT:
        text = f"the error of the flow is {fitted.scatter:.1f} times the expected one of noise and model"
        flags.append(Flag("misfit", "", text, "check hysteresis of the valve, air in the oil, and the sensors' scales"))
    return flags + _supply(records, facts)


def _stiffness(mass: Mass, facts: Mapping[str, Any]) -> list[Flag]:
    """Whether a spring acts on the table that is not in the rig file."""
    beyond = mass.stiffness - float(facts["machine.K"])
    reach_m = float(facts["limits.position.max_m"]) - float(facts["limits.position.min_m"])
    much = SPRING * float(facts["machine.A"]) * float(facts["machine.Ps"])
    if abs(beyond) < CERTAIN * mass.stiffness_sd or abs(beyond) * reach_m < much:
        return []
    text = f"force grows with displacement by {mass.stiffness:.3g} N/m, machine.K is {facts['machine.K']:g} N/m"
    return [Flag("stiffness", "machine.K", text, "check what is attached to the table, or correct machine.K")]


def _supply(records: Sequence[Shown], facts: Mapping[str, Any]) -> list[Flag]:
    """Whether the supply has the pressure of Qn."""
    declared = float(facts["machine.Ps"])
    if facts["sensors.supply_pressure.present"]:
        shown, what = float(np.median(records[0].of("supply_pressure_pa"))), "the supply sensor shows"
    else:
        first = records[0]
        rest = first.of("pressure_a_pa")[-100:] + first.of("pressure_b_pa")[-100:]
        shown, what = float(np.mean(rest)), "without a supply sensor, the chambers at rest add up to"
    if abs(shown - declared) <= SUPPLY_OFF * declared:
        return []
    text = f"{what} {shown / 1e6:.2f} MPa, machine.Ps is {declared / 1e6:.2f} MPa"
    return [Flag("supply", "machine.Ps", text, "check the supply, or correct machine.Ps: Qn is what flows there")]


def _notes(meter: Accelerometer, facts: Mapping[str, Any], alone: bool) -> tuple[str, ...]:
    """`alone`: of a slow sine, which shows neither mass nor oil nor delays."""
    measured = facts["sensors.supply_pressure.present"]
    supply = "measured" if measured else "that of machine.Ps: its drop under load is in Qn"
    place, push = (100 * math.sqrt(3) * sd for sd in (scale_sd(facts, "displacement"), load_scale_sd(facts)))
    scales = (
        f"intervals allow for the scales of the sensors: displacement ±{place:.2g} %, load pressure ±{push:.2g} % "
        "(sensors.displacement.accuracy, sensors.pressure_a.accuracy, sensors.pressure_b.accuracy)"
    )
    if alone:
        return scales, "Qn is relative to machine.A: 1 % of that is 1 % of Qn", f"the supply pressure is {supply}"
    mass = (
        "m is relative to machine.A: 1 % of that is 1 % of m; the accelerometer's gain "
        f"({meter.gain:.4f} of displacement's) is corrected in it; its interval allows for friction that is late by "
        f"{1e3 * TIMING_S:g} ms and {1e3 * TRAVEL_M:g} mm of travel: faster motions (limits.velocity) narrow it"
    )
    flow = (
        "Qn and beta are relative to machine.A: 1 % of that is 1 % of Qn, and -1 % of beta; beta also to machine.Vt, "
        "of which 1 % is 1 % of beta: beta/Vt is identified"
    )
    leak = "Ctc is the cylinder's leakage beside machine.Kc: only their sum is identifiable"
    late = f"delays are relative to the pressure sensors, which count as immediate; the supply pressure is {supply}"
    sides = (
        "the accelerometer is compared with displacement: where its delay is not as the rig file says, it is set; its "
        "gain is reported and not set, for these data do not say which of the two is off, and neither is "
        "sensors.displacement.delay_s"
    )
    return scales, mass, flow, leak, late, sides
