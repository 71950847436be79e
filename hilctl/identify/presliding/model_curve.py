"""The sliding curve that the experiment starts from: fc, fs, vs, sigma, delta, as the campaign has found them."""

from collections.abc import Mapping
from typing import Any, NamedTuple

_NAMES = ("fc", "fs", "vs", "sigma")


class Curve(NamedTuple):
    """Stribeck's curve, alike in both directions: bristle laws have one."""

    fc: float
    fs: float
    vs: float
    sigma: float
    delta: float = 2.0

    def table(self) -> dict[str, float]:
        """As in a rig file."""
        return {key: float(value) for key, value in self._asdict().items()}


def curve_of(table: Mapping[str, Any]) -> tuple[Curve, bool]:
    """The curve in a [friction] table, and whether its directions differ; bristles get the mean of both."""
    if any(not isinstance(table.get(name), int | float) for name in _NAMES):
        raise ValueError(f"the sliding curve needs {', '.join(_NAMES)}; the table has {', '.join(table)}")
    forward = [float(table[name]) for name in _NAMES] + [float(table.get("delta", 2.0))]
    other = table.get("negative") or {}
    backward = [float(value) if (value := other.get(name)) is not None else own
                for name, own in zip((*_NAMES, "delta"), forward, strict=True)]  # fmt: skip
    return Curve(*(0.5 * (a + b) for a, b in zip(forward, backward, strict=True))), forward != backward
