"""A unit as the rig file writes it, in the base units of the SI."""

import re

_SUPERSCRIPT = {"²": 2, "³": 3}
_KNOWN = {
    "m": {"m": 1}, "s": {"s": 1}, "kg": {"kg": 1}, "rad": {"rad": 1}, "K": {"K": 1},
    "N": {"kg": 1, "m": 1, "s": -2}, "Pa": {"kg": 1, "m": -1, "s": -2}, "Hz": {"s": -1}, "1": {},
}  # fmt: skip


def base_unit(unit: str) -> dict[str, float] | None:
    """Exponents by base unit, and an offset where there is one; None where the unit has no fixed ones."""
    if unit == "°C":
        return {"K": 1, "offset": 273.15}
    out: dict[str, float] = {}
    above, _, below = unit.partition("/")
    for text, sign in ((above, 1), (below.strip("()"), -1)):
        for atom in filter(None, text.split("·")):
            found = re.fullmatch(r"([A-Za-z1]+)([²³]?)", atom)
            if found is None or found[1] not in _KNOWN:
                return None
            for base, power in _KNOWN[found[1]].items():
                out[base] = out.get(base, 0) + sign * power * _SUPERSCRIPT.get(found[2], 1)
    return {base: power for base, power in out.items() if power}
