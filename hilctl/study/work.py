"""A chunk of a study: what a worker computes, in whatever process."""

import os
import platform
import signal
from typing import Any

import msgspec
from msgspec import Struct

from hilctl.study.one import OUTCOMES, names_of, run
from hilctl.study.plan import WITH, WITHOUT, Plan
from hilctl.study.program import need_same

BOTH = [WITHOUT, WITH]
GAINED = ("error_rms_m", "acceleration_error_percent", "distortion_percent")  # compared with and without compensation


class Chunk(Struct, frozen=True):
    """Its rows, and what they cost."""

    number: int
    digest: str  # of the study
    rows: list[dict[str, Any]]
    simulated_s: float
    spent_s: float
    worker: str


_plans: dict[bytes, Plan] = {}


def compute(plan: bytes, number: int) -> bytes:
    """A chunk of this study, as bytes: one function for every executor. The plan travels as the bytes of its file."""
    study = _plans.get(plan)
    if study is None:
        _plans.clear()
        study = _plans[plan] = msgspec.json.decode(plan, type=Plan)
    worker = f"{platform.node()}/{os.getpid()}"
    need_same(study.program, f"worker {worker}")
    rows, simulated_s, spent_s = [], 0.0, 0.0
    for one in study.chunk_runs(number):
        row, took_s, cost_s = row_of(study, one)
        rows.append(row)
        simulated_s += took_s
        spent_s += cost_s
    return msgspec.msgpack.encode(Chunk(number, study.digest, rows, simulated_s, spent_s, worker))


def row_of(study: Plan, number: int) -> tuple[dict[str, Any], float, float]:
    """A run's row of the table, how long it is, and what it cost."""
    row: dict[str, Any] = {"run": number, "seed": study.noise_seed(number), **study.values(number)}
    if len(study.compensation) < 2:
        ran = run(study, number, study.compensation[0] if study.compensation else "")
        return {**row, **ran.values}, ran.simulated_s, ran.spent_s
    halves = {name: run(study, number, name) for name in BOTH}
    for name, half in halves.items():
        row |= {f"{name}.{key}": value for key, value in half.values.items()}
    for motion in study.motions:
        for name in GAINED:
            key = f"{motion.name}.{name}"
            row[f"gain.{key}"] = ratio(halves[WITHOUT].values[key], halves[WITH].values[key])
    return row, sum(half.simulated_s for half in halves.values()), sum(half.spent_s for half in halves.values())


def ratio(before: float, after: float) -> float:
    """How many times less it is with compensation."""
    return before / after if after > 0 else float("nan")


def columns(study: Plan) -> list[str]:
    """Of the table, in their order."""
    head = ["run", "seed", *(one.key for one in study.varied)]
    if len(study.compensation) < 2:
        return [*head, *names_of(study)]
    halves = [f"{half}.{name}" for half in BOTH for name in names_of(study)]
    return [*head, *halves, *(f"gain.{motion.name}.{name}" for motion in study.motions for name in GAINED)]


def outcome_columns(study: Plan) -> list[str]:
    """Where the table says how a run ended."""
    return ["outcome"] if len(study.compensation) < 2 else [f"{half}.outcome" for half in BOTH]


def ended(row: dict[str, Any], names: list[str]) -> str:
    """How a run ended: of both halves, the worse."""
    return max((str(row[name]) for name in names), key=OUTCOMES.index)


def prepare_worker() -> None:
    """A local worker ends with its parent, and leaves Ctrl-C to it."""
    from hilctl.service.run import die_with_parent

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    die_with_parent()
