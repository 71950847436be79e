"""An external reference: positions that this program sends while the table moves.

with Client() as rig:
    reference = External(rig, interval_s=0.01, buffer_s=0.2)
    for position_m in model():
        reference.feed([position_m])
    reference.feed([], last=True)
    rig.wait(reference.motion)
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hilctl.client.client import Client
from hilctl.wire.op import MAX_CHUNK


class Fed(NamedTuple):
    """What the service has of it by now."""

    next: int  # position that comes next
    ahead_s: float  # for how long the motion can go on without more
    delay_s: float  # after which the next position is the reference


class External:
    """The motion `external`: it begins once `buffer_s` of positions have come, at the place where the table is held.

    A motion that runs dry decelerates and holds (`wait` says `dry`): send before `ahead_s` is over.
    """

    def __init__(self, rig: Client, interval_s: float, buffer_s: float = 0.1) -> None:
        self._rig = rig
        self.motion = rig.track("external", interval_s=interval_s, buffer_s=buffer_s)
        self.fed = Fed(0, 0.0, 0.0)

    def feed(self, positions_m: "Sequence[float] | npt.NDArray[Any]", *, last: bool = False) -> Fed:
        """More positions, each an interval after the one before. Refused (`limit`): none of this piece was taken."""
        numbers, step = np.ascontiguousarray(positions_m, "<f8"), MAX_CHUNK // 8
        pieces = [numbers[at : at + step] for at in range(0, max(len(numbers), 1), step)]
        for piece in pieces:
            told = self._rig.ask(
                "feed", motion=self.motion.id, first=self.fed.next, last=last and piece is pieces[-1],
                data=piece.tobytes(),
            )  # fmt: skip
            self.fed = Fed(told["next"], told["ahead_s"], told["delay_s"])
        return self.fed
