"""The scope of one browser: what it watches, its trigger, what it caught. Blocks come on the feed's thread."""

import threading
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

from hilctl.panel.samples import SPAN_S, Samples
from hilctl.panel.trigger import Search, Trigger
from hilctl.panel.view import MOST_TRACES, Shown, View, plane

SHORTEST_S, LONGEST_S = 0.01, SPAN_S
FIRST_SHOWN = ("xr_m", "position_m", "error_m", "u_cmd")


class Caught(NamedTuple):
    """A trigger that has fired."""

    tick: int
    first: int
    last: int  # included


class Scope:
    """Live, frozen, or waiting for its trigger. Its methods may be called by any thread."""

    def __init__(self, samples: Callable[[], Samples | None]) -> None:
        self._samples = samples
        self._lock = threading.RLock()
        self.channels: tuple[str, ...] = FIRST_SHOWN
        self.window_s = 10.0
        self.pair: tuple[str, str] | None = None  # of the plane
        self.trigger: Trigger | None = None
        self.again = False  # whether the trigger is armed again after each capture
        self.caught: Caught | None = None
        self._search: Search | None = None
        self._waits: Caught | None = None  # fired, and what comes after it is not there yet
        self._generation = 0
        self._view: View | None = None
        self._plane_end = -1
        self._new()

    # --- what is shown

    @property
    def state(self) -> Literal["live", "frozen", "armed", "caught"]:
        """In one word."""
        with self._lock:
            if self._search is not None or self._waits is not None:
                return "armed"
            if self.caught is not None:
                return "caught"
            return "frozen" if self._view is not None and self._view.at else "live"

    def show(self, channels: list[str] | None = None, window_s: float | None = None) -> None:
        """Other channels, or another window; a window that stands keeps its middle."""
        with self._lock:
            samples, at = self._samples(), self.at
            if channels is not None:
                known = samples.names if samples is not None else channels
                self.channels = tuple(name for name in channels if name in known)[:MOST_TRACES]
            if window_s is not None:
                self.window_s = min(max(window_s, SHORTEST_S), LONGEST_S)
                if at is not None and samples is not None:
                    middle, half = (at.first + at.last) // 2, int(self.window_s * samples.rate_hz) // 2
                    at = Shown(middle - half, middle + half)
            self._new(at)

    @property
    def at(self) -> Shown | None:
        """The window that stands; None where it follows."""
        return self._view.at if self._view is not None else None

    def window(self) -> Shown | None:
        """What is shown now."""
        samples = self._samples()
        if samples is None or not samples.end:
            return None
        with self._lock:
            return self.at or Shown(max(samples.first, samples.end - int(self.window_s * samples.rate_hz)), samples.end)

    @property
    def shown_s(self) -> float:
        """From the first to the last sample that is shown; of a window that follows, as it was chosen."""
        samples, at = self._samples(), self.at
        return self.window_s if samples is None or at is None else (at.last - at.first - 1) / samples.rate_hz

    def freeze(self) -> None:
        """Stands still."""
        now = self.window()
        if now is not None:
            with self._lock:
                self._new(now)

    def look(self, first: int, last: int) -> None:
        """Stands at this window, as zoomed or dragged."""
        samples = self._samples()
        if samples is None:
            return
        shortest, longest = int(SHORTEST_S * samples.rate_hz), int(LONGEST_S * samples.rate_hz)
        with self._lock:
            length = min(max(last - first, shortest, 2), longest)
            self._new(Shown(first, first + length))

    def live(self) -> None:
        """Follows again; a trigger is given up."""
        with self._lock:
            self.caught = self._waits = self._search = self.trigger = None
            self._new()

    def _new(self, at: Shown | None = None) -> None:
        samples = self._samples()
        self._generation += 1
        self._plane_end = -1
        ticks = int(self.window_s * samples.rate_hz) if samples is not None else 2
        self._view = View(self.channels, ticks, self._generation, at)

    def renew(self) -> None:
        """Other samples: another run of the service."""
        with self._lock:
            self.caught = self._waits = None
            self._search = Search(self.trigger) if self.trigger is not None else None
            samples = self._samples()
            if samples is not None:
                self.channels = tuple(name for name in self.channels if name in samples.names)
            self._new()

    def mark(self) -> tuple[int, str, Caught | None]:
        """Changes whenever `about` does."""
        with self._lock:
            return self._generation, self.state, self.caught

    def about(self) -> dict[str, Any]:
        """What the browser has to know of the frames of this generation."""
        samples = self._samples()
        with self._lock:
            return {
                "generation": self._generation, "channels": list(self.channels), "state": self.state,
                "rate_hz": samples.rate_hz if samples is not None else 1.0,
                "pair": list(self.pair) if self.pair else None,
                "trigger_tick": self.caught.tick if self.caught else None,
            }  # fmt: skip

    def frame(self) -> bytes | None:
        """What the browser has not got; None where there is nothing."""
        samples = self._samples()
        with self._lock:
            if samples is None or not samples.end or self._view is None:
                return None
            if self.pair is not None:
                at = self.window()
                if at is None or (
                    samples.end == self._plane_end or (self.at is not None and self._plane_end >= at.last)
                ):
                    return None
                self._plane_end = samples.end
                return plane(samples, self.pair, at, self._generation)
            return self._view.frame(samples)

    def plane(self, pair: tuple[str, str] | None) -> None:
        """One channel over another, or both over time."""
        with self._lock:
            self.pair = pair
            self._new(self.at)

    # --- the trigger

    def arm(self, trigger: Trigger, *, again: bool) -> None:
        """Waits for it from the next block on. BadTrigger where it cannot fire."""
        samples = self._samples()
        trigger.check(samples.names if samples is not None else (), LONGEST_S / 2)
        with self._lock:
            self.trigger, self.again = trigger, again
            self.caught = self._waits = None
            self._search = Search(trigger)
            self._new()

    def block(self, columns: dict[str, Any], samples: Samples) -> bool:
        """A block that has come, and is among the samples; whether a capture is whole by it."""
        with self._lock:
            before = self._generation
            if self._search is not None:
                self._fired(self._search.block(columns), samples)
            if self._waits is not None and samples.end > self._waits.last:
                self.caught, self._waits = self._waits, None
                self._new(Shown(self.caught.first, self.caught.last + 1))
                if self.again and self.trigger is not None:
                    self._search = Search(self.trigger)
            return self._generation != before

    def event(self, kind: str, tick: int, samples: Samples) -> None:
        """An event that has come."""
        with self._lock:
            if self._search is not None:
                self._fired(self._search.event(kind, tick), samples)

    def _fired(self, tick: int | None, samples: Samples) -> None:
        if tick is None or self.trigger is None:
            return
        pre, post = (round(s * samples.rate_hz) for s in (self.trigger.pre_s, self.trigger.post_s))
        self._waits, self._search = Caught(tick, tick - pre, tick + post), None
