"""Parts that are measured alone (`hilctl commission --only`), and complete the result in the folder.

What the result holds already is used: its parameters are applied first where the rig has others, its sliding curve
and friction models are taken. Without a result in the folder the rig's active parameters count. The result as it was
stands in the folder of the samples, so that `--resume` begins from the same.
"""

from collections.abc import Callable
from typing import Any

from hilctl.commission import parts
from hilctl.commission.candidates import switch
from hilctl.commission.compensating import compensation, machine_alone
from hilctl.commission.gains import gains
from hilctl.commission.how import How
from hilctl.commission.identifying import friction, plant, reversals
from hilctl.commission.notes import FILE
from hilctl.commission.parameters import INVERSE, adopt, put_back, settable
from hilctl.commission.work import Work
from hilctl.errors import WrongUse
from hilctl.experiment import store
from hilctl.results.commissioned import PARTS, Commissioned, Missing, has
from hilctl.results.stored import as_json, read

_EARLIER = "earlier.json"
OPTIONAL = ("gains", "learning")


def earlier(how: How, rig: str) -> Commissioned | None:
    """The result that is completed; None where the folder holds none."""
    path = how.samples / _EARLIER if how.resume else how.folder / FILE
    result = read(path) if path.exists() else None
    if result is not None and result.rig != rig:
        raise store.StoreError(f"{path} is of the rig {result.rig}, this is {rig}; name another folder (--out)")
    if "compensation" in how.only and "friction" not in how.only and (result is None or result.fit is None):
        raise WrongUse(f"--only compensation: {how.folder} holds no friction model; {how.alone('friction', *how.only)}")
    return result


def keep_earlier(how: How, result: Commissioned) -> None:
    """The result before the first part is measured."""
    how.samples.mkdir(parents=True, exist_ok=True)
    store.write(how.samples / _EARLIER, as_json(result))


def alone(work: Work) -> None:
    """The parts that are asked for, in the order of the work; compensation is then active again where it was."""
    _applied(work)
    for part in PARTS:
        if part in work.how.only:
            work.notes.anew(part)
            _ALONE[part](work)
    _compensated_again(work)


def lacks_friction(work: Work, part: str) -> None:
    """A part that cannot be done without a friction model."""
    work.result.missing.setdefault(
        part, Missing("no friction model was identified, which it needs", work.how.alone("friction", part))
    )


def unreached(work: Work) -> None:
    """What was asked for, and not begun when the work ended."""
    for part in PARTS:
        if work.how.does(part) and not has(work.result, part):
            needs = ("friction",) if part == "compensation" and work.result.fit is None else ()
            reason = f"not reached: the work ended at “{work.notes.stage}”"
            work.result.missing.setdefault(part, Missing(reason, work.how.alone(*needs, part)))


def failed(work: Work, reason: str, kept: str) -> None:
    """Parts that were asked for alone; the others are as they were."""
    for part in work.how.only:
        work.notes.miss(part, reason, kept, work.how.alone(part))


def completed(work: Work) -> None:
    """The end of the work: whether the result is whole."""
    result = work.result
    if not work.how.only:
        result.complete = True
        return
    for part in PARTS:
        if part not in OPTIONAL and not has(result, part):
            result.missing.setdefault(part, Missing("it was not asked for", work.how.alone(part)))
    if not result.missing:
        result.complete, result.failed = True, None


def _applied(work: Work) -> None:
    """The parameters of the earlier result, where the rig has others."""
    sent = work.result.sent
    values = {key: value for key, value in sent.values.items() if work.prepared.get(key) != value} if sent else {}
    if sent and values:
        work.origin = f"{sent.origin}, again"
        adopt(work.rig, values, work.origin)
        work.prepared = settable(work.rig)


def _compensated_again(work: Work) -> None:
    share = 0.0 if "compensation" in work.how.only else float(work.before[INVERSE])
    switch(work.rig, 1.0 if work.result.friction is not None else share, work.origin)


def _both(work: Work, measure: Callable[[Work, str], None], lacking: set[str]) -> None:
    """Before: under the parameters before, without the inverse model; after: as the rig stands."""
    sent = work.result.sent
    whens = [when for when in ("before", "after") if when in lacking] or ["before", "after"]
    if sent is None:
        whens = ["before"]
    if "before" in whens:
        old = {key: value for key, value in sent.old.items() if key in work.prepared} if sent else {}
        put_back(work.rig, {**work.prepared, **old}, work.origin)
        measure(work, "before")
        put_back(work.rig, work.prepared, work.origin)
    if "after" in whens:
        _compensated_again(work)
        measure(work, "after")
        switch(work.rig, 0.0, work.origin)


def _sines(work: Work) -> None:
    sizes = [size.key for size in work.sizes]
    held = [work.result.thd.get(key) for key in sizes]
    _both(work, parts.sines_driven, _lacking(held))


def _tracking(work: Work) -> None:
    rows = {row.name: row for row in work.result.tracking}
    _both(work, parts.tracked, _lacking([rows.get(task.text) for task in work.tasks]))


def _lacking(held: list[Any]) -> set[str]:
    return {when for when in ("before", "after") for one in held if one is None or getattr(one, when) is None}


def _plant(work: Work) -> None:
    plant(work)
    machine_alone(work)


def _compensation(work: Work) -> None:
    if work.result.fit is None:
        lacks_friction(work, "compensation")
    else:
        compensation(work, work.result.fit)
        switch(work.rig, 0.0, work.origin)


def _under_compensation(part: Callable[[Work], None]) -> Callable[[Work], None]:
    def done(work: Work) -> None:
        _compensated_again(work)
        part(work)
        switch(work.rig, 0.0, work.origin)

    return done


_ALONE: dict[str, Callable[[Work], None]] = {
    "sines": _sines, "tracking": _tracking, "plant": _plant, "friction": friction, "reversals": reversals,
    "compensation": _compensation, "gains": _under_compensation(gains), "learning": _under_compensation(parts.learned),
}  # fmt: skip
