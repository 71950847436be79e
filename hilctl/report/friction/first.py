"""The five lines of a friction campaign."""

from collections.abc import Iterator

from hilctl.report.brief import Brief, listed
from hilctl.report.numbers import percent, plain, quantity, with_unit
from hilctl.report.words import called
from hilctl.results.friction import SlidingFit
from hilctl.results.identified import FittedPoints, IdentifiedFriction, set_line


def first(found: IdentifiedFriction) -> Brief:
    """Of a campaign on a rig."""
    unknown = _unknown(found.fit)
    if found.applied is not None:
        applied = f"the friction model, active since epoch {found.applied.epochs[-1]}"
    elif found.fit is None:
        applied = "nothing: no friction model fits the points"
    elif not found.sets:
        applied = "nothing: all values are active already"
    else:
        applied = "nothing: the rig's friction model is that of before"
    if not found.complete:
        then = f"`hilctl identify friction --resume {found.folder}` measures the speeds that are left"
    elif unknown:
        then = f"measure at more speeds: {', '.join(unknown)} not identified"
    elif found.sets and found.applied is None:
        then = " then ".join(f"`{set_line(one, 'identify friction')}`" for one in found.sets)
    else:
        then = f"`hilctl commission {found.rig}` proves on the rig what compensation with it gains"
    return Brief(
        _found(found.fit, found.fit_refused), applied, _better(found.fit),
        listed(_worse(found)) or "nothing: no window was discarded, and no point was rejected", then,
    )  # fmt: skip


def first_of_points(found: FittedPoints) -> Brief:
    """Of points from elsewhere."""
    flag = next((one for one in found.fit.flags if one.remedy), None)
    aside = f"{found.set_aside} of {found.given} points belong to no curve and are set aside" if found.set_aside else ""
    return Brief(
        _found(found.fit, ""), "nothing: no rig took part", _better(found.fit),
        listed([aside, *_of_fit(found.fit)]) or "nothing: every point belongs to the curve",
        flag.remedy if flag else "write the parameters into [friction] of the rig file",
    )  # fmt: skip


def _found(fit: SlidingFit | None, refused: str) -> str:
    if fit is None:
        return f"no friction model: {refused}" if refused else "no friction model"
    values = []
    for name, one in fit.parameters.items():
        value, interval, unit = quantity(one.value, one.low, one.high, one.unit)
        values.append(f"{name} = {value} {unit} {interval}".rstrip())
    return f"friction is {called(fit.law)}: {', '.join(values)} (95 % intervals)"


def _better(fit: SlidingFit | None) -> str:
    """Against the other models: a campaign alone does not show what compensation gains."""
    if fit is None:
        return "nothing: there is no model to compare"
    said = []
    if fit.fit_percent is not None:
        said.append(f"the curve explains {percent(fit.fit_percent)} of the points")
    if fit.scatter_n is not None:
        said.append(f"a point is off by {with_unit(fit.scatter_n, 'N', 2)}")
    others = sorted(one.above_best for one in fit.laws if one.law != fit.law and one.above_best is not None)
    if others:
        said.append(f"the next model has {plain(others[0], 2)} more BIC")
    return f"{', '.join(said)}; whether compensation gains from it is not measured here"


def _worse(found: IdentifiedFriction) -> Iterator[str]:
    if not found.complete:
        yield f"only {found.speeds.finished} of {found.speeds.planned} speeds are measured"
    if found.windows.discarded:
        of = found.windows.counted + len(found.windows.discarded)
        yield f"{len(found.windows.discarded)} of {of} windows do not count"
    if found.fit is not None:
        if found.fit.rejected:
            yield f"{len(found.fit.rejected)} points do not belong to the curve"
        yield from _of_fit(found.fit)
    yield from found.remarks


def _of_fit(fit: SlidingFit) -> Iterator[str]:
    unknown = _unknown(fit)
    if unknown:
        yield f"not identified: {', '.join(unknown)}"
    yield from (flag.text for flag in fit.flags)


def _unknown(fit: SlidingFit | None) -> list[str]:
    return [name for name, one in fit.parameters.items() if not one.identified] if fit else []
