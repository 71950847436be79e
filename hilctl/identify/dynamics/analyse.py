"""From experiments to a study: judge the records, clean them, estimate responses and models. No rig is needed.

A faulty record is reported and left out; if none is left, RecordFault has all findings.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np

from hilctl.experiment.facts import Facts
from hilctl.identify.dynamics.judge import against_of, checks_of
from hilctl.identify.dynamics.plant import Plant, pairs_of
from hilctl.identify.dynamics.rig_plant import RigPlant
from hilctl.identify.dynamics.servo_plant import ServoPlant
from hilctl.identify.dynamics.study import Grey, Study, Transfers
from hilctl.identify.frequency.estimate import Measured, measured_of, scatter_between
from hilctl.identify.frequency.judge import Finding, RecordFault, judge
from hilctl.identify.frequency.judge_sticking import stuck_of
from hilctl.identify.frequency.plan import Asked
from hilctl.identify.frequency.prepare import Detrend, Hampel, Prepared, ZeroPhase, prepare
from hilctl.identify.frequency.record import Experiment, Pair
from hilctl.identify.frequency.transfer_fit import Family, fit_transfer
from hilctl.params import BadValues


def plant_of(facts: Facts) -> Plant:
    """The kind of a rig, from its rig file: most have valve, cylinder and table, and close no loop of their own."""
    if facts.values.get("law.feedback") == "rig":
        return ServoPlant()
    return RigPlant()


ORDERS = range(4, 10)
BEYOND = 3.0  # of the band: corner of the low-pass before the responses
SLOWEST = 0.5  # of the lowest frequency: the band does not show a pole below it
DECISIVE = 30.0  # difference of BIC beyond which the better order is taken whatever its poles
HEARD = 0.3  # coherence: transfer functions are fitted up to the last frequency that reaches it
_COMPUTED = ("xd_m", "xr_m", "u_applied", "u_cmd", "vd_m_s", "ad_m_s2", "vr_m_s", "ar_m_s2")  # without outliers

Tell = Callable[[str], None]


def study_of(
    experiments: Sequence[Experiment], plant: Plant, facts: Facts | None, asked: Asked, *, rig: str, command: str = "",
    tell: Tell = lambda text: None,
) -> Study:  # fmt: skip
    """The study. RecordFault if no usable record is left."""
    pairs = pairs_of(plant, asked)
    tell("judging the records")
    found = {one.name: findings for one in experiments if (findings := judged(one, pairs, facts))}
    sound = [one for one in experiments if one.name not in found]
    if not [one for one in sound if one.role == "fit"]:
        raise RecordFault(_placed(found))
    cleaned = {one.name: cleaned_of(one, pairs) for one in sound if one.kind != "motion"}
    tell("estimating frequency responses")
    measured, spoiled = measured_of(sound, cleaned, pairs)
    if spoiled and not measured and not any(one.kind == "motion" for one in sound):
        raise RecordFault(_placed(spoiled))
    tell("fitting transfer functions")
    transfers = tuple(transfers_of(measured, pair, tell) for pair in pairs if any(m.pair == pair for m in measured))
    tell("fitting the grey box")
    grey = None if facts is None else plant.grey([one for one in sound if one.role == "fit"], facts, asked)
    tell("validating the models")
    checks = checks_of(sound, cleaned, transfers, grey, plant, facts)
    return Study(
        rig=rig, rate_hz=experiments[0].rate_hz, made=datetime.now(UTC).isoformat(timespec="seconds"),
        command=command, experiments=tuple(experiments),
        findings={**found, **spoiled}, prepared=cleaned, responses=measured,
        transfers=transfers, grey=grey, checks=checks, against=against_of(transfers, measured),
        remarks=(
            *(note for one in experiments for note in one.notes), *scatter_between(measured),
            *riding(sound), *stuck_of(sound, facts), *_without(grey),
        ),
    )  # fmt: skip


def _placed(found: Mapping[str, tuple[Finding, ...]]) -> tuple[Finding, ...]:
    return tuple(
        finding._replace(channel=f"{name}: {finding.channel}") for name, each in found.items() for finding in each
    )  # fmt: skip


def judged(one: Experiment, pairs: Sequence[Pair], facts: Facts | None) -> tuple[Finding, ...]:
    """The faults of a record that matter for the requested responses."""
    inputs = list(dict.fromkeys(pair.input for pair in pairs))
    known = [name for name in inputs if name in one.channels]
    missing = [c for pair in pairs for c in pair if c not in one.channels]
    if missing:
        text = f"the record has no such channel; it has {', '.join(one.channels)}; name one of them (--map, --input, "
        return tuple(Finding("zero variance", name, f"{text}--output)") for name in dict.fromkeys(missing))
    ranges = ranges_of(facts)
    out: list[Finding] = []
    for name in known:
        outputs = {pair.output: one.channels[pair.output] for pair in pairs if pair.input == name}
        declared = name == one.reference and one.settings.get("band_declared", False)
        out += judge(
            one.channels[name], outputs, one.rate_hz, name=name, times_s=times_of(one),
            band_hz=one.band_hz if declared else None,
            ranges={key: value for key, value in ranges.items() if key in (name, *outputs)},
            periodic=one.kind in ("motion", "multisine", "step") or bool(one.settings.get("carrier_m_s")),
            leads=one.source == "rig" or bool(set(outputs) & set(_COMPUTED)),
        )  # fmt: skip
    if one.kind == "step":  # a step has hardly any spectrum, and rests before and after
        out = [each for each in out if each.kind not in ("unexcited", "swapped", "clipped", "saturated")]
    return tuple(dict.fromkeys(out))


def times_of(one: Experiment) -> Any:
    """In s; None if the record has none."""
    if "time_s" in one.channels:
        return one.channels["time_s"]
    return one.channels["tick"] / one.rate_hz if "tick" in one.channels else None


def ranges_of(facts: Facts | None) -> dict[str, tuple[float, float]]:
    """The range of each channel, from the rig file."""
    if facts is None:
        return {}
    names = {
        "displacement_m": "displacement", "acceleration_m_s2": "acceleration", "pressure_a_pa": "pressure_a",
        "pressure_b_pa": "pressure_b",
    }  # fmt: skip
    values = facts.values
    out = {}
    for channel, sensor in names.items():
        low, high = values.get(f"sensors.{sensor}.low"), values.get(f"sensors.{sensor}.high")
        if low is not None and high is not None and high > low:
            out[channel] = (float(low), float(high))
    opening = float(values.get("limits.command.opening", 1.0))
    return out | {"u_applied": (-opening, opening), "u_cmd": (-opening, opening)}


def cleaned_of(one: Experiment, pairs: Sequence[Pair]) -> Prepared:
    """Outliers removed from measured channels; then a low-pass without lag, and the mean removed, on all channels."""
    names = dict.fromkeys(name for pair in pairs for name in pair)
    if one.reference in one.channels:
        names[one.reference] = None
    made = prepare({name: one.channels[name] for name in names}, one.rate_hz)
    sensed = [name for name in names if name not in _COMPUTED]
    if sensed:
        made = made.then(Hampel(), *sensed)
    edge = BEYOND * one.band_hz[1]
    if edge < 0.4 * one.rate_hz:
        made = made.then(ZeroPhase(low_pass_hz=edge))
    return made.then(Detrend())


def transfers_of(measured: Sequence[Measured], pair: Pair, tell: Tell) -> Transfers:
    """Orders 4 to 9 on the best response of a pair: the multisine's, else the first not reserved for validation."""
    of_pair = sorted((one for one in measured if one.pair == pair), key=lambda one: one.role == "check")
    best = next((one for one in of_pair if one.kind == "multisine"), of_pair[0])
    heard = np.flatnonzero(best.response.coherence >= HEARD)
    low, high = float(best.response.hz[0]), float(best.response.hz[heard[-1]] if len(heard) else best.response.hz[-1])
    response = best.response.within(low, high)
    orders = [order for order in ORDERS if 2 * order <= len(response.hz)]
    try:
        if not orders:
            text = f"{len(response.hz)} frequencies are too few for order {ORDERS[0]}; drive a wider band"
            return Transfers(best.experiment, pair, (low, high), None, text)
        tell(f"fitting transfer functions, {pair}")
        family = seen_in(fit_transfer(response, orders), low)
        return Transfers(best.experiment, pair, (low, high), family)
    except (BadValues, np.linalg.LinAlgError) as error:
        return Transfers(best.experiment, pair, (low, high), None, str(error))


