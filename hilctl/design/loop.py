"""The loop as a linear discrete system: is it stable, how much margin has it, and which gains are good.

The plant (valve, oil, mass) is discretised exactly with its command held; the command acts one tick late; displacement
and acceleration arrive late by any fraction of ticks; observer, filters and integrators are the very recursions of the
law. Everything but the gains stands in one open-loop system

    z' = F z + G u,    u = g · (H z)      H z = [ -x^,  -∫x^,  -v^,  -a,  -HP(pL) ]

so the return difference 1 - g · H (zI - F)^-1 G is a product for each frequency: a search over gains costs little.
Margins hold over a family of plants: friction slopes from its steepest fall to its viscous rise, its pre-sliding
(resting.py), mass and bulk modulus 20 % off.
"""

import itertools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hilctl.design.notch_linear import matrices
from hilctl.design.resting import SLIDING, cases
from hilctl.friction import Friction
from hilctl.law.settings import Controller
from hilctl.machine import Machine, hydraulic_damping, hydraulic_frequency, velocity_gain
from hilctl.params import BadValues, Problem, assign

Matrix = npt.NDArray[np.float64]
FEATURES = 5
STATES = 5  # of the plant
NOISES = 3  # of displacement, acceleration and load pressure
COMMAND = 0  # inputs; the noises follow
INPUTS = 1 + NOISES
MARGIN = 2.0  # largest peak of the sensitivity that a design may have over the family
_FREQUENCIES = 240
_HIGHEST = 0.97 * np.pi  # frequency of a response, rad a tick
_AROUND = np.geomspace(0.8, 1.25, 80)  # of a mode: feedback moves it
_CLOSER = 25  # frequencies between the neighbours of one where the sensitivity peaks
_NEARLY = 0.8  # of the largest value on a grid: what lies between two frequencies may still be larger


class Plant(NamedTuple):
    """One member of the family: the machine, and the slope and spring of its friction."""

    machine: Machine
    slope: float
    spring: float
    where: str = SLIDING  # of resting.py, in words


class Margins(NamedTuple):
    """What a design is worth over the family."""

    stable: bool
    peak: float  # largest peak of the sensitivity; inf when unstable
    worst: str  # the plant it belongs to, in words

    @property
    def good(self) -> bool:
        """Stable with the margin kept."""
        return self.stable and self.peak <= MARGIN


class Loop(NamedTuple):
    """The open-loop system of one plant, and its responses over frequency."""

    F: Matrix
    G: Matrix
    H: Matrix
    w: Matrix  # rad/s
    dt: float
    seen: npt.NDArray[np.complex128]  # features over inputs, (frequencies, features, INPUTS)
    moved: npt.NDArray[np.complex128]  # true position over inputs, (frequencies, INPUTS)
    noise: Matrix  # rms of each input that is a sensor's noise, 0 for the others

    @property
    def features(self) -> npt.NDArray[np.complex128]:
        """The features of the command: what the return difference is made of."""
        return self.seen[:, :, COMMAND]


def gains_of(controller: Controller, feedback: str) -> Matrix:
    """The gains of a feedback law, in the order of the features."""
    if feedback == "pid":
        c = controller.law.pid
        return np.array([c.kp_per_m, c.ki_per_m_s, c.kd_s_per_m, 0.0, 0.0])
    t = controller.law.three_state
    return np.array([t.kd_per_m, t.ki_per_m_s, t.kv_s_per_m, t.ka_s2_per_m, t.kp_per_mpa * 1e-6])


def family(machine: Machine, friction: Friction) -> list[Plant]:
    """The plants over which a margin is asked for."""
    out = []
    for mass, oil in itertools.product((0.8, 1.0, 1.2), repeat=2):
        varied = _changed(machine, m=machine.m * mass if mass != 1.0 else machine.m, beta=machine.beta * oil)
        out += rubbing(varied, friction)
    return out


def rubbing(machine: Machine, friction: Friction) -> list[Plant]:
    """What friction makes of one machine: it slides, falls as steeply as anywhere, or stands as a spring."""
    return [Plant(machine, case.slope, case.spring, case.where) for case in cases(machine, friction)]


def _changed(machine: Machine, **values: float) -> Machine:
    fields = {name: getattr(machine, name) for name in machine.__struct_fields__}
    return Machine(**{**fields, **values})


