"""Friction: every model as a pure compiled law with one signature, its state owned by the caller."""

from hilctl.friction.registry import (
    MODELS,
    PARAMETERS,
    STATES,
    Friction,
    Model,
    check_friction,
    friction_of,
    model_of,
    rt_friction,
    rt_steady,
)

__all__ = [
    "MODELS",
    "PARAMETERS",
    "STATES",
    "Friction",
    "Model",
    "check_friction",
    "friction_of",
    "model_of",
    "rt_friction",
    "rt_steady",
]
