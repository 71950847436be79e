"""What a study is asked for."""

from typing import Literal, get_args

import msgspec

from hilctl.identify.plant.record import CHANNELS
from hilctl.params import BadValues, Problem, nearest
from hilctl.signals import NAMES

Excitation = Literal["multisine", "sweep", "stepped", "plant"]
EXCITATIONS: tuple[Excitation, ...] = get_args(Excitation)
FASTEST = 20.0  # m/s, of a carrier
MOST_STARTS = 1000


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """By whoever starts it; 0 and empty are for the plant to say."""

    excitations: tuple[Excitation, ...] = ()
    start_hz: float = 0.0
    end_hz: float = 0.0
    amplitude_m: float = 0.0  # at most, whatever the rig has room for
    input: str = ""
    output: str = ""
    load_pressure: bool = False
    carrier_m_s: float | None = None  # under what is too slow to slide by itself; 0: none; None: by the rig's friction
    fixed: dict[str, float] = {}  # parameters of the grey box that are known
    free: dict[str, tuple[float, float] | None] = {}  # that are searched, between bounds; None: the grey box's own
    tied: dict[str, tuple[float, dict[str, float]]] = {}  # a factor, times others to their powers
    starts: int = 0  # random ones, besides the rig file's
    checks: bool = True  # motions that nothing is fitted to

    @property
    def channels(self) -> tuple[str, ...]:
        """Everything that is fetched of each motion."""
        more = ("load_pressure_pa", "velocity_m_s", "xr_m", self.input, self.output)
        return (*CHANNELS, *dict.fromkeys(name for name in more if name and name not in CHANNELS))


def check_asked(asked: Asked) -> None:
    """BadValues where it makes no sense."""
    problems = [
        Problem("excitation", name, f"must be one of {', '.join(EXCITATIONS)}", nearest(name, EXCITATIONS))
        for name in asked.excitations if name not in EXCITATIONS
    ]  # fmt: skip
    problems += [
        Problem(key, name, "is no channel", nearest(name, NAMES))
        for key, name in (("input", asked.input), ("output", asked.output)) if name and name not in NAMES
    ]  # fmt: skip
    if asked.input and asked.input == asked.output:
        problems.append(Problem("output", asked.output, "must be another channel than the input"))
    if asked.start_hz < 0 or (asked.end_hz and asked.end_hz <= max(asked.start_hz, 0.0)):
        band = f"{asked.start_hz:g} to {asked.end_hz:g} Hz"
        problems.append(Problem("band", band, "must begin above 0 and end above its beginning"))
    if asked.amplitude_m < 0:
        problems.append(Problem("amplitude", asked.amplitude_m, "must be above 0 m"))
    if asked.carrier_m_s is not None and not 0 <= asked.carrier_m_s <= FASTEST:
        problems.append(Problem("carrier", asked.carrier_m_s, f"must be from 0 (none) to {FASTEST:g} m/s"))
    if not 0 <= asked.starts <= MOST_STARTS:
        problems.append(Problem("starts", asked.starts, f"must be 0 to {MOST_STARTS} searches"))
    if problems:
        raise BadValues(problems)
