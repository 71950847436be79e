"""The design of experiments: which values each run has. A run's values follow from the seed and its number alone.

sobol   scrambled Sobol sequence: even coverage, and a shorter study is the beginning of a longer one
lhs     Latin hypercube: each quantity evenly covered; depends on the number of runs
random  independent; a shorter study is the beginning of a longer one
"""

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import qmc

from hilctl.study.vary import Varied

DESIGNS = ("sobol", "lhs", "random")


def design(kind: str, quantities: int, runs: int, seed: int) -> npt.NDArray[np.float64]:
    """Numbers from 0 to below 1: a row a run, a column a quantity."""
    match kind:
        case "sobol":
            sequence = qmc.Sobol(quantities, scramble=True, seed=np.random.default_rng(seed))
            made = sequence.random_base2(max(runs - 1, 1).bit_length())[:runs]  # balanced only in powers of two
        case "lhs":
            made = qmc.LatinHypercube(quantities, seed=np.random.default_rng(seed)).random(runs)
        case _:
            made = np.random.default_rng(seed).random((runs, quantities))
    return np.clip(np.asarray(made, np.float64), 0.0, np.nextafter(1.0, 0.0))


def values_of(varied: list[Varied], row: npt.NDArray[np.float64]) -> dict[str, Any]:
    """Of one run, by key."""
    return {one.key: one.at(float(u)) for one, u in zip(varied, row, strict=True)}


def noise_seed(seed: int, run: int) -> int:
    """The seed of a run's noise: another one in each run, the same with and without compensation."""
    return int(np.random.SeedSequence([seed, run]).generate_state(1)[0]) & 0x7FFFFFFF
