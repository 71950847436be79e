"""Positions of an external reference: checked like any motion, and written where the loop reads them."""

from copy import copy
from typing import Any

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from hilctl.errors import HilctlError
from hilctl.law.motions import Positions
from hilctl.law.motions.external import BEHIND, NEAR_M, TO_REST
from hilctl.loop.external import Bank
from hilctl.rig import flow, motion_limits
from hilctl.service.checked import as_supplied
from hilctl.service.external import External
from hilctl.service.service import Asked, Service
from hilctl.service.stroke import shift_between, unshifted_limits
from hilctl.service.tasks import Result
from hilctl.wire.errors import Code, Refused, refusal_of
from hilctl.wire.ops import Arguments


def begun(s: Service, motion: int, start_m: float, interval_s: float) -> External:
    """The loop has taken its motion."""
    return External(motion, Positions(start_m, interval_s), Bank(s.core.link.bank_of(motion), s.core.link.points))


def ran_dry(s: Service, over: dict[str, Any]) -> None:
    """Says so in the event of a motion's end, and to who waits for it."""
    now = s.external
    if now is not None and now.motion == over["motion"] and now.bank.dry and over["why"] == "stopped":
        over["why"] = s.watch.motions[now.motion].why = "dry"


def feed(s: Service, asked: Asked, given: Arguments) -> Result:
    """All of the positions that were sent, or none."""
    args, now = given.args, _running(s, given.args.motion)
    sent = np.frombuffer(given.open["data"], "<f8")
    if args.first != now.positions.count:
        told = f"first is {args.first}, expected {now.positions.count}: positions come in order, each once"
        raise Refused(Code.BAD_VALUE, told, "first")
    wrong = np.flatnonzero(~np.isfinite(sent))
    if len(wrong):
        told = f"position {args.first + int(wrong[0])} is {sent[wrong[0]]}, must be finite"
        raise Refused(Code.BAD_VALUE, told, "data")
    start_m = now.positions.start_m
    if now.positions.count == 0 and len(sent) and abs(sent[0] - start_m) > NEAR_M:
        told = (f"the first position is {sent[0]:.6g} m, and the table is held at {start_m:.6g} m: begin within "
                f"{NEAR_M:g} m of it, or move to {sent[0]:.6g} m first")  # fmt: skip
        raise Refused(Code.BAD_VALUE, told, "data")
    if len(sent) + TO_REST > now.bank.room:
        told = f"{now.bank.ahead * now.positions.interval_s:.4g} s of it have not been tracked yet; send the rest later"
        raise Refused(Code.BUSY, told, "data")
    _take(s, now, sent, last=args.last)
    interval_s = now.positions.interval_s
    return {
        "motion": now.motion,
        "next": now.positions.count,
        "ahead_s": now.bank.ahead * interval_s,
        "delay_s": (now.positions.count + BEHIND - now.bank.here) * interval_s,
    }


def _running(s: Service, motion: int) -> External:
    s.core.need()
    now = s.external
    if now is None or (motion and motion != now.motion):
        told = f"motion {motion} is no external reference that runs" if motion else "no external reference runs"
        raise Refused(Code.BAD_VALUE, f"{told}; `track` one first, of the kind external", "motion")
    seen = s.watch.motions.get(now.motion)
    if seen is None or seen.end >= 0 or now.bank.dry:  # its bank may be another motion's by now
        why = "it ran dry" if now.bank.dry else seen.why if seen is not None else "the core ended"
        raise Refused(Code.WRONG_MODE, f"the external reference of motion {now.motion} is over: {why}", "motion")
    if now.ended:
        raise Refused(Code.WRONG_MODE, f"its last position was sent already, the {now.positions.count}th", "last")
    return now


def _take(s: Service, now: External, sent: npt.NDArray[np.float64], *, last: bool) -> None:
    """Into the bank, if every limit holds that holds for a planned motion."""
    rig = as_supplied(s)
    limits, reach = motion_limits(rig.controller, rig.dt_s), flow(rig.controller, rig.friction)
    shift = shift_between(s.store.start.controller, rig.controller)
    if shift.any:  # the narrower of both strokes
        other = unshifted_limits(limits, shift)
        low_m, high_m = max(limits.x_min_m, other.x_min_m), min(limits.x_max_m, other.x_max_m)
        limits = replace(limits, x_min_m=low_m, x_max_m=high_m)
    positions, before = now.positions, copy(now.positions)
    try:
        made = [positions.take(sent, limits, reach)]
        if last:
            made.append(positions.rest(limits, reach))
    except HilctlError as error:
        now.positions = before
        refused = refusal_of(error)
        told = f"{refused.message}; none of these {len(sent)} was taken, and the motion ends where the reference ends"
        raise Refused(refused.code, told, refused.key) from None
    now.bank.write(np.concatenate(made), *positions.peaks)
    if last:
        now.bank.end()
        now.ended = True
