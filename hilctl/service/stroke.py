"""The stroke, as the reading is converted by the rig file at the start: no zero and no gain shifts it.

With reading r, the position in use is x = g (r - o), and the unshifted one x0 = g0 (r - o0). A limit of x0 is one of
x = g (x0/g0 + o0 - o).
"""

from typing import Any, NamedTuple

from hilctl.law.motions import MotionLimits, MotionRefused
from hilctl.law.settings import Controller


class Shift(NamedTuple):
    """From the position in use to the unshifted one, and back."""

    gain: float
    offset: float
    gain_at_start: float
    offset_at_start: float

    @property
    def any(self) -> bool:
        """Whether the two differ at all."""
        return (self.gain, self.offset) != (self.gain_at_start, self.offset_at_start)

    def unshifted(self, x: float) -> float:
        """Where the table stands by the conversion of the start."""
        return self.gain_at_start * (x / self.gain + self.offset - self.offset_at_start)

    def in_use(self, x0: float) -> float:
        """The position in use of an unshifted one."""
        return self.gain * (x0 / self.gain_at_start + self.offset_at_start - self.offset)


def shift_between(start: Controller, now: Controller) -> Shift:
    """What has become of displacement since the start."""
    first, last = start.sensors.displacement, now.sensors.displacement
    return Shift(last.gain, last.offset, first.gain, first.offset)


def unshifted_limits(limits: MotionLimits, shift: Shift) -> MotionLimits:
    """The same limits of motion, but of the stroke by the unshifted reading."""
    low, high = shift.in_use(limits.x_min_m), shift.in_use(limits.x_max_m)
    return MotionLimits(
        x_min_m=low, x_max_m=high, velocity_m_s=limits.velocity_m_s, acceleration_m_s2=limits.acceleration_m_s2,
        stop_m_s2=limits.stop_m_s2, stop_m_s3=limits.stop_m_s3, reaction_s=limits.reaction_s, shaping=limits.shaping,
    )  # fmt: skip


class PassesStroke(MotionRefused):
    """A motion that passes a limit of the stroke by the unshifted reading alone."""

    def __init__(self, shift: Shift, **refused: Any) -> None:
        self.shift = shift
        super().__init__(**refused)

    @classmethod
    def of(cls, refused: MotionRefused, shift: Shift) -> MotionRefused:
        """What the check of the unshifted stroke refused, by that reading."""
        if not refused.key.startswith("limits.position"):
            return refused
        return cls(
            shift, quantity=refused.quantity, unit=refused.unit, t_s=refused.t_s, value=shift.unshifted(refused.value),
            limit=shift.unshifted(refused.limit), key=refused.key,
            remedy="reduce the motion, or put the correction into the rig file and restart",
        )  # fmt: skip

    def __str__(self) -> str:
        shift = self.shift
        return (
            f"{self.key}: the table would reach {self.value:.6g} m at t = {self.t_s:.4f} s by the unshifted reading, "
            f"the limit is {self.limit:.6g} m; since the start sensors.displacement was changed from offset "
            f"{shift.offset_at_start:.6g} m, gain {shift.gain_at_start:.6g} to offset {shift.offset:.6g} m, gain "
            f"{shift.gain:.6g}, which shifts the stroke; {self.remedy}"
        )
