"""What compensation gains on the rig: sines, tracking, preview, learned drives and tuned gains."""

from typing import Annotated

from msgspec import Meta, Struct

Hz = Annotated[str, Meta(pattern=r"^\d+(\.\d+)?$")]  # the key of a sine
Percent = Annotated[float | None, Meta(description="of the fundamental's amplitude, or of the reference's rms")]


class Thd(Struct):
    """The distortion (THD) of a sine's acceleration, in %."""

    amplitude_m: float
    before: float | None = None
    after: float | None = None
    factor: Annotated[float | None, Meta(description="before over after")] = None
    resolution_before: Annotated[float | None, Meta(description="below it the sensor's noise hides the rest")] = None
    resolution_after: float | None = None
    learned: Annotated[float | None, Meta(description="with a learned drive")] = None


class Cycle(Struct, frozen=True):
    """One cycle, the mean of all, and its harmonics from the second on."""

    rate_hz: float
    reference_m_s2: list[float]
    acceleration_m_s2: list[float]
    harmonics_percent: list[float]


class Sine(Struct):
    """The acceleration of a sine, without and with compensation."""

    before: Cycle | None = None
    after: Cycle | None = None


class Worth(Struct, frozen=True):
    """The figures of a tracked motion; null where it was not finished, or has no such figure."""

    rms_um: Annotated[float | None, Meta(description="of the tracking error of displacement")]
    flatness_percent: Annotated[float | None, Meta(description="standard deviation of the speed on a straight")] = None
    thd_percent: Percent = None
    displacement_percent: Percent = None
    acceleration_percent: Percent = None
    outcome: Annotated[str, Meta(description="how it ended; empty where it was finished")] = ""


class Tracked(Struct):
    """A motion, and how well it was tracked."""

    kind: str
    name: str
    amplitude_m: float | None = None
    speed_m_s: float | None = None
    frequency_hz: float | None = None
    before: Worth | None = None
    after: Worth | None = None
    pid: Annotated[Worth | None, Meta(description="under PID alone, in the demonstration")] = None


class Worse(Struct, frozen=True):
    """A sine or a triangle that the inverse model made worse."""

    name: str
    figure: Annotated[str, Meta(description="what before and after are")]
    before: float
    after: Annotated[float, Meta(description="with the inverse model everywhere")]


class OnRig(Struct, frozen=True):
    """A friction model that was tried on the rig."""

    law: str
    percent: Annotated[float, Meta(description="distortion of the sine of `frequency_hz` with it")]
    extra_preview_s: float
    epoch: int
    by_hz: Annotated[dict[Hz, float], Meta(description="distortion of each sine, in %, by its frequency")] = {}
    factor: Annotated[
        float | None,
        Meta(description="times less distortion than without, the geometric mean over the sines; the most is kept"),
    ] = None


class Choice(Struct, frozen=True):
    """The friction models that were tried on the rig."""

    frequency_hz: float
    before_percent: Annotated[float, Meta(description="distortion with the rig file's machine")]
    tried: list[OnRig]
    kept: Annotated[str | None, Meta(description="null where none lowers the distortion")]
    why: str
    machine_percent: Annotated[
        float | None,
        Meta(
            description="distortion with the identified machine and its valve's inverse, friction not compensated; "
            "null where no overlap, hysteresis or threshold changed"
        ),
    ] = None
    before_by_hz: Annotated[dict[Hz, float], Meta(description="as before_percent, of each sine")] = {}
    machine_by_hz: Annotated[dict[Hz, float], Meta(description="as machine_percent, of each sine")] = {}
    machine_factor: Annotated[float | None, Meta(description="times less distortion so, likewise")] = None


class Preview(Struct, frozen=True):
    """The shift in time of the compensation with the least distortion."""

    extra_preview_s: float
    percent: float
    tried: Annotated[list[tuple[float, float]], Meta(description="shift in s and distortion in %, as tried")]


class Repeat(Struct, frozen=True):
    """A repeat of a motion whose drive is learned."""

    percent: Annotated[
        float, Meta(description="distortion, without the reference's own harmonics; of a record, the error")
    ]
    error_percent: Annotated[float, Meta(description="of the acceleration, relative to the reference's")]
    share: Annotated[float, Meta(description="of the difference that was corrected")]


class Learned(Struct, frozen=True):
    """A drive signal that was learned by repeating a motion."""

    name: Annotated[str, Meta(description="of the uploaded drive")]
    frequency_hz: Annotated[float | None, Meta(description="of a motion that repeats")]
    repeats: list[Repeat]
    best: Annotated[int, Meta(description="index of the repeat with the least error")]
    reached: Annotated[bool, Meta(description="whether the target was")]
    why: Annotated[str, Meta(description="it ended")]
    file: Annotated[str, Meta(description="the drive; empty where it is not kept")] = ""

    def __post_init__(self) -> None:
        if not 0 <= self.best < len(self.repeats):
            raise ValueError(f"best must be an index of {len(self.repeats)} repeats, is {self.best}")

    @property
    def percent(self) -> float:
        """The remaining distortion, or error."""
        return self.repeats[self.best].percent


class Margins(Struct, frozen=True):
    """Of a loop, each with the frequency at which it occurs; null where there is no limit."""

    rise_db: Annotated[float | None, Meta(description="the gain may rise by so much before the loop is unstable")]
    rise_hz: float | None
    fall_db: Annotated[float | None, Meta(description="the gain may fall by so much")]
    fall_hz: float | None
    phase_deg: Annotated[float | None, Meta(description="so much more lag makes the loop unstable")]
    phase_hz: float | None
    modulus: Annotated[float | None, Meta(description="least distance of the open loop from -1")]
    modulus_hz: float | None


class Curve(Struct, frozen=True):
    """A response over the frequencies."""

    magnitude: list[float]
    phase_deg: list[float]


class Loop(Struct, frozen=True):
    """What a loop is worth, and its responses."""

    margins: Margins | None
    crossover_hz: float | None
    minus_3_db_hz: Annotated[float | None, Meta(description="the table has fallen to 71 % of its reference")]
    minus_90_deg_hz: Annotated[float | None, Meta(description="the table is a quarter of a period late")]
    hz: list[float]
    loop: Curve
    follows: Curve


class Tuning(Struct, frozen=True):
    """Gains for the identified machine."""

    values: dict[str, float]
    source: Annotated[str, Meta(description="where the machine is from")]
    assumed: Annotated[list[str], Meta(description="parameters of the machine that were not identified")]
    spread: Annotated[dict[str, tuple[float, float]], Meta(description="ranges that the margins hold in")]
    decided_by: Annotated[list[str], Meta(description="what limits the gains")]
    before: Loop | None
    predicted: Loop | None
    measured_before: Loop | None
    measured_after: Loop | None
    epochs: list[int]
    taken_back: Annotated[str, Meta(description="why the old gains were restored; empty where they were not")] = ""
