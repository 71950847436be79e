"""Points from hidden laws, with noise, offsets and gross errors."""

import numpy as np
import pytest

from hilctl.friction import check_friction
from hilctl.identify.friction import check_points

PAPER_LAW = {"model": "stribeck", "fc": 287.0, "fs": 3118.0, "vs": 0.115, "sigma": 3251.0}
SPEEDS = np.geomspace(0.001, 0.8, 25)


@pytest.fixture(scope="session")
def measured():
    """measured(seed, table, …) -> points, the law that they hide."""

    def make(seed=0, table=PAPER_LAW, speeds=SPEEDS, noise=0.02, offset=0.0, gross=0, ways=(1, -1), sd=True):
        random = np.random.default_rng(seed)
        law = check_friction(table)
        speed = np.concatenate([way * np.asarray(speeds) for way in ways])
        true = law.curve(speed)
        scatter = noise * np.abs(true)
        force = true + offset + scatter * random.standard_normal(len(speed))
        spoiled = random.choice(len(speed), gross, replace=False)
        force[spoiled] += random.choice([-1, 1], gross) * random.uniform(0.3, 1.5, gross) * np.abs(true).max()
        points = check_points(speed, force, scatter if sd and noise else None)
        return points, law, {int(i) for i in spoiled}

    return make
