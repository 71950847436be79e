"""Joints closed again: positions and speeds of the pendulum brought back to where its constraints hold.

The accelerations keep the joints closed; a numerical solution of them drifts. Both corrections are the smallest ones in
the metric of the masses,

    δq = -M⁻¹ Φqᵀ (Φq M⁻¹ Φqᵀ)⁻¹ Φ           δv = -M⁻¹ Φqᵀ (Φq M⁻¹ Φqᵀ)⁻¹ Φ'

one Newton step each: what it leaves is the square of the drift. Only the turns take a solution for this, with the
levers h and k of `inertia.py`; the links' centres then go where that closes the joints. The table stays where it is.

Correcting changes the energy a little, always in the same sense as far as speeds go; so the speeds relative to the
table, which the constraints leave free to be scaled, are then scaled to give back exactly what was taken. At rest there
is nothing to scale, and nothing drifts.
"""

from typing import Any

from hilctl.rt.jit import jit
from sim.specimens.near import rt_sin_cos
from sim.specimens.record import TURN1, TURN2, VX1, VX2, VY1, VY2, W1, W2, X1, X2, Y1, Y2

_MOST = 1e-6  # relative scaling of speeds; more would mean that the motion is too slow to carry the energy


@jit()
def rt_project_pendulum(spec: Any, y: Any, v_table: float) -> None:
    """Closes the joints, energy-neutral."""
    link1, link2 = spec.link1, spec.link2
    a1, b1, a2 = link1.a, link1.b, link2.a
    s1, c1 = rt_sin_cos(link1.turn, y[TURN1])
    s2, c2 = rt_sin_cos(link2.turn, y[TURN2])
    h1, k1, h2 = spec.firm.h1, spec.firm.k1, spec.firm.h2
    inner, outer, cross = link1.J + a1 * h1 + b1 * k1, link2.J + a2 * h2, h2 * (a1 + b1) * (c1 * c2 + s1 * s2)
    over = 1.0 / (inner * outer - cross * cross)

    g1x, g1y = y[X1] - a1 * s1, y[Y1] + a1 * c1 - spec.pivot
    g2x, g2y = y[X2] - a2 * s2 - y[X1] - b1 * s1, y[Y2] + a2 * c2 - y[Y1] + b1 * c1
    z1 = c1 * (h1 * g1x + k1 * g2x) + s1 * (h1 * g1y + k1 * g2y)
    z2 = h2 * (c2 * (g1x + g2x) + s2 * (g1y + g2y))
    dt1, dt2 = over * (outer * z1 - cross * z2), over * (inner * z2 - cross * z1)
    dx1, dy1 = a1 * c1 * dt1 - g1x, a1 * s1 * dt1 - g1y
    dx2, dy2 = dx1 + (b1 * c1 * dt1 + a2 * c2 * dt2 - g2x), dy1 + (b1 * s1 * dt1 + a2 * s2 * dt2 - g2y)
    y[X1], y[Y1], y[TURN1] = y[X1] + dx1, y[Y1] + dy1, y[TURN1] + dt1
    y[X2], y[Y2], y[TURN2] = y[X2] + dx2, y[Y2] + dy2, y[TURN2] + dt2
    # n after the small turn
    c1, s1, c2, s2 = c1 - s1 * dt1, s1 + c1 * dt1, c2 - s2 * dt2, s2 + c2 * dt2

    g1x, g1y = y[VX1] - a1 * c1 * y[W1] - v_table, y[VY1] - a1 * s1 * y[W1]
    g2x = y[VX2] - a2 * c2 * y[W2] - y[VX1] - b1 * c1 * y[W1]
    g2y = y[VY2] - a2 * s2 * y[W2] - y[VY1] - b1 * s1 * y[W1]
    z1 = c1 * (h1 * g1x + k1 * g2x) + s1 * (h1 * g1y + k1 * g2y)
    z2 = h2 * (c2 * (g1x + g2x) + s2 * (g1y + g2y))
    ut1, ut2 = over * (outer * z1 - cross * z2), over * (inner * z2 - cross * z1)
    ux1, uy1 = a1 * c1 * ut1 - g1x, a1 * s1 * ut1 - g1y
    ux2, uy2 = ux1 + (b1 * c1 * ut1 + a2 * c2 * ut2 - g2x), uy1 + (b1 * s1 * ut1 + a2 * s2 * ut2 - g2y)
    vx1, vy1, w1 = y[VX1] + ux1, y[VY1] + uy1, y[W1] + ut1
    vx2, vy2, w2 = y[VX2] + ux2, y[VY2] + uy2, y[W2] + ut2

    gained = spec.gravity * (link1.m * dy1 + link2.m * dy2)
    gained += link1.m * ((vx1 - 0.5 * ux1) * ux1 + (vy1 - 0.5 * uy1) * uy1) + link1.J * (w1 - 0.5 * ut1) * ut1
    gained += link2.m * ((vx2 - 0.5 * ux2) * ux2 + (vy2 - 0.5 * uy2) * uy2) + link2.J * (w2 - 0.5 * ut2) * ut2
    rx1, rx2 = vx1 - v_table, vx2 - v_table
    carried = link1.m * (rx1 * vx1 + vy1 * vy1) + link1.J * w1 * w1
    carried += link2.m * (rx2 * vx2 + vy2 * vy2) + link2.J * w2 * w2
    scale = -gained / carried if abs(gained) < _MOST * abs(carried) else 0.0
    y[VX1], y[VY1], y[W1] = vx1 + scale * rx1, vy1 + scale * vy1, w1 + scale * w1
    y[VX2], y[VY2], y[W2] = vx2 + scale * rx2, vy2 + scale * vy2, w2 + scale * w2
