"""Bandwidth and margins, measured: the loop stays closed, a multisine moves its reference.

The recursions of the controller are known, so the part of its output that comes from the references can be subtracted;
the rest came back from the rig:

    y = u_law - u_feed - C_r r           L = -(y/r)/(u_law/r)

Both quotients refer to the reference, which is free of noise, so noise within the loop biases neither. Several
multisines with different phases are averaged; their scatter, which contains distortion by friction as well as noise, is
the error. The result is the best linear approximation of the rig under this motion: friction acts as it does on a table
that slides back and forth, not as a slope at one speed.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hilctl.design.margins import margins_of, without_scatter
from hilctl.design.result import Measured
from hilctl.experiment.drive import LegFault, ready
from hilctl.experiment.facts import Facts
from hilctl.experiment.record import record_of
from hilctl.identify.frequency.drive import drive
from hilctl.identify.frequency.excite_multisine import Tones
from hilctl.identify.frequency.excite_shape import room_of
from hilctl.identify.frequency.plan import Leg, signal_of
from hilctl.identify.frequency.response import bandwidth
from hilctl.identify.frequency.response_lines import multisine_response
from hilctl.results.response import Reals, Response

if TYPE_CHECKING:
    from hilctl.client import Client

CHANNELS = (
    "tick", "epoch", "mode", "rejected", "saturated", "displacement_m", "acceleration_m_s2", "load_pressure_pa",
    "xr_m", "xd_m", "vd_m_s", "ad_m_s2", "pressure_ref_pa", "pressure_share", "pid_share", "u_feed", "u_law",
)  # fmt: skip
SEEDS = (11, 12, 13, 14)
START_HZ, PERIODS = 1.0, 4
HIGHEST, ABOVE_MODE = 0.2, 3.0  # highest line: of the loop rate; of the hydraulic mode
DRAGGING = 1e-9  # change of the share of PID feedback that counts as a blend still running


def legs_of(facts: Facts) -> list[Leg]:
    """The motions: one multisine, with different phases each time."""
    end_hz = min(HIGHEST * facts.rate_hz, ABOVE_MODE * facts.mode_rad_s / (2 * math.pi))
    period_s = round(facts.rate_hz / START_HZ) / facts.rate_hz
    settings = {
        "start_hz": START_HZ, "end_hz": end_hz, "period_s": period_s, "periods": PERIODS, "settle_periods": 1,
        "soft_s": 0.5, "rate_hz": facts.rate_hz,
    }  # fmt: skip
    return [
        Leg(name=f"tuning {seed}", group="tuning", kind="multisine", role="fit", settings={**settings, "seed": seed},
            band_hz=(START_HZ, end_hz), amplitude_m=float(room_of(facts).position_m), seconds=(PERIODS + 1) * period_s)
        for seed in SEEDS
    ]  # fmt: skip


def measure(rig: "Client", facts: Facts, tell: Callable[[str], None] = lambda text: None) -> Measured:
    """Drives the motions and evaluates them. LegFault when the rig cannot be driven; no parameter is changed."""
    ready(rig)
    records: list[Record] = []
    notes: list[str] = []
    for index, leg in enumerate(legs_of(facts)):
        tell(f"measuring, {index + 1} of {len(SEEDS)}")
        driven = drive(rig, leg, facts, CHANNELS)
        notes += driven.notes
        record, tones = record_of(driven.samples, facts.rate_hz).bridged, signal_of(leg, facts, driven.share).made
        records.append(Record(record, driven.begins, tones))
    return measured_of(records, facts, tuple(notes))


class Record(NamedTuple):
    """The samples of one multisine, and where it begins in them."""

    samples: Mapping[str, Any]
    begins: int
    tones: Tones


def measured_of(records: Sequence[Record], facts: Facts, notes: tuple[str, ...] = ()) -> Measured:
    """From records under one parameter set."""
    _check(records)

    def responses(series: Callable[[Record], Any]) -> list[Response]:
        return [
            multisine_response(one.samples["xr_m"] - centre_of(one), series(one), facts.rate_hz, one.tones,
                               begins=one.begins)
            for one in records
        ]  # fmt: skip

    came_back = responses(lambda one: returned(one.samples, facts, centre_of(one)))
    went_out = responses(lambda one: one.samples["u_law"])
    moved = responses(lambda one: one.samples["displacement_m"])
    pressed = responses(lambda one: one.samples["load_pressure_pa"])
    loop = over(came_back, went_out, -1.0)
    late = np.exp(2j * np.pi * loop.hz * float(facts["sensors.displacement.delay_s"]))
    follows = over(moved, None, late)
    return Measured(
        loop, follows, over(pressed, went_out, 1.0), margins_of(loop.hz, without_scatter(loop)),
        bandwidth(follows, reference=1.0), int(records[0].samples["epoch"][0]),
        sum(len(record.samples["tick"]) for record in records) / facts.rate_hz, notes,
    )  # fmt: skip


def centre_of(record: Record) -> float:
    """The mean reference over whole periods: without it the integral term would drift."""
    first = record.begins + record.tones.first
    return float(np.mean(record.samples["xr_m"][first : first + record.tones.periods * record.tones.period]))


def returned(samples: Mapping[str, Any], facts: Facts, centre_m: float) -> Reals:
    """y: the part of the controller's output that came back from the rig through the sensors."""
    from scipy.signal import lfilter

    dt_s = facts.dt_s
    x, v, a = (np.asarray(samples[name], float) for name in ("xd_m", "vd_m_s", "ad_m_s2"))
    x = x - centre_m
    sums = lfilter([dt_s], [1.0, -1.0], x)
    u = np.asarray(samples["u_law"], float) - np.asarray(samples["u_feed"], float)
    if facts["law.feedback"] == "pid":
        fade = math.exp(-2 * math.pi * facts["law.pid.derivative_hz"] * dt_s)
        slope = lfilter([(1 - fade) / dt_s, -(1 - fade) / dt_s], [1.0, -fade], x)
        pid = [float(facts[f"law.pid.{key}"]) for key in ("kp_per_m", "ki_per_m_s", "kd_s_per_m")]
        return np.asarray(u - pid[0] * x - pid[1] * sums - pid[2] * slope)
    kd, ki, kv, ka, kp = (float(facts[f"law.three_state.{key}"]) for key in
                          ("kd_per_m", "ki_per_m_s", "kv_s_per_m", "ka_s2_per_m", "kp_per_mpa"))  # fmt: skip
    keep = math.exp(-2 * math.pi * facts["law.three_state.high_pass_hz"] * dt_s)
    load = np.asarray(samples["pressure_ref_pa"], float)
    swift = load - lfilter([1 - keep], [1.0, -keep], load, zi=[keep * load[0]])[0]
    asked = kd * x + ki * sums + kv * v + ka * a + 1e-6 * kp * swift
    return np.asarray(u - asked)


