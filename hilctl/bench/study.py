"""Studies by simulation: simulated seconds in a second of a core, and what a second worker brings.

Runs of about ten seconds at 1 kHz on the reference rig: arming, a sine, rest. `real_time_per_core` counts the
processor's time, so that what else the machine does counts little; `two_workers` compares wall times, in rounds by
turns, and is the median of the rounds' ratios: it needs two idle processors.
"""

import statistics
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hilctl import rig as rigs
from hilctl.study.folder import Folder
from hilctl.study.keys import keys_of, seed_key
from hilctl.study.plan import Motion, Plan
from hilctl.study.program import program
from hilctl.study.spread import Local, measured, spread
from hilctl.study.vary import parse

RIG = "table-500"
_VARY = ["twin.machine.m=±20%", "twin.machine.beta=±20%", "twin.friction.fs=1500:4500",
         "twin.sensors.displacement.noise_m=1e-6:2e-5:log"]  # fmt: skip


def plan_of(runs: int, chunk: int = 8) -> Plan:
    """The study that is timed."""
    path = rigs.find(RIG)
    rig = rigs.load(RIG, twin=True)
    motion = Motion("sine", "sine", {"frequency_hz": 1.0, "amplitude_m": 0.03, "duration_s": 4.0}, "")
    return Plan(rig=rig.name, path=str(path), text=rig.text, tree=rigs.read_tree(path), changes={},
                varied=parse(_VARY, keys_of(rig), seed_key(rig)), motions=[motion], runs=runs, seed=1, design="sobol",
                compensation=[], rest_s=0.6, chunk=chunk, program=program())  # fmt: skip


def _computed(workers: Local, runs: int) -> tuple[float, float, float, float]:
    """Wall seconds, simulated and processor seconds, and seconds a run, of a study by workers that are warm."""
    with TemporaryDirectory() as place:
        folder = Folder.begin(Path(place) / "study", plan_of(runs))
        begun_s = time.perf_counter()
        spread(folder, workers, lambda done, of: None)
        wall_s = time.perf_counter() - begun_s
        simulated_s, spent_s = measured(folder.finished())
    return wall_s, simulated_s, spent_s, simulated_s / runs


def run(quick: bool) -> dict[str, Any]:
    """Figures and ratio."""
    runs, rounds = (64, 1) if quick else (256, 5)
    one, two = Local(1), Local(2)
    try:
        for workers in (one, two):
            _computed(workers, 32)  # loads the compiled loop in each process
        pairs = [(_computed(one, runs), _computed(two, runs)) for _ in range(rounds)]
    finally:
        one.close()
        two.close()
    alone = [simulated_s / spent_s for (_, simulated_s, spent_s, _), _ in pairs]
    both = [simulated_s / spent_s for _, (_, simulated_s, spent_s, _) in pairs]
    return {
        "bench": "study",
        "figures": {
            "real_time_per_core": statistics.median(alone),
            "real_time_per_core_of_two": statistics.median(both),
            "real_time_wall": statistics.median(pair[0][1] / pair[0][0] for pair in pairs),
            "real_time_wall_of_two": statistics.median(pair[1][1] / pair[1][0] for pair in pairs),
            "run_s": pairs[0][0][3],
            "runs": runs,
        },
        "ratio": {"two_workers": statistics.median(first[0] / second[0] for first, second in pairs)},
    }
