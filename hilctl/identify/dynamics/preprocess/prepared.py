"""A record with what was done to it: the original is kept, and each step can be taken back."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hilctl.identify.dynamics.preprocess.steps import Change, Hampel, Reals, Treatment
from hilctl.params import BadValues, Problem


class Done(NamedTuple):
    """One step, and what it did to each channel."""

    treatment: Treatment
    channels: tuple[str, ...]
    changes: Mapping[str, Change]

    @property
    def text(self) -> str:
        """A line a channel."""
        return "\n".join(f"{name}: {change.text}" for name, change in self.changes.items())


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

    @property
    def text(self) -> str:
        """Everything that was done, in order."""
        return "\n".join(each.text for each in self.done)


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
