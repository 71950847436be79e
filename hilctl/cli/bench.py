"""`hilctl bench NAME`: runs a benchmark and prints its figures, each beside its yardstick's ratio.

A benchmark is a module of hilctl.bench with `run(quick) -> {"bench", "figures", "ratio"}`; figures and ratios are
nested maps of numbers. A ratio that bears a figure's name stands beside it.
"""

import argparse
import importlib
import importlib.util
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hilctl.cli.output import as_json, show
from hilctl.cli.progress import working
from hilctl.errors import DONE, WrongUse

if TYPE_CHECKING:
    from rich.table import Table

BENCHES: dict[str, str] = {
    "tick": "one tick of the law, against the same in C",
    "jitter": "waking up in time, against cyclictest",
    "twin": "the simulated plant, against the clock and the same in C",
    "friction": "a step of every friction law in the twin, against the same in C",
    "servo": "the linear servo's exact simulation, against scipy's lsim",
    "start": "from the start of the core to its first tick, against importing numba",
    "bridge": "the loop over an emulated device, beside cyclictest, and its tracking beside the twin's",
    "exchange": "one exchange with a device, against pymodbus and pyserial",
    "fmu": "the twin's FMI unit, sample by sample against the twin, under every friction model",
    "export": "a recording into every format, Parquet against pyarrow alone, and the memory that it takes",
    "identify": "fits, against pymoo, pygad and scipy",
    "panel": "the operator's page in a browser: frames, latency, stop, and what it does to the loop's waking",
    "remote": "stop over a link that is late, and what keys cost: the processor, and the loop's waking",
    "study": "simulated runs of a study: against real time on one core, and two workers against one",
    "telemetry": "publishing every sample, against raw pyzmq",
}


def bench(parser: argparse.ArgumentParser) -> None:
    """The arguments of `bench`."""
    known = "; ".join(f"{name}: {meaning}" for name, meaning in BENCHES.items())
    parser.add_argument("name", metavar="NAME", choices=tuple(BENCHES), help=known)
    parser.add_argument("--quick", action="store_true", help="fewer and shorter rounds: to see that it works")
    parser.add_argument("--json", action="store_true", help="one JSON object: bench, figures, ratio, host")
    parser.set_defaults(do=_bench)


def _bench(given: argparse.Namespace) -> int:
    place = f"hilctl.bench.{given.name}"
    if importlib.util.find_spec(place) is None:
        raise WrongUse(f"this installation lacks the benchmark {given.name}")
    with working(f"{given.name}: {BENCHES[given.name]}"):
        found: dict[str, Any] = importlib.import_module(place).run(quick=given.quick)
    if "host" not in found:
        from hilctl.bench.host import host

        found["host"] = host()
    if given.json:
        as_json(found)
    else:
        show(table(found))
    return DONE


def table(found: Mapping[str, Any]) -> "Table":
    """Figures, each with the ratio of its name; then the ratios of what has no figure of its own."""
    from rich.table import Table

    from hilctl.params.tables import flat

    figures, ratios = (flat(found[part], between=" / ") for part in ("figures", "ratio"))
    made = Table(title=f"bench {found['bench']}", title_justify="left")
    made.add_column("figure")
    made.add_column("value", justify="right")
    made.add_column("ratio to the yardstick", justify="right")
    for name, value in figures.items():
        made.add_row(name, shown(value), shown(ratios[name]) if name in ratios else "")
    rest = [name for name in ratios if name not in figures]
    if rest:
        made.add_section()
    for name in rest:
        made.add_row(name, "", shown(ratios[name]))
    return made


def shown(value: Any) -> str:
    """A number with four digits that count."""
    if isinstance(value, float):
        return f"{value:.4g}" if abs(value) < 1e4 else f"{value:.0f}"
    return str(value)
