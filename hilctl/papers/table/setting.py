"""The paper's rig: its friction and its ranges, its triangles, and the controllers that follow them."""

from typing import Any, NamedTuple

from hilctl.identify.friction import PAPER

RIG = "table-500"
TABLE_1 = {"fc": 287.0, "fs": 3118.0, "vs": 0.115, "sigma": 3251.0}
UNITS = {"fc": "N", "fs": "N", "vs": "m/s", "sigma": "N·s/m"}
PERIOD_S = 1.0
AMPLITUDES_M = (0.005, 0.025, 0.08)  # the first and the last are the paper's
SLOW_M, FAST_M = AMPLITUDES_M[0], AMPLITUDES_M[-1]
CYCLES = 3
SLOWEST_M_S, FASTEST_M_S = 0.001, 0.8
FAST_M_S = 0.4  # above it the falling branch is gone: exp(-(0.4/0.115)²) is 6e-6
STEEPNESS = 50.0  # s/m: the paper's factor of the smooth sign
KD_S_PER_M = 0.01  # with five times as much the loop hardly holds the hydraulic mode


class Controller(NamedTuple):
    """One that the triangles are tracked under."""

    name: str
    values: dict[str, Any]


PID = Controller("PID", {"law.feedback": "pid"})
PD = Controller("PD", {"law.feedback": "pid", "law.pid.ki_per_m_s": 0.0, "law.pid.kd_s_per_m": KD_S_PER_M})
THREE = Controller("three-variable", {"law.feedback": "three_state"})
CONTROLLERS = (PID, PD, THREE)


def speed_of(amplitude_m: float) -> float:
    """Equation 6."""
    return 4 * amplitude_m / PERIOD_S


def middle() -> dict[str, float]:
    """Of the paper's ranges: what the controller takes for friction before it is identified."""
    return {name: 0.5 * sum(PAPER.ends(name)) for name in TABLE_1}


def changes() -> dict[str, Any]:
    """The simulated rig has the friction of Table 1, and its controller does not know it."""
    true = {f"twin.friction.{name}": value for name, value in TABLE_1.items()}
    return {"twin.friction.model": "karnopp", **true, **{f"friction.{name}": x for name, x in middle().items()}}

