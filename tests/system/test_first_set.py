"""The first set of another friction model waits for no compiler: between two signs of life there is no time for one."""

import os
import shutil

import pytest

from hilctl.client import Client, private_service
from hilctl.friction import MODELS
from hilctl.rt import store
from hilctl.rt.jit import PLAIN
from tests.system.service_parts import SHARED, environment, until

pytestmark = pytest.mark.skipif(PLAIN, reason="nothing is compiled")
OVERLAP = {"machine.overlap_a": 0.02, "machine.overlap_b": 0.02}


def test_what_a_change_of_the_friction_model_computes_with_is_compiled_before_anybody_asks(tmp_path):
    with private_service("table-500", changes=SHARED) as service, Client(service.commands):
        kept = store.folder()  # whatever a start needs is there now
    mine = tmp_path / "hilctl" / kept.name
    shutil.copytree(kept, mine)
    for one in mine.glob("hilctl.law.smoothing.*"):
        one.unlink()
    where = {**environment(), "XDG_CACHE_HOME": str(tmp_path), "CACHE_DIRECTORY": ""}
    with private_service("table-500", changes=SHARED, environment=where) as service, Client(service.commands) as rig:
        until(lambda: list(mine.glob("hilctl.law.smoothing.rt_turn*.compiled")), "the compiler")
        before = set(os.listdir(mine))
        for name, model in MODELS.items():
            if name != "breakaway-rotational":
                typical = {f"friction.{key}": value for key, value in model.typical.items()}
                rig.set({"friction.model": name, **typical, **OVERLAP}, origin="test")
        assert {one for one in set(os.listdir(mine)) - before if one.endswith(".compiled")} == set()
