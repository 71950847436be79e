"""What a verification is asked for, and what it has measured so far."""

import shlex
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from hilctl.experiment.facts import Facts
from hilctl.identify.plant import PlantFit
from hilctl.results.commissioned import PARTS, Commissioned, has
from hilctl.results.friction import Pair
from hilctl.results.prepared import Prepared
from hilctl.results.verified import Judged


class Asked(NamedTuple):
    """What is held against what, and where it is kept."""

    stored: Commissioned
    source: Path  # the file of that
    folder: Path
    warm_up_s: float = 10.0
    command: str = "hilctl commission"  # for remedies

    def again(self, *parts: str) -> str:
        """The command that commissions these parts again, as far as they were commissioned."""
        held = [part for part in PARTS if part in parts and has(self.stored, part)] or parts
        return f"{self.command} --only {','.join(held)} --out {shlex.quote(str(self.source.parent))}"


@dataclass
class Found:
    """What was measured; a part that could not be is as it is here."""

    facts: Facts  # the parameters under which it was
    prepared: Prepared
    supply_pa: float | None
    plant: PlantFit | None = None
    pairs: list[Pair] = field(default_factory=list)
    sines: dict[str, Judged] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    why_not: str = ""  # the last part that could not be
