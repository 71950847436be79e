"""Where a valve goes with a command: hysteresis and threshold."""

from typing import Any

from hilctl.rt.jit import jit


@jit(lambda: "void(float64[::1], float64, float64, float64[::1], float64[::1])", cached=True)
def follow(sent: Any, play: float, threshold: float, followed: Any, slope: Any) -> None:
    """Where a valve goes: a hysteresis of twice `play` is dragged along by the command, what changes that by no more
    than `threshold` leaves it where it is. And the derivative by `play`.
    """
    at, by = sent[0], 0.0
    held, held_by = at, by
    for k in range(len(sent)):
        if at < sent[k] - play:
            at, by = sent[k] - play, -1.0
        elif at > sent[k] + play:
            at, by = sent[k] + play, 1.0
        if abs(at - held) > threshold:
            held, held_by = at, by
        followed[k], slope[k] = held, held_by
