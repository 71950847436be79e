"""What a study is: rig, motions, what varies, how many runs. Kept in its folder, sent to the workers."""

import hashlib
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec import Meta, Struct

from hilctl.law.motions import Samples
from hilctl.rig import Rig, from_tree
from hilctl.study.experiments import design, noise_seed, values_of
from hilctl.study.keys import seed_key
from hilctl.study.vary import Varied

FORMAT = 1
COMPENSATION = "law.feed.inverse"  # share of the inverse model
WITH, WITHOUT = "with", "without"


class Motion(Struct, frozen=True):
    """A motion of every run, as `hilctl track` takes it."""

    name: str  # its columns begin so
    kind: str
    parameters: dict[str, Any]
    text: str
    times_s: list[float] = []  # of a history
    values: list[float] = []
    quantity: str = ""

    @property
    def samples(self) -> Samples | None:
        """The history."""
        if not self.values:
            return None
        return Samples(np.array(self.times_s), np.array(self.values), self.quantity)  # type: ignore[arg-type]


class Plan(Struct, frozen=True, kw_only=True, dict=True):
    """A study."""

    format: int = FORMAT
    rig: str
    path: str
    text: str
    tree: dict[str, Any]
    changes: dict[str, Any]
    varied: list[Varied]
    motions: list[Motion]
    runs: int
    seed: int
    design: str
    compensation: Annotated[list[str], Meta(description="with, without, both; none: as the rig file has it")]
    rest_s: float
    chunk: Annotated[int, Meta(description="runs that are computed and kept together")]
    program: dict[str, str]

    @cached_property
    def digest(self) -> str:
        """A short name of exactly this study."""
        return hashlib.sha256(msgspec.json.encode(self)).hexdigest()[:16]

    @cached_property
    def _design(self) -> npt.NDArray[np.float64]:
        return design(self.design, len(self.varied), self.runs, self.seed)

    @cached_property
    def _seed_key(self) -> str:
        return seed_key(self.build({}))

    @property
    def chunks(self) -> int:
        """How many there are."""
        return -(-self.runs // self.chunk)

    def chunk_runs(self, number: int) -> range:
        """The runs of a chunk."""
        return range(number * self.chunk, min((number + 1) * self.chunk, self.runs))

    def values(self, run: int) -> dict[str, Any]:
        """What varies, in this run."""
        return values_of(self.varied, self._design[run])

    def noise_seed(self, run: int) -> int:
        """Of this run."""
        return noise_seed(self.seed, run)

    def changes_of(self, run: int, compensation: str = "") -> dict[str, Any]:
        """All that is laid over the rig file in this run."""
        made = {**self.changes, **self.values(run)}
        if self._seed_key:
            made[self._seed_key] = self.noise_seed(run)
        if compensation == WITHOUT:
            made[COMPENSATION] = 0.0
        elif compensation == WITH:
            made[COMPENSATION] = float(made.get(COMPENSATION) or self._share or 1.0)
        return made

    @cached_property
    def _share(self) -> float:
        return float(self.build({}).tables.law.feed.inverse)

    def build(self, changes: dict[str, Any], *, told: bool = False) -> Rig:
        """The rig of a run, on its twin; BadValues where its values are refused. `told`: with the text of its files."""
        laid = {**self.changes, **changes}
        return from_tree(self.tree, Path(self.path), self.text if told else "", twin=True, changes=laid)
