"""The sliding curve that the experiment starts from: fc, fs, vs, sigma, delta, as the campaign has found them."""

from collections.abc import Mapping
from typing import Any, NamedTuple

_NAMES = ("fc", "fs", "vs", "sigma")
_LEAST_N = 1e-3  # of fc and fs: laws with bristles have no less, and a fit of a curve that falls to nothing ends at 0


class Curve(NamedTuple):
    """Stribeck's curve."""

    fc: float
    fs: float
    vs: float
    sigma: float
    delta: float = 2.0
    other: "Curve | None" = None  # in the negative direction, where it differs

    @property
    def sides(self) -> "tuple[Curve, Curve]":
        """Of positive and of negative motion."""
        return self._replace(other=None), self.other or self._replace(other=None)

    @property
    def mean(self) -> "Curve":
        """Of both directions: half of what a force differs by between them."""
        forward, backward = ((c.fc, c.fs, c.vs, c.sigma, c.delta) for c in self.sides)
        return _of([0.5 * (a + b) for a, b in zip(forward, backward, strict=True)])

    def words(self, level: float = 1.0) -> list[float]:
        """As the compiled models read both directions; friction that many times as great."""
        return [word for c in self.sides for word in (level * c.fc, level * c.fs, c.vs, c.sigma, c.delta)]

    def table(self) -> dict[str, Any]:
        """As in a rig file."""
        forward, backward = (dict(zip((*_NAMES, "delta"), side[:-1], strict=True)) for side in self.sides)
        differs = {key: value for key, value in backward.items() if value != forward[key]}
        return {**forward, **({"negative": differs} if differs else {})}


def curve_of(table: Mapping[str, Any]) -> Curve:
    """The curve in a [friction] table, as a law with bristles takes it."""
    if any(not isinstance(table.get(name), int | float) for name in _NAMES):
        raise ValueError(f"the sliding curve needs {', '.join(_NAMES)}; the table has {', '.join(table)}")
    forward = [float(table[name]) for name in _NAMES] + [float(table.get("delta", 2.0))]
    other = table.get("negative") or {}
    backward = [float(value) if (value := other.get(name)) is not None else own
                for name, own in zip((*_NAMES, "delta"), forward, strict=True)]  # fmt: skip
    return _of(forward)._replace(other=_of(backward) if backward != forward else None)


def _of(words: list[float]) -> Curve:
    fc, fs, vs, sigma, delta = words
    return Curve(max(fc, _LEAST_N), max(fs, _LEAST_N), vs, sigma, delta)
