"""What to drive a rig with, so that its dynamics show: stepped sines, sweeps, multisines, within what it has room for.

    shape = Shape(amplitude, room)              the amplitude at each frequency
    made = multisine(check(Multisine, {...}), shape)
    history, begins = as_history(made.values, made.rate_hz)     for `upload` and `track waveform`

Everything is deterministic: the same request makes the same samples.
"""

from hilctl.identify.dynamics.excitation.multisine import Multisine, Tones, grid_lines, multisine
from hilctl.identify.dynamics.excitation.room import Room, scale_into, sine_room
from hilctl.identify.dynamics.excitation.shape import Shape
from hilctl.identify.dynamics.excitation.stepped import Step, Stepped, SteppedSine, stepped_sine
from hilctl.identify.dynamics.excitation.sweep import Sweep, Swept, sweep
from hilctl.identify.dynamics.excitation.upload import as_history

__all__ = [
    "Multisine",
    "Room",
    "Shape",
    "Step",
    "Stepped",
    "SteppedSine",
    "Sweep",
    "Swept",
    "Tones",
    "as_history",
    "grid_lines",
    "multisine",
    "scale_into",
    "sine_room",
    "stepped_sine",
    "sweep",
]
