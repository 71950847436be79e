"""`hilctl pendulum`: one to four links with friction in their joints, free or driven, law beside law."""

import argparse
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hilctl.cli.arguments import count, number
from hilctl.cli.files import result_file, source_file
from hilctl.cli.output import as_json, say, show
from hilctl.errors import DONE, WrongUse

if TYPE_CHECKING:
    from sim.specimens import Bearing, Chain, Swing

_ROWS = 1000  # of the result, at most
_RESTS = 1e-6  # rad/s: slower than that it is at rest


def pendulum(parser: argparse.ArgumentParser) -> None:
    """The arguments of `pendulum`."""
    chain = parser.add_argument_group("the pendulum")
    chain.add_argument("--file", default="", metavar="TOML", help="links and joints, with the keys of "
                       "[twin.specimen.chain]; [jointN.friction] gives a joint a law of its own")  # fmt: skip
    chain.add_argument("--links", type=count(1, 4), metavar="N", help="how many links (2)")
    chain.add_argument("--angle", type=number(-math.pi, math.pi, "rad"), metavar="RAD",
                       help="of every link at the start; 0 hangs (1.5708, level)")  # fmt: skip
    chain.add_argument("--couple", type=number(-1e6, 1e6, "N·m"), metavar="NM",
                       help="amplitude of a couple that drives every link, a sine (0: free)")  # fmt: skip
    chain.add_argument("--drive", type=number(0, 1e3, "rad/s"), metavar="RAD_S", help="its angular frequency (1)")
    chain.add_argument("--laws", default="", metavar="A,B", help="a run for each of these friction models in every "
                       "joint, side by side; A/B in one run: A in joint 1, B in joint 2 (lugre)")  # fmt: skip
    run = parser.add_argument_group("the run")
    run.add_argument("--seconds", type=number(0.001, 3600, "s"), default=10.0, metavar="S", help="how long (10)")
    run.add_argument("--step", type=number(1e-6, 1e-2, "s"), default=1e-4, metavar="S",
                     help="step of the integration (1e-4)")  # fmt: skip
    run.add_argument("--check", action="store_true", help="compare with scipy's solver at a tolerance of 1e-12")
    run.add_argument("--out", default="", metavar="CSV", help="write the motion, a row an instant")
    run.add_argument("--json", action="store_true", help="the answer as one JSON object on standard output")
    parser.set_defaults(do=_pendulum)


def _pendulum(given: argparse.Namespace) -> int:
    from sim.specimens import swing

    out = result_file("--out", Path(given.out)) if given.out else None
    every = max(1, round(given.seconds / _ROWS / given.step))
    answers, columns = [], {}
    for name, own, bearings in _runs(given):
        motion = swing(own, given.seconds, step_s=given.step, every=every, bearings=bearings)
        answers.append({"laws": name, **_told(motion), **(_checked(own, bearings, motion) if given.check else {})})
        columns[name] = motion
    if out is not None:
        _write(out, columns)
    if given.json:
        as_json({"seconds": given.seconds, "step_s": given.step, "runs": answers})
    else:
        show(_printed(answers))
        if out is not None:
            say(str(out))
    return DONE


