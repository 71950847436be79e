"""The cylinder: four orifices, two chambers, and the forces on the mass.

An edge of the spool opens by o(s) for an opening s, and leaks at null: o(s) = (s + sqrt(s^2 + 4 e^2))/2, so that
o(s) - o(-s) = s exactly and o(0) = e. With k = Qn / sqrt(Ps/2), Qn the no-load flow at full opening and Ps, and
r(d) = sgn(d) sqrt|d|, laminar (a cubic that joins with its slope) below a small drop:

    QA = k [o(s) r(ps - pA) - o(-s) r(pA)]              supply to A, A to tank (0 Pa: pressures are gauge)
    QB = k [o(-s) r(ps - pB) - o(s) r(pB)]
    pA' = beta/VA (QA - A v - Ctc (pA - pB))            VA = Vt/2 + A x
    pB' = beta/VB (QB + A v + Ctc (pA - pB))            VB = Vt/2 - A x
    m v' = A (pA - pB) - B v - K x - m g - stop(x, v) - friction

At null both edges of a chamber leak alike, which draws pA + pB to ps and gives the valve Kc = Qn e / Ps.
"""

import math
from typing import Any

import numpy as np

from hilctl.machine import GRAVITY
from hilctl.params import record_of
from hilctl.rt.jit import jit

CYLINDER: "np.dtype[Any]" = record_of(
    [
        ("A", np.float64),
        ("half", np.float64),  # Vt/2
        ("least", np.float64),  # volume that no chamber falls below, however far the table rams an end stop
        ("beta", np.float64),
        ("Ctc", np.float64),
        ("k", np.float64),
        ("edge", np.float64),  # 4 e^2
        ("laminar", np.float64),
        ("steep", np.float64),  # 1/sqrt(laminar)
        ("m", np.float64),
        ("per_mass", np.float64),
        ("B", np.float64),
        ("K", np.float64),
        ("weight", np.float64),  # m g on a vertical axis, else 0
        ("stroke", np.float64),
        ("stop_stiffness", np.float64),
        ("stop_damping", np.float64),
        ("vapour", np.float64),
    ]
)


def cylinder_record(config: Any) -> Any:
    """The cylinder's constants from the twin's table."""
    machine, own, valve = config.machine, config.cylinder, config.valve
    out = np.zeros(1, CYLINDER)[0]
    out.A, out.half, out.beta, out.Ctc = machine.A, machine.Vt / 2, machine.beta, machine.Ctc
    out.least = 0.01 * out.half
    out.k = machine.Qn / math.sqrt(machine.Ps / 2)
    out.edge = 4 * max(valve.null_leakage, machine.Kc * machine.Ps / machine.Qn) ** 2
    out.laminar, out.steep = valve.laminar_pa, 1 / math.sqrt(valve.laminar_pa)
    out.m, out.per_mass, out.B, out.K = machine.m, 1 / machine.m, machine.B, machine.K
    out.weight = machine.m * GRAVITY if machine.vertical else 0.0
    frequency = 2 * math.pi * own.end_stop_hz
    out.stroke, out.vapour = machine.stroke_m, own.vapour_pa
    out.stop_stiffness = machine.m * frequency**2
    out.stop_damping = 2 * own.end_stop_damping * machine.m * frequency
    return out


@jit()
def rt_root(c: Any, drop: float) -> float:
    """r(d)."""
    if drop > c.laminar:
        return math.sqrt(drop)
    if drop < -c.laminar:
        return -math.sqrt(-drop)
    share = drop / c.laminar
    laminar: float = drop * c.steep * (1.25 - 0.25 * share * share)
    return laminar


@jit()
def rt_edges(c: Any, opening: float) -> tuple[float, float]:
    """k o(s) and k o(-s)."""
    root = math.sqrt(opening * opening + c.edge)
    return 0.5 * c.k * (root + opening), 0.5 * c.k * (root - opening)


@jit()
def rt_pressure_rates(
    c: Any, ps: float, edge: float, counter: float, pa: float, pb: float, x: float, v: float
) -> tuple[float, float]:
    """pA' and pB', for the edges k o(s) and k o(-s)."""
    flow_a = edge * rt_root(c, ps - pa) - counter * rt_root(c, pa)
    flow_b = counter * rt_root(c, ps - pb) - edge * rt_root(c, pb)
    displaced = c.A * v + c.Ctc * (pa - pb)
    swept = c.A * x
    volume_a, volume_b = max(c.half + swept, c.least), max(c.half - swept, c.least)
    return c.beta / volume_a * (flow_a - displaced), c.beta / volume_b * (flow_b + displaced)


@jit()
def rt_supply_flow(c: Any, ps: float, edge: float, counter: float, pa: float, pb: float) -> float:
    """What the valve draws from the supply."""
    return edge * rt_root(c, ps - pa) + counter * rt_root(c, ps - pb)


@jit()
def rt_stop_force(c: Any, x: float, v: float) -> float:
    """What an end stop pushes back with: it never pulls."""
    push: float = 0.0
    if x > c.stroke:
        push = max(c.stop_stiffness * (x - c.stroke) + c.stop_damping * v, 0.0)
    elif x < -c.stroke:
        push = min(c.stop_stiffness * (x + c.stroke) + c.stop_damping * v, 0.0)
    return push


@jit()
def rt_drive(c: Any, pa: float, pb: float, x: float, v: float) -> float:
    """Everything that acts on the mass except friction."""
    drive: float = c.A * (pa - pb) - c.B * v - c.K * x - c.weight - rt_stop_force(c, x, v)
    return drive
