"""The loop that a set of gains makes with a machine: margins at all corners, and how fast the table follows.

The loop is cut at the opening that the controller requests (u_law): L is what comes back through notches, valve, oil,
mass, sensors, observer and feedback. The table follows its reference as

    x/xr = P (U_ff + C_r) / (1 + L)

with P the position for an opening, U_ff the feed-forward and C_r the feedback's response to its references. With a good
feed-forward the table follows above the frequencies at which the feedback still acts; so the crossover is given too.
"""

from typing import Any, NamedTuple

import numpy as np

from hilctl.design.known import Known
from hilctl.design.loop import COMMAND, Loop, Plant, gains_of, is_stable, open_loop
from hilctl.design.margins import Margins, margins_of
from hilctl.friction import Friction
from hilctl.law.feed import LINEAR, rt_feed_prepare
from hilctl.law.settings import Controller, pack_settings
from hilctl.params import assign
from hilctl.results.response import Complexes, Reals

LINES = 1500
CORNER_LINES = 500
LOWEST_HZ = 0.2


class Prediction(NamedTuple):
    """For one kind of feedback."""

    stable: bool
    nominal: Margins | None  # None when unstable
    worst: Margins | None  # each margin by itself, over the corners
    corner: str  # with the least modulus margin, or an unstable one
    crossover_hz: float  # the first at which |L| has fallen to 1
    minus_3_db_hz: float  # of x/xr; infinite when it stays within 3 dB
    minus_90_deg_hz: float
    position_gain_per_s: float
    hz: Reals
    loop: Complexes
    follows: Complexes  # x/xr


def predict(known: Known, friction: Friction, dt_s: float, feedback: str) -> Prediction:
    """For the gains of the known controller. The table slides: friction has its viscous slope."""
    controller, sigma = known.controller, friction.params.viscous
    w = frequencies(dt_s)
    gains = gains_of(controller, feedback)
    nominal: Loop | None = None
    seen: list[Margins] = []
    corner, least = "", np.inf
    for text, machine in known.corners():
        at = w if nominal is None else frequencies(dt_s, CORNER_LINES)
        loop = open_loop(Plant(machine, sigma, 0.0), controller, dt_s, feedback, at)
        if nominal is None:
            nominal = loop
        if not is_stable(loop, gains):
            corner = text
            seen = []
            break
        seen.append(margins_of(at / (2 * np.pi), transfer_of(loop, gains)))
        if seen[-1].modulus < least:
            corner, least = text, seen[-1].modulus
    assert nominal is not None
    back = transfer_of(nominal, gains)
    follows = following(nominal, controller, friction, dt_s, feedback)
    hz = w / (2 * np.pi)
    return Prediction(
        bool(seen), seen[0] if seen else None, _worst(seen) if seen else None, corner, falls(hz, back, 0.0),
        falls(hz, follows), lags(hz, follows), float(gains[0] * controller.machine.Qn / controller.machine.A),
        hz, back, follows,
    )  # fmt: skip


def frequencies(dt_s: float, lines: int = LINES) -> Reals:
    """In rad/s, evenly spaced in the logarithm: from far below the integral to the Nyquist frequency."""
    return np.geomspace(2 * np.pi * LOWEST_HZ, 0.97 * np.pi / dt_s, lines)


def transfer_of(loop: Loop, gains: Reals) -> Complexes:
    """L."""
    return np.asarray(-(loop.features @ gains))


def _worst(seen: list[Margins]) -> Margins:
    rise, fall = min(seen, key=lambda m: m.rise_db), min(seen, key=lambda m: m.fall_db)
    phase, modulus = min(seen, key=lambda m: m.phase_deg), min(seen, key=lambda m: m.modulus)
    return Margins(rise.rise_db, rise.rise_hz, fall.fall_db, fall.fall_hz, phase.phase_deg, phase.phase_hz,
                   modulus.modulus, modulus.modulus_hz)  # fmt: skip