def over(above: Sequence[Response], below: Sequence[Response] | None, factor: Any) -> Response:
    """The quotient of two responses to one reference, over several records; their scatter gives its error."""
    tops = np.stack([each.gain for each in above])
    bottoms = np.stack([each.gain for each in below]) if below is not None else np.ones_like(tops)
    count = len(tops)
    gain = tops.mean(0) / bottoms.mean(0)
    left = tops - gain * bottoms
    variance = np.sum(np.abs(left) ** 2, 0) / max(count - 1, 1) / count / np.abs(bottoms.mean(0)) ** 2
    explained = np.abs(gain * bottoms.mean(0)) ** 2
    coherence = explained / (explained + variance * count * np.abs(bottoms.mean(0)) ** 2)
    scale = np.abs(factor) ** 2
    freedom = np.full(len(gain), 2.0 * max(count - 1, 1))
    return Response(above[0].hz, gain * factor, variance * scale, freedom, coherence)


def _check(records: Sequence[Record]) -> None:
    epochs = {int(epoch) for record in records for epoch in np.unique(record.samples["epoch"])}
    if len(epochs) > 1:
        raise LegFault(f"parameters changed during the measurement (epochs {sorted(epochs)}); measure again")
    for record in records:
        share = np.asarray(record.samples["pressure_share"], float)
        if float(share.min()) < 1.0:
            raise LegFault(
                "pressure readings were older than law.three_state.pressure_age_s during the measurement, so the "
                "pressure feedback was reduced at times; find what delays them (`hilctl watch`), and measure again"
            )
        other = np.asarray(record.samples["pid_share"], float)
        if float(np.ptp(other)) > DRAGGING:
            raise LegFault("the feedback changed during the measurement; wait law.blend_s, and measure again")
