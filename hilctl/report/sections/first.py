"""The five lines of a commissioning."""

from collections.abc import Iterator

from hilctl.report.brief import NONE_WORSE, Brief, listed
from hilctl.report.found import friction_of, machine_of
from hilctl.report.sections.summary import after, left, times
from hilctl.report.series import by_frequency
from hilctl.report.words import called
from hilctl.results.commissioned import PARTS, Commissioned
from hilctl.results.proof import Thd

_HEADLINE_HZ = 1.0


def first(result: Commissioned) -> Brief:
    """What a customer asks."""
    return Brief(_found(result), _applied(result), _better(result), _worse(result), _next(result))


def _found(result: Commissioned) -> str:
    said = []
    model = result.friction or result.fit
    if model is not None:
        unsure = "" if result.friction is None or result.friction.certain else ", not certain"
        said.append(f"friction is {called(model.law)}{unsure}")
    quantities = [*friction_of(result).values(), *machine_of(result).values()]
    if quantities:
        count = sum(q.identified for q in quantities)
        said.append(f"{count} of {len(quantities)} parameters of friction and machine are identified")
    return "; ".join(said) or "no parameter was identified"


def _applied(result: Commissioned) -> str:
    if result.sent is None:
        return "nothing: the rig's parameters are those of before"
    where = f", saved in `{result.sent.file}`" if result.sent.file else ""
    count = len(result.sent.values)
    return f"{count} parameter{'' if count == 1 else 's'}, active since epoch {result.sent.epoch}{where}"


def _better(result: Commissioned) -> str:
    sines, motions = proved(result), list(tracked(result))
    lower = [(f, one) for f, one in sines if lowered(one)]
    said = []
    if sines and result.friction is None:
        said.append("friction is not compensated: the sines before and after were both driven without it")
    elif lower:
        frequency, one = min(lower, key=lambda each: abs(each[0] - _HEADLINE_HZ))
        others = [f"{f:g} Hz {_times(one)}" for f, one in lower if f != frequency]
        said.append(
            f"friction compensation lowers the distortion of the acceleration at {frequency:g} Hz from "
            f"{left(one.before, one.resolution_before)} to {after(one)}, {_times(one)}"
            + (f" ({', '.join(others)})" if others else "")
        )
    elif sines:
        said.append("no sine that was driven before and after is distorted less")
    closer = sum(now < before for _, before, now in motions)
    if closer:
        said.append(f"the tracking error of {closer} of {len(motions)} motions is smaller")
    return "; ".join(said) or "not known: no motion was driven both before and after"


def _worse(result: Commissioned) -> str:
    sines, motions = proved(result), list(tracked(result))
    said = ["the work was broken off"] if result.failed else []
    for frequency, one in sines:
        if not lowered(one):
            was, now = left(one.before, one.resolution_before), after(one)
            said.append(
                f"friction compensation does not lower the distortion at {frequency:g} Hz: {was} without it and {now} "
                "with it" if result.friction else
                f"the distortion at {frequency:g} Hz is not lower: {was} before, {now} after"
            )  # fmt: skip
    for name, before_um, after_um in motions:
        if after_um > before_um:
            said.append(f"{name} is tracked worse: {before_um:.3g} µm rms before, {after_um:.3g} µm after")
    if result.missing:
        said.append("not done, or not whole: " + ", ".join(PARTS.get(part, part).lower() for part in result.missing))
    nothing = NONE_WORSE if sines or motions else "not known: nothing was measured both before and after"
    return listed(said) or nothing


def _next(result: Commissioned) -> str:
    if result.failed or not result.complete:
        remove = "remove what stopped it, then " if result.failed else ""
        return f"{remove}`hilctl commission --out {result.folder or 'DIR'} --resume` goes on with what is left"
    if result.missing:
        return f"`{next(iter(result.missing.values())).remedy}`"
    if result.sent and result.sent.line and not result.sent.included:
        return f"write `{result.sent.line}` into the rig file: without it the next run of the service starts as before"
    flag = next((one for one in result.not_identified if one.remedy), None)
    if flag is not None and result.sent is None:
        return flag.remedy
    return f"`hilctl verify {result.folder}` after a change of oil, seals or specimen says whether this still holds"


def proved(result: Commissioned) -> list[tuple[float, Thd]]:
    """Sines that were driven both before and after."""
    return [(f, one) for f, one in by_frequency(result.thd) if one.before and one.after is not None]


def _times(one: Thd) -> str:
    """In one piece."""
    return f"{times(one)} less".replace(" ", "\u00a0")


def lowered(one: Thd) -> bool:
    """Whether the distortion of such a sine has become less."""
    return (one.after or 0.0) < (one.before or 0.0)


def tracked(result: Commissioned) -> Iterator[tuple[str, float, float]]:
    """Motions that were finished both before and after, and their errors then, rms in µm."""
    for one in result.tracking:
        before, now = (worth.rms_um if worth else None for worth in (one.before, one.after))
        if before and now:
            yield one.name, before, now