def _plant_matrices(plant: Plant) -> tuple[Matrix, Matrix]:
    """States: position, velocity, load pressure, spool, spool rate."""
    k = plant.machine
    oil = 4 * k.beta / k.Vt
    a = np.zeros((STATES, STATES))
    a[0, 1] = 1.0
    a[1] = [-(k.K + plant.spring) / k.m, -(k.B + plant.slope) / k.m, k.A / k.m, 0.0, 0.0]
    a[2, 1:4] = [-oil * k.A, -oil * (k.Ctc + k.Kc), oil * k.Qn]
    a[3, 4] = 1.0
    a[4, 3:5] = [-k.wv**2, -2 * k.zv * k.wv]
    b = np.zeros((STATES, 1))
    b[4] = k.wv**2
    return a, b


def frequencies(dt: float) -> Matrix:
    """From far below the integral on, even in the logarithm, in rad/s."""
    return np.geomspace(0.02, _HIGHEST / dt, _FREQUENCIES)


def with_mode(w: Matrix, plant: Plant, dt: float) -> Matrix:
    """These frequencies, and as many about the plant's mode, so that no lightly damped peak falls between two.

    Of every plant alike many, so that responses can be stacked.
    """
    poles = np.linalg.eigvals(_plant_matrices(plant)[0][:3, :3])  # of the table on its oil
    mode = max(poles, key=lambda pole: (pole.imag > 0, abs(pole)))
    return np.sort(np.concatenate([w, min(float(abs(mode)), _HIGHEST / dt / _AROUND[-1]) * _AROUND]))


def _held(a: Matrix, b: Matrix, dt: float) -> tuple[Matrix, Matrix]:
    from scipy.linalg import expm

    n = len(a)
    both = np.zeros((n + 1, n + 1))
    both[:n, :n], both[:n, n:] = a * dt, b * dt
    e = expm(both)
    return e[:n, :n], e[:n, n:]


def _scaled(a: Matrix, b: Matrix) -> tuple[Matrix, Matrix, Matrix]:
    scale = np.array([1e-3, 0.1, 1e6, 0.1, 50.0])
    return a * scale / scale[:, None], b / scale[:, None], scale


def open_loop(plant: Plant, controller: Controller, dt: float, feedback: str, w: Matrix | None = None) -> Loop:
    """The system above for one plant; `w`: the frequencies of its responses, rad/s."""
    late = max(controller.sensors.displacement.delay_s, controller.sensors.acceleration.delay_s)
    behind = int(np.ceil(late / dt - 1e-9))
    a, b, scale = _scaled(*_plant_matrices(plant))
    phi, gamma = _held(a, b, dt)
    early_phi, early_gamma = _held(a, b, behind * dt - late) if behind else (np.eye(STATES), np.zeros((STATES, 1)))
    see_x = np.eye(STATES)[0] * scale[0]
    see_a = a[1] * scale[1]
    see_p = np.eye(STATES)[2] * scale[2]
    lines = behind
    # z: plant, command on its way, delayed x and a, then the sensors' noise, x^, v^, b, ∫x^, slow pressure, notches
    wire = STATES
    first = wire + 1
    hiss = first + 2 * lines
    at = hiss + NOISES
    notch_a, notch_b, notch_c, notch_d = matrices(controller.law, dt)
    notches = at + 5
    n = notches + len(notch_a)
    F, G = np.zeros((n, n)), np.zeros((n, 1))
    F[:wire, :wire], F[:wire, wire : wire + 1] = phi, gamma
    F[wire, notches:], F[notches:, notches:] = notch_c, notch_a
    G[wire], G[notches:, 0] = notch_d, notch_b
    # what is measured now, `late` behind: from the states `behind` ticks ago, carried on by the fraction of a tick
    now_x, now_a = np.zeros(n), np.zeros(n)
    early_x, early_a = np.zeros(n), np.zeros(n)
    early_x[:wire], early_x[wire] = see_x @ early_phi, (see_x @ early_gamma)[0]
    early_a[:wire], early_a[wire] = see_a @ early_phi, (see_a @ early_gamma)[0]
    if lines:
        F[first], F[first + lines] = early_x, early_a
        for i in range(1, lines):
            F[first + i, first + i - 1] = 1.0
            F[first + lines + i, first + lines + i - 1] = 1.0
        now_x[first + lines - 1] = 1.0
        now_a[first + 2 * lines - 1] = 1.0
    else:
        now_x, now_a = early_x, early_a
    now_x, now_a = now_x.copy(), now_a.copy()
    now_x[hiss], now_a[hiss + 1] = 1.0, 1.0
    _observer(F, now_x, now_a, at, controller, dt, n)
    slow = at + 4
    corner = controller.law.three_state.high_pass_hz
    keep = np.exp(-2 * np.pi * corner * dt)
    now_p = np.zeros(n)
    now_p[:STATES], now_p[hiss + 2] = see_p, 1.0
    F[slow] = (1 - keep) * now_p
    F[slow, slow] = keep
    H = np.zeros((FEATURES, n))
    H[0], H[1], H[2] = F[at], F[at + 3], F[at + 1]
    H[3], H[4] = now_a, now_p - F[slow]
    if feedback == "pid":
        H[2] = _derivative(H[0], at, dt)
    H = -H
    inputs = np.zeros((n, INPUTS))
    inputs[:, COMMAND] = G[:, 0]
    inputs[hiss : hiss + NOISES, COMMAND + 1 :] = np.eye(NOISES)
    sensors = controller.sensors
    both = np.hypot(sensors.pressure_a.noise, sensors.pressure_b.noise)
    noise = np.array([0.0, sensors.displacement.noise, sensors.acceleration.noise, both])
    w = frequencies(dt) if w is None else w
    z = np.exp(1j * w * dt)
    spread = np.broadcast_to(inputs, (len(w), n, INPUTS)).astype(complex)
    solved: npt.NDArray[np.complex128] = np.linalg.solve(z[:, None, None] * np.eye(n) - F, spread)
    seen: npt.NDArray[np.complex128] = H @ solved
    return Loop(F, G, H, w, dt, seen, scale[0] * solved[:, 0, :], noise)


