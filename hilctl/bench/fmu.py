"""The twin's FMI unit against the twin, sample by sample: every friction model on three presets, and every specimen.

Both are driven with the same triangle, the noise off. `worst` is the greatest difference of any reading in any sample,
relative to that reading's greatest value; `same_bits` counts the cases in which no bit differs.
"""

from collections.abc import Mapping
from typing import Any

from hilctl.errors import HilctlError
from hilctl.fmu.compare import Agreement, agreement, triangle
from hilctl.friction import MODELS, Kind, linear_models
from hilctl.params import leaves
from hilctl.rig import Rig, load

PRESETS = ("table-500", "column-50", "press-1500")
SPECIMENS = ("rigid", "structure", "pendulum", "chain")
SECONDS = 10.0
ALLOWED = {Kind.JUMPS: 1e-6, Kind.SMOOTH: 1e-9, Kind.BRISTLES: 1e-9}
_REFERENCE_KG = 500.0  # of the rig that the models' typical parameters are of
_SWITCHES = ("armstrong", "gms")  # their bristles let go at a level


def rig_under(preset: str, model: str, specimen: str = "none") -> Rig:
    """A preset under a friction model, its forces in proportion to the mass, with a specimen on the table."""
    mass = load(preset, twin=True).tables.machine.m
    share, units = mass / _REFERENCE_KG, {leaf.path: leaf.unit for leaf in leaves(MODELS[model].Params)}
    forces = {key for key, unit in units.items() if unit.startswith("N")}
    typical = {key: value * share if key in forces else value for key, value in MODELS[model].typical.items()}
    changes: Mapping[str, Any] = {"twin.friction": {"model": model, **typical}, "twin.specimen.kind": specimen}
    return load(preset, twin=True, changes=changes)


def allowed(model: str) -> float:
    """The difference that is accepted under a model."""
    return ALLOWED[Kind.JUMPS] if model in _SWITCHES else ALLOWED[MODELS[model].kind]


def cases(quick: bool) -> list[tuple[str, str, str]]:
    """Preset, model, specimen."""
    presets = PRESETS[:1] if quick else PRESETS
    bare = [(preset, model, "none") for preset in presets for model in linear_models()]
    return bare + [(PRESETS[0], model, one) for one in SPECIMENS for model in ("karnopp", "lugre")]


def run(quick: bool) -> dict[str, Any]:
    """The differences, by preset, model and specimen."""
    seconds = 1.0 if quick else SECONDS
    worst: dict[str, dict[str, float]] = {}
    same = 0
    for preset, model, specimen in cases(quick):
        rig = rig_under(preset, model, specimen)
        found = agreement(rig, triangle(rig, seconds))
        if not found.worst <= allowed(model):
            raise HilctlError(_apart(preset, model, specimen, found))
        name = preset if specimen == "none" else f"{preset} with {specimen}"
        worst.setdefault(name, {})[model] = found.worst
        same += found.same_bits
    return {
        "bench": "fmu",
        "figures": {"worst": worst, "cases": len(cases(quick)), "same_bits": same, "seconds_each": seconds},
        "ratio": {},
    }


def _apart(preset: str, model: str, specimen: str, found: Agreement) -> str:
    return (f"{preset}, {model}, {specimen}: {found.reading} of the unit differs from the twin's by {found.worst:.2g} "
            f"of its greatest value, at most {allowed(model):g} is accepted")  # fmt: skip
