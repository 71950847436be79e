"""What a controller has learned of its valve, and that as a parameter set of its own."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from hilctl.client.client import Client
from hilctl.wire.errors import Code, Refused

CHANNELS = ("valve_null", "learned_null", "learned_gain", "learned_overlap", "learning")
SHARE = "law.adapt.share"
_EVENLY = "machine.dead_band"
_SIDES = ("machine.overlap_a", "machine.overlap_b")
_KEYS = ("machine.Qn", _EVENLY, *_SIDES, "law.valve.null_bias", SHARE)


class Learned(NamedTuple):
    """As it is now; openings, and the gain as a share of machine.Qn."""

    share: float  # law.adapt.share: 0 while learning is off
    valve_null: float
    null: float
    gain: float
    overlap: float
    learning: bool
    ended: tuple[str, ...]  # what has reached its bound


def learned(rig: Client) -> Learned:
    """Of the newest sample."""
    end = int(rig.status()["history"]["end"])
    columns = rig.samples(max(0, end - 1), channels=CHANNELS)
    total, null, gain, overlap = (float(columns[name][-1]) for name in CHANNELS[:4])
    bits = int(columns["learning"][-1])
    ended = tuple(name for k, name in enumerate(("null", "overlap", "gain"), 1) if bits >> k & 1)
    return Learned(float(rig.get(SHARE)[SHARE]), total, null, gain, overlap, bool(bits & 1), ended)


def frozen(now: Learned, values: Mapping[str, Any]) -> dict[str, float]:
    """The set that keeps what is learned and ends learning; `values`: the active parameters."""
    made = {"machine.Qn": values["machine.Qn"] * (1 + now.gain), "law.valve.null_bias": now.valve_null}
    for key in (_EVENLY, *_SIDES):
        if values[key]:
            made[key] = max(values[key] + now.overlap, 0.0)
    return {**made, SHARE: 0.0}


def freeze(rig: Client, origin: str = "") -> dict[str, Any]:
    """What is learned becomes the active set, in one step with learning's end; the answer of `set`."""
    now = learned(rig)
    if now.share == 0.0:
        raise Refused(Code.WRONG_MODE, f"nothing is learned: {SHARE} = 0; `hilctl set {SHARE}=1` switches learning on",
                      SHARE)
    return rig.ask("set", values=frozen(now, rig.get(*_KEYS)), origin=origin or "learned values kept")