def _observer(F: Matrix, now_x: Matrix, now_a: Matrix, at: int, controller: Controller, dt: float, n: int) -> None:
    """Rows of the observer after the readings of the tick, in terms of the state before it; see estimate.py."""
    q = np.exp(-2 * np.pi * controller.law.estimator.bandwidth_hz * dt)
    e = np.eye(n)
    predicted_x = e[at] + dt * (e[at + 1] + dt * (0.5 * now_a + 0.5 * e[at + 2]))
    predicted_v = e[at + 1] + dt * (now_a + e[at + 2])
    r = now_x - predicted_x
    F[at] = predicted_x + (1 - q**3) * r
    F[at + 1] = predicted_v + 1.5 * (1 - q**2) * (1 - q) / dt * r
    F[at + 2] = e[at + 2] + (1 - q) ** 3 / dt**2 * r
    F[at + 3] = e[at + 3] + dt * F[at]


def _derivative(position: Matrix, at: int, dt: float) -> Matrix:
    """The PID's derivative of the error, its filter left out: what it filters lies above the crossover."""
    before = np.zeros_like(position)
    before[at] = 1.0
    return (position - before) / dt


def refuse_unstable(controller: Controller, friction: Friction, dt: float) -> None:
    """BadValues when the active feedback does not even stabilise the nominal plant."""
    law = controller.law.feedback
    if law == "rig":
        return  # its loop is not ours
    plant = Plant(controller.machine, friction.params.viscous, 0.0)
    stable = _stabilises(controller, plant, dt, law)
    if law == "three_state" and stable and not _stabilises(_bare(controller), plant, dt, law):
        raise BadValues([Problem("law.three_state.kp_per_mpa", controller.law.three_state.kp_per_mpa,
                                 "the nominal plant is unstable without this term, which is faded out where pressures "
                                 "are older than law.three_state.pressure_age_s",
                                 "lower law.three_state.kd_per_m; `hilctl tune` computes gains that hold")])
    if not stable:
        key = "law.pid.kp_per_m" if law == "pid" else "law.three_state.kd_per_m"
        value = controller.law.pid.kp_per_m if law == "pid" else controller.law.three_state.kd_per_m
        raise BadValues([Problem(key, value, f"is unstable with the other gains of law.{law} on the nominal plant",
                                 "`hilctl tune` computes gains that hold")])


def _stabilises(controller: Controller, plant: Plant, dt: float, feedback: str) -> bool:
    """Whether the gains do; without a response over frequency, which is dear."""
    return is_stable(open_loop(plant, controller, dt, feedback, np.empty(0)), gains_of(controller, feedback))


def _closed(loop: Loop, gains: Matrix) -> npt.NDArray[np.complex128]:
    """True position over inputs, with the loop closed."""
    back = (1 - loop.features @ gains)[:, None]
    made: npt.NDArray[np.complex128] = loop.moved + loop.moved[:, COMMAND, None] * (gains @ loop.seen) / back
    return made


def ripple(loop: Loop, gains: Matrix) -> float:
    """The table's own speed, rms, that the sensors' noise makes, m/s."""
    return float(np.sqrt(np.trapezoid(loop.w**2 * shaken(loop, gains), loop.w) * loop.dt / np.pi))


