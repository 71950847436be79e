"""The rigs that are tried: the reference rig with other feedbacks, sensors and actions of its limits."""

from functools import cache
from typing import Any

from hilctl import rig as rigs
from hilctl.params import BadValues

# Quick to arm, and ports that the kernel chooses.
_EVERY: dict[str, Any] = {
    "arming.rest_s": 0.05,
    "arming.bump_s": 0.1,
    "arming.low_pressure_s": 0.15,
    "arming.high_pressure_s": 0.15,
    "arming.timeout_s": 3.0,
    "twin.supply.rise_s": 0.02,
    "twin.substep_s": 1e-4,
    "service.commands_port": 0,
    "service.telemetry_port": 0,
    "service.scope_port": 0,
}
# Where the rig file knows them: short, so that a sequence sees what they lead to.
_SHORT: dict[str, Any] = {"limits.escalation.hold_s": 2.0, "arming.proof_s": 20.0}

_NO_SPOOL = {"sensors.spool.present": False}
_BLIND = {**_NO_SPOOL, "sensors.supply_pressure.present": False}
_ALL_NULL = {
    f"limits.{name}.action": "null"
    for name in ("position", "velocity", "acceleration", "saturation", "late", "supply", "drift")
}
_ALL_STOP = {
    f"limits.{name}.action": "stop"
    for name in ("pressure", "tracking_error", "sensing", "stuck", "stale", "driver", "read_back")
}

RIGS: dict[str, dict[str, Any]] = {
    "plain": {},
    "no_spool": _NO_SPOOL,
    "blind": _BLIND,
    "pid": {"law.feedback": "pid", **_NO_SPOOL},
    "inverse": {"law.feed.inverse": 1.0},
    "null": {**_ALL_NULL, "service.lease_lost": "null"},
    "stop": {**_ALL_STOP, **_NO_SPOOL},
    "continue": {"service.lease_lost": "continue", **_NO_SPOOL},
}


@cache
def load(name: str) -> Any:
    """The rig, checked; keys that this version of the rig file does not know are left out."""
    wanted = {**_EVERY, **_known(), **RIGS[name]}
    return rigs.load("table-500", twin=True, changes=wanted)


@cache
def _known() -> dict[str, Any]:
    known = {}
    for key, value in _SHORT.items():
        try:
            rigs.load("table-500", twin=True, changes={key: value})
        except BadValues:
            continue
        known[key] = value
    return known
