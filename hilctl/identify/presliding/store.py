"""Cycles and the rig's parameters, in one file: the judgement can be repeated without the rig."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hilctl.experiment import store as kept
from hilctl.identify.presliding.estimate_cycles import Cycles
from hilctl.identify.presliding.facts import Facts

_FORMAT = 1
_SERIES = ("x_m", "a_m_s2", "push_n")


def save_cycles(path: str | Path, swings: Sequence[Cycles], facts: Facts, curve: Mapping[str, Any]) -> None:
    """Writes an .npz, complete or not at all."""
    head = {
        "format": _FORMAT, "facts": facts._asdict(), "curve": dict(curve),
        "swings": [{"amplitude_m": s.amplitude_m, "period_s": s.period_s} for s in swings],
    }  # fmt: skip
    kept.save(path, head, {f"{i}.{name}": getattr(s, name) for i, s in enumerate(swings) for name in _SERIES})


def load_cycles(path: str | Path) -> tuple[list[Cycles], Facts, dict[str, Any]]:
    """The contents of `save_cycles`, as `judge` takes them. NotKept where the file holds something else."""
    head, arrays = kept.load(path, _FORMAT, "cycles of a reversal experiment", "measure")
    swings = [
        Cycles(one["amplitude_m"], one["period_s"], *(arrays[f"{i}.{name}"] for name in _SERIES))
        for i, one in enumerate(head["swings"])
    ]
    return swings, Facts(**head["facts"]), head["curve"]
