"""Where a spool stands for an opening: behind its overlap, whose edges may be rounded.

An edge lets through R(z) = (z + sqrt(z² + r²))/2 at z beyond the overlap d, of rounding r; the flow is that of one edge
less that of the other. A spool that gives the opening o stands at the place

    X = (1 - d) o + d S(o)      (1 - d) o = R(X - d) - R(-X - d)

S is the side on which it is: the sign of o where the edges are sharp. Rounded ones open early, so S falls short of it
by r²/(4 d |o|) or so, and turns round within openings of r²/d. Where an overlap is none, rounding changes nothing.
"""

import math

from hilctl.rt.jit import jit

SHARP = 1e-6  # rounding below which an edge counts as sharp
_STEPS = 2  # of Newton's method: the side is then right to 2e-4


@jit()
def rt_spool(opening: float, overlap: float, side: float) -> float:
    """Where a spool with so much overlap stands, for an opening on this side."""
    return opening + overlap * (side - opening)


@jit()
def rt_side(opening: float, overlap: float, rounding: float) -> float:
    """On which side of its overlap a spool is that gives this opening: S, from -1 to 1."""
    return math.copysign(rt_covered(abs(opening), overlap, rounding), opening)


@jit()
def rt_covered(opening: float, overlap: float, rounding: float) -> float:
    """The share of its overlap that a spool has left behind at the size of an opening: S without its sign.

    The place is sought from above, where Newton's method comes down to it without passing it. It begins at the one that
    counts the edge that closes as at null, which is the place at none and at large openings.
    """
    if rounding < SHARP or overlap == 0.0:
        return 1.0
    flow = (1.0 - overlap) * opening
    round2 = rounding * rounding
    edge = flow + 0.5 * round2 / (math.sqrt(overlap * overlap + round2) + overlap)
    place = overlap + edge - 0.25 * round2 / edge
    for _ in range(_STEPS):
        ahead, behind = place - overlap, place + overlap
        root_ahead, root_behind = math.sqrt(ahead * ahead + round2), math.sqrt(behind * behind + round2)
        over = place + 0.5 * (root_ahead - root_behind) - flow
        place -= over / (1.0 + 0.5 * (ahead / root_ahead - behind / root_behind))
    return min(max((place - flow) / overlap, 0.0), 1.0)
