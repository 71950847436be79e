"""The options of a study."""

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
    """What the user asks for; 0 and empty leave the choice to the kind of rig."""

    excitations: tuple[Excitation, ...] = ()
    start_hz: float = 0.0
    end_hz: float = 0.0
    amplitude_m: float = 0.0  # upper limit; the limits of the rig may reduce it further
    input: str = ""
    output: str = ""
    load_pressure: bool = False
    carrier_m_s: float | None = None  # under sines too slow to slide alone; 0: none; None: from the friction model
    fixed: dict[str, float] = {}  # known parameters of the grey box
    free: dict[str, tuple[float, float] | None] = {}  # searched, between bounds; None: the default bounds
    tied: dict[str, tuple[float, dict[str, float]]] = {}  # a factor times powers of other parameters
    starts: int = 0  # random starts, in addition to the rig file's values
    checks: bool = True  # also drive motions that models are only validated on

    @property
    def channels(self) -> tuple[str, ...]:
        """The channels fetched for each motion."""
        more = ("load_pressure_pa", "velocity_m_s", "xr_m", self.input, self.output)
        return (*CHANNELS, *dict.fromkeys(name for name in more if name and name not in CHANNELS))


def check_asked(asked: Asked) -> None:
    """BadValues for options that contradict themselves or each other."""
    problems = [
        Problem("excitation", name, f"must be one of {', '.join(EXCITATIONS)}", nearest(name, EXCITATIONS))
        for name in asked.excitations if name not in EXCITATIONS
    ]  # fmt: skip
    problems += [
        Problem(key, name, "no such channel", nearest(name, NAMES))
        for key, name in (("input", asked.input), ("output", asked.output)) if name and name not in NAMES
    ]  # fmt: skip
    if asked.input and asked.input == asked.output:
        problems.append(Problem("output", asked.output, "must differ from the input"))
    if asked.start_hz < 0 or (asked.end_hz and asked.end_hz <= max(asked.start_hz, 0.0)):
        band = f"{asked.start_hz:g} to {asked.end_hz:g} Hz"
        problems.append(Problem("band", band, "must start above 0 Hz and end above its start"))
    if asked.amplitude_m < 0:
        problems.append(Problem("amplitude", asked.amplitude_m, "must be above 0 m"))
    if asked.carrier_m_s is not None and not 0 <= asked.carrier_m_s <= FASTEST:
        problems.append(Problem("carrier", asked.carrier_m_s, f"must be from 0 (none) to {FASTEST:g} m/s"))
    if not 0 <= asked.starts <= MOST_STARTS:
        problems.append(Problem("starts", asked.starts, f"must be 0 to {MOST_STARTS} searches"))
    if problems:
        raise BadValues(problems)
