"""A made-up rig, as the reversal experiment sees it."""

from typing import Any

import msgspec

from hilctl.experiment.facts import Facts

CURVE = {"fc": 287.0, "fs": 3118.0, "vs": 0.115, "sigma": 3251.0}
SENSORS = ("displacement", "acceleration", "pressure_a", "pressure_b")
_LATE_S, _NOISE = (5e-4, 5.1e-4, 0.0, 0.0), (5e-6, 0.02, 25e3, 25e3)
FACTS = Facts(
    "made-up", 1000.0, 0,
    {
        "machine.m": 500.0, "machine.A": 3e-3, "machine.B": 0.0, "machine.K": 0.0, "machine.vertical": False,
        "machine.beta": 3.8e7 * 8.5e-4 / (4 * 3e-3**2), "machine.Vt": 8.5e-4, "machine.stroke_m": 0.1,
        **{f"sensors.{name}.delay_s": value for name, value in zip(SENSORS, _LATE_S, strict=True)},
        **{f"sensors.{name}.noise": value for name, value in zip(SENSORS, _NOISE, strict=True)},
    },
)  # fmt: skip


def but(**changes: Any) -> Facts:
    """The same with another oil, stroke, noise of a sensor, or rate."""
    rate_hz = changes.pop("rate_hz", FACTS.rate_hz)
    oil_n_m = changes.pop("oil_n_m", FACTS.oil_n_m)
    keys = {"stroke_m": "machine.stroke_m", "noise_x": "sensors.displacement.noise",
            "noise_a": "sensors.acceleration.noise"}  # fmt: skip
    values = {**FACTS.values, "machine.beta": FACTS["machine.beta"] * oil_n_m / FACTS.oil_n_m}
    return msgspec.structs.replace(
        FACTS, rate_hz=rate_hz, values=values | {keys[name]: value for name, value in changes.items()}
    )
