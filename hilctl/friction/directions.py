"""One parameter set a direction: measured curves are seldom symmetric, since the seals are not.

A model that has them keeps the words of the positive direction first in its packed parameters, and those of the
negative one behind; what the rig file does not say of the negative direction is as in the positive.
"""


from hilctl.friction.model import Law
from hilctl.rt.jit import jit


def both(law: Law, names: tuple[str, ...]) -> list[float]:
    """The words of either direction, from a table with a sub-table `negative`."""
    forward = [float(getattr(law, name)) for name in names]
    own = [getattr(law.negative, name) for name in names]  # type: ignore[attr-defined]
    return forward + [value if other is None else float(other) for value, other in zip(forward, own, strict=True)]


@jit()
def rt_side(direction: float, width: int) -> int:
    """Where the words of a direction begin."""
    return 0 if direction >= 0.0 else width
