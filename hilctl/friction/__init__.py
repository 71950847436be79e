"""Friction: every model as a pure compiled law with one signature, its state owned by the caller."""

from hilctl.friction.model import PARAMETERS, STATES, Kind, Law, Model
from hilctl.friction.registry import (
    MODELS,
    Friction,
    check_friction,
    friction_of,
    linear_models,
    model_of,
    rt_friction,
    rt_steady,
    step_of,
)

__all__ = [
    "MODELS",
    "PARAMETERS",
    "STATES",
    "Friction",
    "Kind",
    "Law",
    "Model",
    "check_friction",
    "friction_of",
    "linear_models",
    "model_of",
    "rt_friction",
    "rt_steady",
    "step_of",
]
