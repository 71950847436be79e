"""Numbers as people read them: with a prefix, and never without a unit."""

import math

_PREFIXES = ((1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n"))
_PLAIN = ("", "°C", "1/s", "%", "rad")


def shown(value: float | None, unit: str, digits: int = 4) -> str:
    """Like 12.35 mm, 3.2 MPa, 17.5 µs."""
    if value is None or not math.isfinite(value):
        return "–"
    if unit == "ns":
        return shown(value * 1e-9, "s", digits)
    if unit in _PLAIN or value == 0:
        return f"{value:.{digits}g} {unit}".rstrip()
    factor, prefix = next((one for one in _PREFIXES if abs(value) >= one[0] * 0.9995), _PREFIXES[-1])
    return f"{value / factor:.{digits}g} {prefix}{unit}"
