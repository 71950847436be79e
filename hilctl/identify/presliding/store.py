"""Cycles and what was believed of the rig, in one file: the judgement can be repeated without the rig."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hilctl.identify.presliding.cycles import Cycles
from hilctl.identify.presliding.facts import Facts

_FORMAT = 1


class NotCycles(Exception):
    """The file does not hold cycles; the message says what it is."""


def save_cycles(path: str | Path, swings: Sequence[Cycles], facts: Facts, curve: Mapping[str, Any]) -> None:
    """Writes an .npz, whole or not at all."""
    head = {
        "format": _FORMAT, "facts": facts._asdict(), "curve": dict(curve),
        "swings": [{"amplitude_m": s.amplitude_m, "period_s": s.period_s} for s in swings],
    }  # fmt: skip
    arrays = {
        f"{i}.{name}": values
        for i, s in enumerate(swings)
        for name, values in (("x_m", s.x_m), ("a_m_s2", s.a_m_s2), ("push_n", s.push_n))
    }
    whole = Path(path)
    part = whole.with_name(f"{whole.name}.part")
    with part.open("wb") as out:
        np.savez_compressed(out, head=np.array(json.dumps(head)), **arrays)  # type: ignore[arg-type]
    part.replace(whole)


def load_cycles(path: str | Path) -> tuple[list[Cycles], Facts, dict[str, Any]]:
    """What `save_cycles` wrote: as `judge` takes it. NotCycles where the file is something else."""
    try:
        with np.load(path) as held:
            head = json.loads(str(held["head"]))
            arrays = {name: held[name] for name in held.files if name != "head"}
    except (ValueError, KeyError, EOFError) as error:
        raise NotCycles(f"{path} holds no cycles of a reversal experiment: {error}") from error
    if head.get("format") != _FORMAT:
        raise NotCycles(f"{path} is of format {head.get('format')}, this version reads {_FORMAT}; measure again")
    swings = [
        Cycles(one["amplitude_m"], one["period_s"], *(arrays[f"{i}.{name}"] for name in ("x_m", "a_m_s2", "push_n")))
        for i, one in enumerate(head["swings"])
    ]
    return swings, Facts(**head["facts"]), head["curve"]