def shaken(loop: Loop, gains: Matrix) -> Matrix:
    """The power of the table's own position that the sensors' noise makes, as if white noise of this variance."""
    return np.asarray((np.abs(_closed(loop, gains) * loop.noise) ** 2).sum(axis=1))


def peak_of(loop: Loop, gains: Matrix) -> float:
    """The peak of the sensitivity at the frequencies of the loop; means something for a stable loop only."""
    return float(_sensitivity(loop, gains).max())


def _sensitivity(loop: Loop, gains: Matrix) -> Matrix:
    return np.asarray(1 / np.abs(1 - loop.features @ gains))


def about_peaks(loop: Loop, gains: Matrix) -> Matrix:
    """Frequencies, rad/s, between the neighbours of those at which the sensitivity has its largest peaks."""
    seen, w = _sensitivity(loop, gains), loop.w
    middle = seen[1:-1]
    tops = np.flatnonzero((middle >= seen[:-2]) & (middle >= seen[2:]) & (middle > _NEARLY * seen.max()))
    return np.linspace(w[tops], w[tops + 2], _CLOSER).ravel()


def is_stable(loop: Loop, gains: Matrix) -> bool:
    """Whether every pole of the closed loop lies in the unit circle."""
    return are_stable([loop], gains)


def are_stable(loops: Sequence[Loop], gains: Matrix) -> bool:
    """Whether every closed loop is stable; all have the same states."""
    closed = np.stack([loop.F + loop.G @ (gains @ loop.H)[None, :] for loop in loops])
    lasting = closed.any(axis=(0, 2))  # the sensors' noise is gone after a tick: its poles are 0
    poles = np.linalg.eigvals(closed[:, lasting][:, :, lasting])
    return bool(np.abs(poles).max() < 1 + 1e-9)


def margins(controller: Controller, friction: Friction, dt: float, feedback: str | None = None,
            *, nominal_only: bool = False, plants: "list[Plant] | None" = None) -> Margins:
    """The margins of the active gains over the family (or `plants`), or for the nominal plant alone.

    A peak is true within 1 %: it is looked for about the plant's mode, and looked at again from close by.
    """
    law = feedback or controller.law.feedback
    gains = gains_of(controller, law)
    sigma = friction.params.viscous
    if nominal_only:
        plants = [Plant(controller.machine, sigma, 0.0)]
    elif plants is None:
        plants = family(controller.machine, friction)
    worst = Margins(True, 0.0, "")
    for plant in plants:
        loop = open_loop(plant, controller, dt, law, with_mode(frequencies(dt), plant, dt))
        if not is_stable(loop, gains):
            return Margins(False, float("inf"), in_words(plant))
        peak = peak_of(loop, gains)
        if len(closer := about_peaks(loop, gains)):
            peak = max(peak, peak_of(open_loop(plant, controller, dt, law, closer), gains))
        if peak > worst.peak:
            worst = Margins(True, peak, in_words(plant))
    return worst


def without_pressure(controller: Controller, friction: Friction, dt: float, *, nominal_only: bool = False) -> Margins:
    """The margins of three-variable control while its dynamic-pressure term is faded out (freshness.py)."""
    return margins(_bare(controller), friction, dt, "three_state", nominal_only=nominal_only)


def _bare(controller: Controller) -> Controller:
    return assign(controller, {"law.three_state.kp_per_mpa": 0.0})


def in_words(plant: Plant) -> str:
    """One member of the family, for a message."""
    spring = f", spring {plant.spring:.3g} N/m" if plant.spring else ""
    where = f" {plant.where}," if plant.where else ""
    return (f"m = {plant.machine.m:.4g} kg, beta = {plant.machine.beta:.3g} Pa,{where} "
            f"friction slope {plant.slope:.4g} N·s/m{spring}")


def placed(machine: Machine, viscous: float, p: float, wc: float, zc: float) -> Matrix:
    """Gains that put the poles of the delay-free loop at (s + p)(s² + 2 zc wc s + wc²)."""
    wh, zh, speed = hydraulic_frequency(machine), hydraulic_damping(machine, viscous), velocity_gain(machine)
    return np.array([
        p * wc**2 / (speed * wh**2),
        0.0,
        ((wc**2 + 2 * zc * wc * p) / wh**2 - 1) / speed,
        (p + 2 * zc * wc - 2 * zh * wh) / (speed * wh**2),
        0.0,
    ])

