"""Whether today's program computes with the same bits as the one that recorded: the processor, the compiler, the C
library. Where one of them is another, sums may be rounded otherwise, and the last bits say nothing."""

from typing import NamedTuple

from hilctl.recording.reader import Recording
from hilctl.recording.writer import host, versions

# Share of the largest value of a channel so far. Rounding makes 1e-16 of each step, and the closed loop, fed with the
# recorded readings, forgets it; a term that is altered by a millionth shows.
TOLERANCE = 1e-9
_SHAPING = ("numba", "llvmlite", "numpy", "libc")


class Build(NamedTuple):
    """What differs, in words."""

    others: tuple[str, ...]

    @property
    def same(self) -> bool:
        """Whether every bit must be equal."""
        return not self.others


def build_of(recording: Recording) -> Build:
    """Of the recording, against this program on this processor."""
    now, was = versions(), recording.versions
    others = [f"{name} {was.get(name, 'unknown')}, now {now[name]}" for name in _SHAPING if was.get(name) != now[name]]
    processor = host()["processor"]
    if recording.host.get("processor") != processor:
        others.append(f"processor {recording.host.get('processor', 'unknown')}, now {processor}")
    return Build(tuple(others))
