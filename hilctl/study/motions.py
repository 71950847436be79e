"""The motions of a study, in the words of `hilctl track`; and an earthquake that needs no file."""

import math
from typing import Any

from hilctl.demo.quake import PEAK_M, quake
from hilctl.errors import WrongUse
from hilctl.law.motions import Samples
from hilctl.rig import Rig
from hilctl.study.one import planned
from hilctl.study.plan import Motion

EARTHQUAKE = "earthquake"
_LONGEST_S = 600.0
_SHARE = 1 / 3  # of limits.position: the amplitude of the motion that is taken where none is given


def usual(rig: Rig) -> Motion:
    """A sine of 1 Hz for five seconds, which most rigs can do."""
    position = rig.tables.limits.position
    reach_m = min(abs(position.min_m), abs(position.max_m), rig.tables.limits.velocity.max_m_s / (2 * math.pi))
    return Motion("sine", "sine", {"frequency_hz": 1.0, "amplitude_m": round(_SHARE * reach_m, 4), "duration_s": 5.0},
                  "")  # fmt: skip


def motion(kind: str, parameters: dict[str, Any], samples: Samples | None, earlier: list[Motion]) -> Motion:
    """One of them, with a name that none of the earlier ones has."""
    if kind == "external":
        raise WrongUse("--motion external: a client would have to send it while it runs; give its positions as a "
                       "waveform (a CSV file)")  # fmt: skip
    if kind == EARTHQUAKE:
        kind, parameters, samples = "waveform", {"peak_m": PEAK_M, **parameters}, _quake()
        name = EARTHQUAKE
    else:
        name = kind
    count = sum(one.name.rstrip("0123456789") == name for one in earlier)
    name = name if not count else f"{name}{count + 1}"
    if samples is None:
        return Motion(name, kind, parameters, "")
    return Motion(name, kind, parameters, "", samples.times_s.tolist(), samples.values.tolist(), samples.quantity)


def _quake() -> Samples:
    made = quake(1)
    return Samples(made.times_s, made.values, "acceleration")


def checked(motions: list[Motion], rig: Rig) -> list[Motion]:
    """Planned and checked on the nominal rig, with their texts; an error where one does not fit or never ends."""
    found = []
    for number, one in enumerate(motions, 1):
        plan = planned(one, rig, 0.0, number)
        if plan.duration_s > _LONGEST_S:
            told = "runs until it is stopped" if math.isinf(plan.duration_s) else f"takes {plan.duration_s:g} s"
            raise WrongUse(f"--motion {one.name}: it {told}, and a run takes at most {_LONGEST_S:g} s; give --cycles "
                           "or --duration")  # fmt: skip
        found.append(Motion(one.name, one.kind, one.parameters, plan.text, one.times_s, one.values, one.quantity))
    return found
