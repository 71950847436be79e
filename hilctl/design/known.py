"""The machine that gains are designed for: its parameters and their ranges.

From the rig file alone: nominal values, with mass and bulk modulus 20 % off either way. From an identification: the
identified values with their intervals; mass and bulk modulus, if not identified, as from the rig file. A design must
keep its margins at all corners of these ranges.
"""

import itertools
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from hilctl.law.settings import Controller
from hilctl.machine import Machine
from hilctl.params import BadValues, Problem, assign
from hilctl.results.quantity import Quantity

LOOP = ("m", "A", "Vt", "beta", "Ctc", "Kc", "Qn", "wv", "zv")  # parameters of the linear loop
UNSURE = ("m", "beta")  # assumed SHARE off, unless identified
SHARE = 0.2
FILES = ("study.json", "plant.json")
NARROW = 0.01  # of the value: a narrower interval adds no corner


class Known(NamedTuple):
    """The machine as the controller assumes it, and the ranges of its parameters."""

    controller: Controller
    spread: Mapping[str, tuple[float, float]]  # by name in [machine]
    source: str
    assumed: tuple[str, ...]  # of UNSURE: not identified

    def corners(self) -> Iterator[tuple[str, Machine]]:
        """In words, and as a machine: the nominal one first, then every corner."""
        machine = self.controller.machine
        yield "nominal", machine
        names = [name for name, ends in self.spread.items() if ends[1] - ends[0] > NARROW * getattr(machine, name)]
        for ends in itertools.product(*(self.spread[name] for name in names)) if names else ():
            fields = {name: getattr(machine, name) for name in machine.__struct_fields__}
            chosen = dict(zip(names, ends, strict=True))
            yield ", ".join(f"{name} = {value:.4g}" for name, value in chosen.items()), Machine(**{**fields, **chosen})


def from_rig_file(controller: Controller) -> Known:
    """From the rig file alone."""
    return from_numbers(controller, {}, "the rig file")


def from_numbers(controller: Controller, numbers: Mapping[str, Quantity], source: str) -> Known:
    """From identified values by their names in [machine]; names outside the linear loop are left out."""
    used = {name: _ends(found.value, found) for name, found in numbers.items() if name in LOOP and found.value}
    held = assign(controller, {f"machine.{name}": value for name, (value, *_) in used.items()})
    machine = held.machine
    spread = {name: (max(min(low, value), 0.0), max(high, value)) for name, (value, low, high) in used.items()}
    assumed = tuple(name for name in UNSURE if name not in used)
    for name in assumed:
        value = getattr(machine, name)
        spread[name] = ((1 - SHARE) * value, (1 + SHARE) * value)
    return Known(held, spread, source, assumed)


def from_folder(controller: Controller, folder: str | Path) -> Known:
    """From the directory of `hilctl identify dynamics` or `hilctl identify plant`. BadValues if it holds neither."""
    at = Path(folder)
    for name in FILES:
        if (at / name).is_file():
            return _some(controller, _numbers(at / name), str(at / name))
    raise BadValues([Problem("--from", str(folder), f"holds neither {' nor '.join(FILES)}",
                             "identify the plant first: `hilctl identify dynamics` or `hilctl identify plant`, "
                             "or leave --from out")])


def from_study(controller: Controller, told: Mapping[str, Any], source: str) -> Known:
    """From the plain values of a study. BadValues if it identified nothing."""
    return _some(controller, _of_study(told), source)


def _some(controller: Controller, numbers: Mapping[str, Quantity], source: str) -> Known:
    if not numbers:
        raise BadValues([Problem("--from", source, "holds no identified parameter of the machine",
                                 "see in it what was refused, or leave --from out")])
    return from_numbers(controller, numbers, source)


def _numbers(file: Path) -> dict[str, Quantity]:
    try:
        told = json.loads(file.read_text(encoding="utf-8"))
        return _of_study(told) if file.name == FILES[0] else _of_plant(told["plant"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError, msgspec.ValidationError) as error:
        kind = "dynamics" if file.name == FILES[0] else "plant"
        said = f"is not a file of an identification that this version of hilctl reads: {error}"
        remedy = f"`hilctl identify {kind} --again {file.parent}` judges what was measured again"
        raise BadValues([Problem("--from", str(file), said, remedy)]) from None


def _of_study(told: Mapping[str, Any]) -> dict[str, Quantity]:
    grey = told["grey"] or {}
    mass = (grey.get("mass") or {}).get("plant", {})
    numbers = _of_plant({key: value for key, value in mass.items() if key == "machine.m"})
    fitted = (grey.get("fit") or {}).get("parameters", {})
    keys = grey.get("keys", {})
    if grey.get("doubt"):
        fitted = {}
    for name, each in fitted.items():
        key = str(keys.get(name, f"machine.{name}"))
        if key.startswith("machine.") and each.get("by") in ("linear", "profile") and each["value"] is not None:
            numbers[key.removeprefix("machine.")] = Quantity(each["value"], each.get("low"), each.get("high"))
    return numbers


def _of_plant(plant: Mapping[str, Any]) -> dict[str, Quantity]:
    found = {key: msgspec.convert(each, Quantity) for key, each in plant.items() if key.startswith("machine.")}
    return {
        key.removeprefix("machine."): q for key, q in found.items() if q.identified and q.value is not None
    }  # fmt: skip


def _ends(value: float, found: Quantity) -> tuple[float, float, float]:
    """With its interval; an open end counts as 20 % off."""
    return (
        value, value * (1 - SHARE) if found.low is None else found.low,
        value * (1 + SHARE) if found.high is None else found.high,
    )  # fmt: skip
