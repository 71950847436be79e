"""What a model leaves over that goes with the input: structure that it lacks, and that its numbers may bend with.

What is missing shows in part, r: what the input, now and a little before, tells of the residuals, of every record as
soon as one does not look like chance. The rest of it has
gone into the parameters, unseen. It is taken to be no larger than what shows, and to have gone into one of them alone:
such a one is off by |r| sqrt((J'J)^-1), which is far more than what usually happens, but happens.
"""

from typing import NamedTuple

import numpy as np

from hilctl.identify.dynamics.grey.model import Reals
from hilctl.identify.dynamics.grey.problem import Block, Problem
from hilctl.identify.dynamics.validate.residuals import LAGS, independence
from hilctl.params import BadValues

FOLLOWS = 0.9999  # how sure it must be that residuals follow the input


class Followed(NamedTuple):
    """Of one output of one record."""

    worst: float  # correlation over its standard error; 0 where that may be chance
    squares: float  # of what goes with the input, weighed


def followed(problem: Problem, blocks: list[Block]) -> tuple[Followed, ...]:
    """Output by output of each record, as `Problem.blocks` has them."""
    driven = [problem.model.driven(record) for record in problem.records for _ in record.outputs]
    return tuple(_followed(block, input_) for block, input_ in zip(blocks, driven, strict=True))


def _followed(block: Block, driven: Reals) -> Followed:
    try:
        seen = independence(block.misses, driven, level=FOLLOWS)
    except BadValues:
        return Followed(0.0, 0.0)  # too short to tell, or nothing is left
    before = np.stack([np.concatenate([np.zeros(k), driven[: len(driven) - k]]) for k in range(LAGS + 1)], axis=1)
    before -= before.mean(0)
    left, size, _ = np.linalg.svd(before - block.taken @ (block.taken.T @ before), full_matrices=False)
    part = left[:, size > 1e-6 * size[0]].T @ block.misses
    return Followed(0.0 if seen.independent else seen.worst, float(part @ part))