def following(loop: Loop, controller: Controller, friction: Friction, dt_s: float, feedback: str) -> Complexes:
    """x/xr of a stable loop; the feed-forward uses the controller's own machine. Of a PID it is the inverse model's."""
    outside = reference_terms(loop.w, controller, friction, dt_s, feedback)
    fed = 1.0 if feedback == "three_state" else controller.law.feed.inverse
    outside = outside + fed * feed_terms(loop.w, controller, friction, dt_s)
    back = transfer_of(loop, gains_of(controller, feedback))
    return np.asarray(loop.moved[:, COMMAND] * outside / (1 + back))


def feed_terms(w: Reals, controller: Controller, friction: Friction, dt_s: float) -> Complexes:
    """Opening from the linear feed-forward for a metre of reference."""
    c, s = _feed(controller, friction, dt_s), 1j * w
    ahead = np.exp(s * c.preview_ticks * dt_s)
    return np.asarray((c.c_x + c.c_v * s + c.c_a * s**2 + c.c_j * s**3) * ahead)


def reference_terms(w: Reals, controller: Controller, friction: Friction, dt_s: float, feedback: str) -> Complexes:
    """Opening from the feedback for a metre of reference: C_r."""
    s, back = 1j * w, np.exp(-1j * w * dt_s)
    sensors, law = controller.sensors, controller.law
    late = np.exp(-s * max(sensors.displacement.delay_s, sensors.acceleration.delay_s))
    if feedback == "pid":
        pid = law.pid
        fade = np.exp(-2 * np.pi * pid.derivative_hz * dt_s)
        slope = (1 - fade) * (1 - back) / dt_s / (1 - fade * back)
        return np.asarray(late * (pid.kp_per_m + pid.ki_per_m_s * dt_s / (1 - back) + pid.kd_s_per_m * slope))
    t, c = law.three_state, _feed(controller, friction, dt_s)
    of_motion = t.kd_per_m + t.ki_per_m_s * dt_s / (1 - back) + t.kv_s_per_m * s + t.ka_s2_per_m * s**2
    load = c.p_x + (c.p_v + c.p_f * friction.params.viscous) * s + c.p_a * s**2
    return np.asarray(late * of_motion + t.kp_per_mpa * 1e-6 * high_pass(back, t.high_pass_hz, dt_s) * load)


def high_pass(back: Complexes, corner_hz: float, dt_s: float) -> Complexes:
    """Of the pressure term; `back`: a delay of one tick."""
    keep = np.exp(-2 * np.pi * corner_hz * dt_s)
    return np.asarray(1 - (1 - keep) / (1 - keep * back))


def _feed(controller: Controller, friction: Friction, dt_s: float) -> Any:
    settings = pack_settings(controller, friction, dt_s, 1)
    made = np.zeros(1, LINEAR)[0]
    prepare = getattr(rt_feed_prepare, "plain", rt_feed_prepare)
    prepare(settings.machine, settings.friction.viscous, settings.law.feed, dt_s, made)
    return made


def falls(hz: Reals, follows: Complexes, drop_db: float = 3.0) -> float:
    """The first frequency at which a response is this far below 1; infinite when there is none."""
    return _first(hz, 20 * np.log10(np.maximum(np.abs(follows), 1e-12)) + drop_db)


def lags(hz: Reals, follows: Complexes, lag_deg: float = 90.0) -> float:
    """The first frequency at which it lags by this much; infinite when there is none."""
    return _first(hz, np.rad2deg(np.unwrap(np.angle(follows))) + lag_deg)


def _first(hz: Reals, above: Reals) -> float:
    below = np.flatnonzero(above < 0)
    if not len(below):
        return float("inf")
    k = int(below[0])
    if k == 0:
        return float(hz[0])
    return float(hz[k - 1] + (hz[k] - hz[k - 1]) * above[k - 1] / (above[k - 1] - above[k]))


def with_gains(known: Known, values: dict[str, float]) -> Known:
    """The same machine under other gains."""
    return known._replace(controller=assign(known.controller, values))