def _runs(given: argparse.Namespace) -> "list[tuple[str, Chain, Sequence[Bearing]]]":
    from hilctl.params import check, plain
    from sim.specimens import Chain
    from sim.specimens.chain.from_file import read_chain
    from sim.specimens.chain.laws import bearing_of

    own, bearings = read_chain(source_file("--file", Path(given.file))) if given.file else (Chain(), ())
    table = plain(own)
    table["links"] = given.links or own.links
    for k in range(1, 5):
        named = (("angle_rad", given.angle), ("couple_n_m", given.couple), ("drive_rad_s", given.drive))
        table[f"link{k}"] |= {name: value for name, value in named if value is not None}
    if given.file and not given.laws:
        if given.links and given.links != own.links:
            raise WrongUse(f"--links: the file has {own.links} links with their joints; change links there")
        return [("file", check(Chain, table), bearings)]
    runs: list[tuple[str, Chain, Sequence[Bearing]]] = []
    for name in given.laws.split(",") if given.laws else ["lugre"]:
        laws = [law.strip() for law in name.split("/")]
        if len(laws) not in (1, table["links"]):
            raise WrongUse(f"--laws: {name} names {len(laws)} laws for {table['links']} joints; name one, or one each")
        joints = {f"joint{k}": {**table[f"joint{k}"], "law": law}
                  for k, law in enumerate(laws * (table["links"] // len(laws)), 1)}  # fmt: skip
        chain = check(Chain, table | joints)
        runs.append((name.strip(), chain, [bearing_of(hinge) for hinge in chain.hinges]))
    return runs


def _told(motion: "Swing") -> dict[str, Any]:
    import numpy as np

    moving = np.flatnonzero(np.abs(motion.speeds_rad_s).max(axis=1) > _RESTS)
    last = int(moving[-1]) + 1 if len(moving) else 0
    return {
        "angles_rad": motion.angles_rad[-1].tolist(),
        "speeds_rad_s": motion.speeds_rad_s[-1].tolist(),
        "rest_s": float(motion.time_s[last]) if last < len(motion.time_s) else None,
        "greatest_normal_n": motion.normal_n.max(axis=0).tolist(),
        "greatest_j": motion.greatest_j,
        "drive_work_j": float(motion.drive_work_j[-1]),
        "loss_j": float(motion.loss_j[-1]),
        "energy_error": float(np.abs(motion.imbalance_j).max() / max(motion.greatest_j, 1e-300)),
        "solves": motion.solves,
        "rounds": motion.rounds,
        "events": motion.events,
    }


def _checked(own: "Chain", bearings: "Sequence[Bearing]", motion: "Swing") -> dict[str, Any]:
    import numpy as np

    from sim.specimens.chain.laws import bearing_of
    from sim.specimens.yardstick import yardstick

    if list(bearings) != [bearing_of(hinge) for hinge in own.hinges]:
        raise WrongUse("--check: the yardstick has no law with parameters of its own; give coefficients in the joint")
    true = yardstick(own, float(motion.time_s[-1]), len(motion.time_s) - 1)
    return {
        "angles_off_rad": float(np.abs(motion.angles_rad - true.angles_rad).max()),
        "speeds_off_rad_s": float(np.abs(motion.speeds_rad_s - true.speeds_rad_s).max()),
        "yardstick_solves": true.asked,
    }


def _printed(answers: Sequence[dict[str, Any]]) -> Any:
    from rich.table import Table

    def each(values: Sequence[float], form: str = ".4g") -> str:
        return " ".join(format(value, form) for value in values)

    rows = Table("", *(answer["laws"] for answer in answers))
    lines: dict[str, Callable[[dict[str, Any]], str]] = {
        "angles at the end, rad": lambda a: each(a["angles_rad"]),
        "speeds at the end, rad/s": lambda a: each(a["speeds_rad_s"]),
        "at rest from, s": lambda a: "-" if a["rest_s"] is None else f"{a['rest_s']:.4g}",
        "greatest normal forces, N": lambda a: each(a["greatest_normal_n"]),
        "greatest energy, J": lambda a: f"{a['greatest_j']:.5g}",
        "work of the couples, J": lambda a: f"{a['drive_work_j']:.5g}",
        "lost to friction, J": lambda a: f"{a['loss_j']:.5g}",
        "energy error, of the greatest": lambda a: f"{a['energy_error']:.1e}",
        "solutions of the equations": lambda a: str(a["solves"]),
        "Newton rounds, mean": lambda a: f"{a['rounds']:.2f}",
        "reversals and break-aways": lambda a: str(a["events"]),
    }
    if "angles_off_rad" in answers[0]:
        lines["angles off the yardstick, rad"] = lambda a: f"{a['angles_off_rad']:.1e}"
        lines["speeds off the yardstick, rad/s"] = lambda a: f"{a['speeds_off_rad_s']:.1e}"
    for title, cell in lines.items():
        rows.add_row(title, *(cell(answer) for answer in answers))
    return rows


def _write(path: Path, motions: "dict[str, Swing]") -> None:
    import numpy as np

    first = next(iter(motions.values()))
    names, columns = ["time_s"], [first.time_s[:, None]]
    for law, motion in motions.items():
        prefix = f"{law.replace('/', '-')}_" if len(motions) > 1 else ""
        for stem, unit, column in (
            ("angle", "rad", motion.angles_rad), ("speed", "rad_s", motion.speeds_rad_s),
            ("normal", "n", motion.normal_n), ("friction", "n_m", motion.friction_n_m),
        ):  # fmt: skip
            names += [f"{prefix}{stem}{k}_{unit}" for k in range(1, column.shape[1] + 1)]
            columns.append(column)
    np.savetxt(path, np.hstack(columns), delimiter=",", header=",".join(names), comments="")