def seen_in(family: Family, low_hz: float) -> Family:
    """The least BIC among orders whose poles lie in the band: a pole far below it fits noise, and drifts in time.

    If only orders with such a pole explain the response, as for an integrating rig, all orders stay.
    """
    seen = [
        fit for fit in family.fits
        if np.abs(fit.transfer.poles).min() >= SLOWEST * 2 * np.pi * low_hz and fit.bic <= family.best.bic + DECISIVE
    ]  # fmt: skip
    return Family(family.fits, min(seen, key=lambda fit: fit.bic)) if seen else family


def riding(experiments: Sequence[Experiment]) -> tuple[str, ...]:
    """The responses measured on a carrier, and what that means."""
    speeds = {one.group: float(one.settings.get("carrier_m_s", 0.0)) for one in experiments if one.role == "fit"}
    groups = [group for group, speed in speeds.items() if speed]
    if not groups:
        return ()
    told = (
        f"{', '.join(groups)}: on a carrier of {max(speeds.values()):.3g} m/s where the motion alone is slower; the "
        "responses are those of a sliding table, whose damping by friction and valve differs from that at rest"
    )
    return (told,)


def _without(grey: Grey | None) -> tuple[str, ...]:
    if grey is None:
        return ("no grey box: it needs the rig's nominal values; name its rig file (RIG)",)
    return (f"grey box: {grey.refused}",) if grey.refused else ()
