"""Studies by simulation: simulated seconds in a second of a core, and what a second worker brings.

Runs of about ten seconds at 1 kHz on the reference rig: arming, a sine, rest. `real_time_per_core` counts the
processor's time, so that what else the machine does counts little; `two_workers` compares wall times, in rounds by
turns, and is the median of the rounds' ratios: it needs two idle processors. `_dask`: the same on a Dask cluster of
this machine.
"""

import statistics
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from hilctl import rig as rigs
from hilctl import rig_file
from hilctl.study.cluster import Cluster
from hilctl.study.folder import Folder
from hilctl.study.keys import keys_of, seed_key
from hilctl.study.plan import Motion, Plan
from hilctl.study.program import program
from hilctl.study.spread import Local, Workers, measured, spread
from hilctl.study.vary import parse

RIG = "table-500"
_VARY = ["twin.machine.m=±20%", "twin.machine.beta=±20%", "twin.friction.fs=1500:4500",
         "twin.sensors.displacement.noise_m=1e-6:2e-5:log"]  # fmt: skip


def plan_of(runs: int, chunk: int = 8) -> Plan:
    """The study that is timed."""
    path = rig_file.find(RIG)
    rig = rigs.load(RIG, twin=True)
    motion = Motion("sine", "sine", {"frequency_hz": 1.0, "amplitude_m": 0.03, "duration_s": 4.0}, "")
    return Plan(rig=rig.name, path=str(path), text=rig.text, tree=rig_file.read_tree(path), changes={},
                varied=parse(_VARY, keys_of(rig), seed_key(rig)), motions=[motion], runs=runs, seed=1, design="sobol",
                compensation=[], rest_s=0.6, chunk=chunk, program=program())  # fmt: skip


class Timed(NamedTuple):
    """A study."""

    wall_s: float
    simulated_s: float
    spent_s: float  # of processors


def _computed(workers: Workers, runs: int) -> Timed:
    """A study by workers that are warm."""
    with TemporaryDirectory() as place:
        folder = Folder.begin(Path(place) / "study", plan_of(runs))
        begun_s = time.perf_counter()
        spread(folder, workers, lambda done, of: None)
        wall_s = time.perf_counter() - begun_s
        return Timed(wall_s, *measured(folder.finished()))


def run(quick: bool) -> dict[str, Any]:
    """Figures and ratios; those of Dask where it is installed."""
    runs, rounds = (64, 1) if quick else (256, 5)
    with closing(Local(1)) as one, closing(Local(2)) as two:
        figures, ratio = _scaling(one, two, runs, rounds, "")
    if find_spec("distributed"):
        with _dask(1) as one, _dask(2) as two:
            more, ratio_dask = _scaling(one, two, runs, rounds, "_dask")
        figures, ratio = {**figures, **more}, {**ratio, **ratio_dask}
    return {"bench": "study", "figures": {**figures, "runs": runs}, "ratio": ratio}


def _scaling(
    one: Workers, two: Workers, runs: int, rounds: int, name: str
) -> tuple[dict[str, float], dict[str, float]]:
    """One worker and two, by turns."""
    for workers in (one, two):
        _computed(workers, 32)  # loads the compiled loop in each process
    pairs = [(_computed(one, runs), _computed(two, runs)) for _ in range(rounds)]
    figures = {f"run_s{name}": pairs[0][0].simulated_s / runs}
    for k, of in enumerate(("", "_of_two")):
        timed = [pair[k] for pair in pairs]
        figures[f"real_time_per_core{of}{name}"] = statistics.median(t.simulated_s / t.spent_s for t in timed)
        figures[f"real_time_wall{of}{name}"] = statistics.median(t.simulated_s / t.wall_s for t in timed)
    return figures, {f"two_workers{name}": statistics.median(first.wall_s / second.wall_s for first, second in pairs)}


@contextmanager
def _dask(workers: int) -> Iterator[Workers]:
    """A cluster of this machine, its workers processes of one thread each."""
    from distributed import LocalCluster

    here = {"host": "127.0.0.1", "dashboard_address": "127.0.0.1:0"}
    with (
        LocalCluster(n_workers=workers, threads_per_worker=1, **here) as local,
        closing(Cluster(local.scheduler_address)) as made,
    ):
        yield made
