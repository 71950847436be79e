"""A small study, of runs as short as they can be."""

from pathlib import Path
from typing import Any

from hilctl import rig as rigs
from hilctl import rig_file
from hilctl.study.keys import keys_of, seed_key
from hilctl.study.plan import Motion, Plan
from hilctl.study.program import program
from hilctl.study.vary import parse
from tests.system.service_parts import ARMS_FAST

SINE = Motion("sine", "sine", {"frequency_hz": 5.0, "amplitude_m": 0.002, "cycles": 6.0, "soft_start_s": 0.1,
                               "soft_stop_s": 0.1}, "")  # fmt: skip
QUICK = {**ARMS_FAST, "arming.low_pressure_s": 0.15, "arming.high_pressure_s": 0.15, "twin.substep_s": 2e-4}
VARY = ("twin.machine.m=±20%", "twin.valve.hysteresis=0:0.05", "twin.friction.fs=1000:4000")


def small(runs: int = 12, chunk: int = 2, vary: tuple[str, ...] = VARY, **other: Any) -> Plan:
    """On the reference rig."""
    path = rig_file.find("table-500")
    rig = rigs.load("table-500", twin=True, changes=QUICK)
    given = {
        "rig": rig.name, "path": str(path), "text": rig.text, "tree": rig_file.read_tree(path), "changes": dict(QUICK),
        "varied": parse(vary, keys_of(rig), seed_key(rig)), "motions": [SINE], "runs": runs, "seed": 7,
        "design": "sobol", "compensation": [], "rest_s": 0.2, "chunk": chunk, "program": program(),
    }  # fmt: skip
    return Plan(**{**given, **other})


def table(folder: Path) -> bytes:
    """As it is on disk."""
    return (folder / "runs.parquet").read_bytes()
