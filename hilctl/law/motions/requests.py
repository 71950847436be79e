"""The motions as they are requested over the wire. Each becomes a plan in the file of its name."""

from collections.abc import Iterator
from typing import Annotated, Literal

from hilctl.params import Params, Problem, note, number, whole

_CENTER = number(-5, 5, "m", "where the motion is centred")
_AMPLITUDE = number(1e-6, 5, "m", "from the centre to the peak")
_DURATION = number(0, 1e6, "s", "how long at full amplitude; 0: see cycles")
_RISE = number(0.02, 600, "s", "soft start: the amplitude rises from nothing")
_FALL = number(0.02, 600, "s", "soft stop: the amplitude falls to nothing")
_FREQUENCY = number(1e-4, 500, "Hz", "frequency")


def _one_length(at: str, cycles: float, duration_s: float) -> Iterator[Problem]:
    if cycles and duration_s:
        yield Problem(f"{at}.duration_s", duration_s, f"cannot stand beside cycles = {cycles:g}", "give one of them")


class Move(Params):
    """To a position, and rest there."""

    position_m: Annotated[float, number(-5, 5, "m", "where to go")]
    duration_s: Annotated[float, number(0, 3600, "s", "how long; 0: as the speed, or the rig's approach, allows")] = 0.0
    speed_m_s: Annotated[float, number(0, 20, "m/s", "peak speed; 0: the rig's approach velocity")] = 0.0

    def inconsistencies(self, at: str) -> Iterator[Problem]:
        """A duration and a speed would contradict each other."""
        if self.duration_s and self.speed_m_s:
            yield Problem(
                f"{at}.speed_m_s", self.speed_m_s, f"cannot stand beside duration_s = {self.duration_s:g}",
                "give one of them",
            )


class Triangle(Params):
    """Constant speed up and down, with rounded corners: the rig file's acceleration turns it."""

    amplitude_m: Annotated[float, number(1e-6, 5, "m", "from the centre to the peak of the rounded corner")]
    speed_m_s: Annotated[float, number(0, 20, "m/s", "speed of the straights; 0: from the frequency")] = 0.0
    frequency_hz: Annotated[float, number(0, 500, "Hz", "frequency, corners included; 0: from the speed")] = 0.0
    center_m: Annotated[float, _CENTER] = 0.0
    cycles: Annotated[int, whole(0, 10_000_000, "", "how many; 0 and no duration: until stopped")] = 0
    duration_s: Annotated[float, number(0, 1e6, "s", "how long, in whole cycles; 0: see cycles")] = 0.0

    def inconsistencies(self, at: str) -> Iterator[Problem]:
        """Exactly one of speed and frequency; at most one of cycles and duration."""
        if bool(self.speed_m_s) == bool(self.frequency_hz):
            yield Problem(f"{at}.speed_m_s", self.speed_m_s, "give either speed_m_s or frequency_hz, above 0")
        yield from _one_length(at, self.cycles, self.duration_s)


class Sine(Params):
    """A sine about a centre, faded in and out."""

    amplitude_m: Annotated[float, _AMPLITUDE]
    frequency_hz: Annotated[float, _FREQUENCY]
    center_m: Annotated[float, _CENTER] = 0.0
    cycles: Annotated[float, number(0, 1e7, "", "how many at full amplitude; 0 and no duration: until stopped")] = 0.0
    duration_s: Annotated[float, _DURATION] = 0.0
    soft_start_s: Annotated[float, _RISE] = 1.0
    soft_stop_s: Annotated[float, _FALL] = 1.0

    def inconsistencies(self, at: str) -> Iterator[Problem]:
        """At most one of cycles and duration."""
        yield from _one_length(at, self.cycles, self.duration_s)


class Chirp(Params):
    """A sine that sweeps from one frequency to another; soft start and soft stop lie within the sweep."""

    amplitude_m: Annotated[float, _AMPLITUDE]
    start_hz: Annotated[float, _FREQUENCY]
    end_hz: Annotated[float, _FREQUENCY]
    duration_s: Annotated[float, number(0.1, 1e5, "s", "how long the sweep takes, soft start and stop included")]
    law: Annotated[Literal["linear", "log"], note("the frequency grows by equal steps, or by equal ratios")] = "log"
    knee_hz: Annotated[
        float, number(0, 500, "Hz", "amplitude falls as 1/(1 + (f/knee)²): constant acceleration far above; 0: none")
    ] = 0.0
    center_m: Annotated[float, _CENTER] = 0.0
    soft_start_s: Annotated[float, _RISE] = 1.0
    soft_stop_s: Annotated[float, _FALL] = 1.0

    def inconsistencies(self, at: str) -> Iterator[Problem]:
        """The ramps fit into the sweep."""
        ramps_s = self.soft_start_s + self.soft_stop_s
        if ramps_s > self.duration_s:
            yield Problem(
                f"{at}.duration_s", self.duration_s, f"must hold soft_start_s + soft_stop_s = {ramps_s:g} s",
                "lengthen the sweep or shorten the ramps",
            )


class Waveform(Params):
    """An uploaded displacement or acceleration history, as a spline that begins and ends at rest."""

    upload: Annotated[str, note("name under which the history was uploaded")] = ""
    scale: Annotated[float, number(-1000, 1000, "", "factor on the history; must not be 0")] = 1.0
    peak_m: Annotated[float, number(0, 5, "m", "scales it to this peak displacement; 0: no")] = 0.0
    knot_s: Annotated[float, number(0, 10, "s", "spacing of the spline's knots; 0: as the history's samples")] = 0.0
    low_pass_hz: Annotated[float, number(0, 1000, "Hz", "zero-phase low-pass, fourth order twice; 0: none")] = 0.0
    high_pass_hz: Annotated[float, number(0, 100, "Hz", "zero-phase high-pass, second order twice; 0: none")] = 0.0
    taper_s: Annotated[float, number(0, 60, "s", "how long the ends are blended to rest")] = 0.25
    return_to_start: Annotated[bool, note("drift is corrected so that it ends where it began")] = True
    center_m: Annotated[float, _CENTER] = 0.0

    def inconsistencies(self, at: str) -> Iterator[Problem]:
        """A scale that leaves something, and one way of scaling."""
        if self.scale == 0.0:
            yield Problem(f"{at}.scale", self.scale, "must not be 0")
        if self.peak_m and abs(self.scale) != 1.0:
            yield Problem(f"{at}.scale", self.scale, "must be 1 or -1 beside peak_m", "give one of them")
        if self.low_pass_hz and self.high_pass_hz >= self.low_pass_hz:
            limit = f"must be below low_pass_hz = {self.low_pass_hz:g} Hz"
            yield Problem(f"{at}.high_pass_hz", self.high_pass_hz, limit)


class External(Params):
    """Positions that a client sends while the table moves, a fixed interval apart."""

    interval_s: Annotated[float, number(1e-4, 1, "s", "from one position to the next; at least the loop's period")]
    buffer_s: Annotated[float, number(0, 10, "s", "how much must have been sent before the table moves")] = 0.1


MOTIONS: dict[str, type[Params]] = {
    "move": Move,
    "triangle": Triangle,
    "sine": Sine,
    "chirp": Chirp,
    "waveform": Waveform,
    "external": External,
}
