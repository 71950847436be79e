"""The external reference that runs, or ran last."""

from dataclasses import dataclass

from hilctl.law.motions import Positions
from hilctl.loop.external import Bank


@dataclass
class External:
    """What was sent of it, and where it goes."""

    motion: int
    positions: Positions
    bank: Bank
    ended: bool = False
