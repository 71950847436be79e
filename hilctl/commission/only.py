"""Parts that are measured alone (`hilctl commission --only`), and complete the result in the folder.

What the result holds already is used: its parameters are applied first where the rig has others, its sliding curve
and friction models are taken. Without a result in the folder the rig's active parameters count. Sines and motions that
were measured under parameters that are then changed are no longer valid `after`, and are missing. The result as it was
stands in the folder of the samples, so that `--resume` begins from the same.
"""

from collections.abc import Callable, Iterable
from typing import Any

from hilctl.commission import parts, scheduling
from hilctl.commission.candidates import switch
from hilctl.commission.compensating import compensation, machine_alone
from hilctl.commission.gains import gains
from hilctl.commission.how import How
from hilctl.commission.identifying import friction, plant, reversals
from hilctl.commission.notes import FILE
from hilctl.commission.parameters import INVERSE, adopt, applicable, put_back, settable
from hilctl.commission.work import Work
from hilctl.errors import WrongUse
from hilctl.experiment import store
from hilctl.results.commissioned import PARTS, Commissioned, Missing, has
from hilctl.results.stored import as_json, read

_EARLIER = "earlier.json"
_OPTIONAL = ("gains", "learning")
_WHENS = ("before", "after")
_JUDGED: dict[str, Callable[[Work, str], None]] = {"sines": parts.sines_driven, "tracking": parts.tracked}


def earlier(how: How, rig: str) -> Commissioned | None:
    """The result that is completed; None where the folder holds none."""
    path = how.samples / _EARLIER if how.resume else how.folder / FILE
    result = read(path) if path.exists() else None
    if result is not None and result.rig != rig:
        raise store.StoreError(f"{path} is of the rig {result.rig}, this is {rig}; name another folder (--out)")
    if "compensation" in how.only and "friction" not in how.only and (result is None or result.fit is None):
        raise WrongUse(f"--only compensation: {how.folder} holds no friction model; measure it too: "
                       f"{how.alone('friction', *how.only)}", key="--only")  # fmt: skip
    return result


def keep_earlier(how: How, result: Commissioned) -> None:
    """The result before the first part is measured."""
    store.write(how.samples / _EARLIER, as_json(result))


def alone(work: Work) -> None:
    """The parts that are asked for, in the order of the work; compensation is then active again where it was."""
    only, result = work.how.only, work.result
    _applied(work)
    for part in only:
        work.notes.forget_missing(part)
    whens = {part: _whens(work, part) for part in _JUDGED if part in only}
    _before(work, [part for part, asked in whens.items() if "before" in asked])
    values = dict(result.sent.values) if result.sent else {}
    for part, do in _IDENTIFIED.items():
        if part in only:
            do(work)
    if result.sent is not None and result.sent.values != values:
        _outdated(work)
    if result.choice is not None and "compensation" not in only and {"friction", "reversals"} & {*only}:
        _absent(work, "compensation", "friction was measured again since; the earlier friction model stays active")
    _compensated(work)
    for part, asked in whens.items():
        if "after" in asked and result.sent is not None:
            _JUDGED[part](work, "after")
    if any("after" in asked for asked in whens.values()):
        scheduling.scheduled(work)
    if "learning" in only:
        parts.learned(work)


def lacks_friction(work: Work, part: str) -> None:
    """A part that cannot be done without a friction model."""
    _absent(work, part, "no friction model was identified, which it needs")


def unreached(work: Work) -> None:
    """What was asked for, and not begun when the work ended."""
    for part in PARTS:
        if work.how.does(part) and not has(work.result, part):
            _absent(work, part, f"not reached: the work ended at “{work.notes.stage}”")


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
        if part not in _OPTIONAL and not has(result, part):
            gone = result.missing.pop(part, None)
            _absent(work, part, gone.reason if gone else "it was not asked for")
    if not result.missing:
        result.complete, result.failed = True, None


def _absent(work: Work, part: str, reason: str) -> None:
    needs = ("friction",) if part == "compensation" and work.result.fit is None else ()
    work.result.missing.setdefault(part, Missing(reason, work.how.alone(*needs, part)))


def _applied(work: Work) -> None:
    """The parameters of the earlier result, where the rig has others."""
    sent = work.result.sent
    wanted = applicable(sent.values) if sent else {}
    values = {key: value for key, value in wanted.items() if work.prepared.get(key) != value}
    if sent and values:
        sent.epoch = adopt(work.rig, values, f"{sent.origin}, again")[0]
        work.prepared = settable(work.rig)


def _compensated(work: Work) -> None:
    """The inverse model is on where a friction model is kept, else as it was."""
    share = 0.0 if "compensation" in work.how.only else float(work.before[INVERSE])
    switch(work.rig, 1.0 if work.result.friction is not None else share, work.origin)


def _whens(work: Work, part: str) -> set[str]:
    """What of it is missing; all of it where nothing is."""
    held: list[Any]
    if part == "sines":
        held = [work.result.thd.get(size.key) for size in work.sizes]
    else:
        rows = {row.name: row for row in work.result.tracking}
        held = [rows.get(task.text) for task in work.tasks]
    lacking = {when for when in _WHENS for one in held if one is None or getattr(one, when) is None}
    changed = {"after"} if any(part in work.how.only for part in _IDENTIFIED) else set()
    return lacking | changed or set(_WHENS)


def _before(work: Work, judged: Iterable[str]) -> None:
    """Under the parameters before, without the inverse model."""
    names = list(judged)
    if not names:
        return
    sent = work.result.sent
    old = {key: value for key, value in sent.old.items() if key in work.prepared} if sent else {}
    put_back(work.rig, {**work.prepared, **old}, work.origin)
    for part in names:
        _JUDGED[part](work, "before")
    put_back(work.rig, work.prepared, work.origin)


def _outdated(work: Work) -> None:
    """What was measured under other parameters than are now active."""
    for one in work.result.thd.values():
        one.after = one.factor = one.resolution_after = one.learned = None
    for sine in work.result.sines.values():
        sine.after = None
    for row in work.result.tracking:
        row.after = None
    for part in _JUDGED:
        if part not in work.how.only and has(work.result, part):
            work.result.missing[part] = Missing("parameters were changed since it was measured", work.how.alone(part))


def _plant(work: Work) -> None:
    plant(work)
    machine_alone(work)


def _compensation(work: Work) -> None:
    if work.result.fit is None:
        lacks_friction(work, "compensation")
        return
    scheduling.cleared(work)
    compensation(work, work.result.fit)
    switch(work.rig, 0.0, work.origin)


def _gains(work: Work) -> None:
    _compensated(work)
    gains(work)


_IDENTIFIED: dict[str, Callable[[Work], None]] = {
    "plant": _plant, "friction": friction, "reversals": reversals, "compensation": _compensation, "gains": _gains,
}  # fmt: skip
