"""Numbers as a person reads them: as many digits as are known, in a unit of their size."""

import math

_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_PREFIXES = {-9: "n", -6: "µ", -3: "m", 0: "", 3: "k", 6: "M", 9: "G"}
_PREFIXED = ("Pa", "s", "m", "N", "N/m", "N·s/m", "N/s")  # units that a prefix goes well with
_LEAST, _MOST = 0.1, 1e5  # plain between these
_DIGITS = 4  # of a number without an interval
_MOST_DIGITS = 7
_THIN = "\u202f"


def plain(x: float | None, digits: int = _DIGITS) -> str:
    """With so many significant digits, never as 1e+05; a dash for a value that is missing."""
    if x is None or not math.isfinite(x):
        return "–"
    if x == 0:
        return "0"
    exponent = math.floor(math.log10(abs(x)))
    if not -5 < exponent < 6:
        return f"{fixed(x / 10.0**exponent, digits - 1, strip=True)} × {power(exponent)}"
    return fixed(x, digits - 1 - exponent, strip=True)


def fixed(x: float, decimals: int, strip: bool = False) -> str:
    """With so many decimals; the zeros at its end may be left out."""
    text = f"{round(x, decimals):,.{max(decimals, 0)}f}".replace(",", _THIN)
    if strip and "." in text:
        text = text.rstrip("0").rstrip(".")
    if abs(x) < 10_000:
        text = text.replace(_THIN, "")
    return text.replace("-", "−") if text.strip("-0.") else text.lstrip("-")


def power(exponent: int) -> str:
    """Of ten."""
    return "10" + str(exponent).translate(_SUPERSCRIPT)


def percent(x: float | None) -> str:
    """Two or three digits tell enough."""
    if x is None or not math.isfinite(x):
        return "–"
    size = math.floor(math.log10(abs(x))) if x else 0
    return f"{fixed(x, min(max(1 - size, 1 if size < 2 else 0), 4))}{_THIN}%"


def with_unit(x: float | None, unit: str, digits: int = _DIGITS) -> str:
    """In one piece."""
    value, _, unit = quantity(x, None, None, unit, digits)
    return value if value == "–" else f"{value} {unit}".strip()


def quantity(
    value: float | None, low: float | None, high: float | None, unit: str, digits: int = _DIGITS
) -> tuple[str, str, str]:
    """Value, interval and unit: digits as the interval allows, a unit as the size asks."""
    if value is None or not math.isfinite(value):
        return "–", "", unit
    half = max((abs(end - value) for end in (low, high) if end is not None), default=0.0)
    factor, unit = scaled(max(abs(value), half), unit)
    half /= factor
    decimals = _decimals(value / factor, half, digits)
    shown = fixed(value / factor, decimals, strip=not half)
    if low is None and high is None:
        return shown, "", unit
    ends = [fixed(end / factor, decimals) if end is not None else "open" for end in (low, high)]
    return shown, f"[{ends[0]}, {ends[1]}]", unit


def scaled(size: float, unit: str) -> tuple[float, str]:
    """What to divide by, and the unit then."""
    size = abs(size)
    at_home = 1e-3 if unit not in ("s", "m", "Pa") else _LEAST
    if size == 0 or at_home <= size < _MOST:
        return 1.0, unit
    exponent = 3 * math.floor(math.log10(size) / 3 + 1e-12)
    if exponent == 0:
        return 1.0, unit
    if unit in _PREFIXED and exponent in _PREFIXES:
        return 10.0**exponent, _PREFIXES[exponent] + unit
    return 10.0**exponent, f"× {power(exponent)} {unit}".strip()


def _decimals(value: float, half: float, digits: int) -> int:
    """Two digits of half the interval; without one, significant digits."""
    size = math.floor(math.log10(abs(value))) if value else 0
    by_digits = digits - 1 - size
    if not half:
        return by_digits
    return max(min(1 - math.floor(math.log10(half)), _MOST_DIGITS - 1 - size), 0)
