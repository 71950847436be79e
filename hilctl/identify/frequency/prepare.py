"""What may be done to a channel before anything is identified from it; each says what it changed.

`Hampel`    a sample that is not where the two on each side say, by many times what is usual there, becomes a spline's
`ZeroPhase` a Butterworth low-pass run forwards and backwards: no lag; its gain is the square of one run's
`Detrend`   the mean is taken off

A filter and a detrending must be the same on input and output, or they become part of what is found. The original is
kept beside what was done to it, and each step can be taken back.
"""

from collections.abc import Mapping
from typing import Annotated, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.interpolate import CubicSpline
from scipy.ndimage import maximum_filter1d, median_filter
from scipy.signal import butter, sosfiltfilt

from hilctl.params import BadValues, Params, Problem, number, whole
from hilctl.results.response import Reals

_NORMAL = 1.4826  # a spread, from the median of absolute deviations of normal noise


class Change(NamedTuple):
    """What a step did to a channel."""

    values: Reals
    touched: int  # samples that it replaced, or all
    rms: float  # of the change, over the whole channel
    largest: float
    text: str


class Hampel(Params):
    """Outliers become what their neighbours say."""

    half: Annotated[int, whole(5, 500, "", "neighbours on each side that show the usual spread")] = 15
    spreads: Annotated[float, number(2, 50, "", "from the median that are one too many")] = 5.0

    def apply(self, values: Reals, rate_hz: float) -> Change:
        """The channel without outliers."""
        window = 2 * self.half + 1
        _fits(window, values, "half", f"{self.half} needs {window} samples")
        steps = np.abs(np.diff(values))
        least = float(np.median(steps[steps > 0])) if (steps > 0).any() else 0.0
        apart = _from_neighbours(values)
        apart = np.abs(apart - median_filter(apart, window, mode="nearest"))
        limit = self.spreads * np.maximum(_NORMAL * median_filter(apart, window, mode="nearest"), least)
        near = maximum_filter1d(apart > limit, 5)  # an outlier makes its neighbours look strange, too
        out = near & (np.abs(values - _bridged(values, near)) > limit)
        made = _bridged(values, out)
        found = int(np.count_nonzero(out))
        return _change(values, made, found, f"{found} outliers replaced")


class ZeroPhase(Params):
    """A low-pass without lag."""

    low_pass_hz: Annotated[float, number(0.01, 10_000, "Hz", "3 dB of one run, 6 dB of both")] = 200.0
    order: Annotated[int, whole(1, 8, "", "of one run")] = 4

    def apply(self, values: Reals, rate_hz: float) -> Change:
        """The channel, filtered."""
        if self.low_pass_hz >= 0.45 * rate_hz:
            raise BadValues([Problem("low_pass_hz", self.low_pass_hz, f"must be below {0.45 * rate_hz:g} Hz")])
        pad = int(3 * rate_hz / self.low_pass_hz) + 3 * self.order
        _fits(pad + 1, values, "low_pass_hz", f"{self.low_pass_hz:g} Hz needs {pad + 1} samples")
        made = sosfiltfilt(butter(self.order, self.low_pass_hz, fs=rate_hz, output="sos"), values, padlen=pad)
        return _change(values, made, len(values), f"low-passed at {self.low_pass_hz:g} Hz, no lag")


class Detrend(Params):
    """The mean taken off."""

    def apply(self, values: Reals, rate_hz: float) -> Change:
        """The channel without it."""
        mean = float(values.mean())
        return _change(values, values - mean, len(values), f"mean {mean:.6g} taken off")


Treatment = Hampel | ZeroPhase | Detrend


def _from_neighbours(values: Reals) -> Reals:
    """How far each sample is from the cubic through two on each side. A fast sine's is a sine too, and usual there."""
    x = np.pad(values, 2, mode="reflect", reflect_type="odd")
    return np.asarray(values - (4 * (x[1:-3] + x[3:-1]) - x[:-4] - x[4:]) / 6)


def _bridged(values: Reals, out: npt.NDArray[np.bool_]) -> Reals:
    """A spline through the others takes their place."""
    at = np.arange(len(values))
    if not out.any() or np.count_nonzero(~out) < 4:
        return values
    return np.asarray(np.where(out, CubicSpline(at[~out], values[~out])(at), values))


def _fits(count: int, values: Reals, key: str, limit: str) -> None:
    if count > len(values):
        raise BadValues([Problem(key, f"{len(values)} samples", limit, "record longer, or make it smaller")])


def _change(before: Reals, after: Reals, count: int, text: str) -> Change:
    apart = np.asarray(after - before)
    rms, largest = float(np.sqrt(np.mean(apart**2))), float(np.abs(apart).max())
    return Change(np.asarray(after), count, rms, largest, f"{text}; changed by {rms:.3g} rms, {largest:.3g} at most")


class Done(NamedTuple):
    """One step, and what it did to each channel."""

    treatment: Treatment
    channels: tuple[str, ...]
    changes: Mapping[str, Change]


class Prepared(NamedTuple):
    """Channels of one rate, as they were and as they are."""

    original: Mapping[str, Reals]
    rate_hz: float
    done: tuple[Done, ...] = ()

    @property
    def channels(self) -> dict[str, Reals]:
        """As they are after every step."""
        now = dict(self.original)
        for step in self.done:
            now.update({name: change.values for name, change in step.changes.items()})
        return now

    def then(self, treatment: Treatment, *names: str) -> "Prepared":
        """One step more: on every channel, or, for outliers, on those that are named.

        BadValues where a filter or a detrending is asked for on some channels only: it would become part of the
        response between them.
        """
        now = self.channels
        unknown = [name for name in names if name not in now]
        if unknown:
            raise BadValues([Problem("names", name, f"no such channel: {', '.join(now)}") for name in unknown])
        if names and set(names) != set(now) and not isinstance(treatment, Hampel):
            raise BadValues(
                [Problem("names", ", ".join(names), "must be all channels: done to one, it looks like dynamics")]
            )
        chosen = names or tuple(now)
        changes = {name: treatment.apply(now[name], self.rate_hz) for name in chosen}
        return self._replace(done=(*self.done, Done(treatment, chosen, changes)))

    def undone(self, step: int = -1) -> "Prepared":
        """Without one of the steps, the last by default; those after it are done again."""
        if not -len(self.done) <= step < len(self.done):
            raise BadValues([Problem("step", step, f"there are {len(self.done)} steps")])
        at = step % len(self.done)
        again = self._replace(done=self.done[:at])
        for each in self.done[at + 1 :]:
            again = again.then(each.treatment, *each.channels)
        return again


def prepare(channels: Mapping[str, npt.ArrayLike], rate_hz: float) -> Prepared:
    """Channels of one length, not yet changed; they are copied."""
    kept = {name: np.array(values, np.float64) for name, values in channels.items()}
    lengths = {len(values) if values.ndim == 1 else -1 for values in kept.values()}
    if len(lengths) != 1 or -1 in lengths:
        raise BadValues([Problem("channels", sorted(lengths), "must be series of one length")])
    broken = [name for name, values in kept.items() if not np.isfinite(values).all()]
    if broken:
        text = "must be finite; cut the record there, or look for what lost the samples"
        raise BadValues([Problem(name, "a value that is not finite", text) for name in broken])
    return Prepared(kept, float(rate_hz))
