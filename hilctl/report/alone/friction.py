"""The five lines of a friction campaign, or of points that were measured elsewhere."""

from collections.abc import Iterator

from hilctl.report.alone.applying import UNPROVEN, applied, remedy, then, unknown, values
from hilctl.report.brief import Brief, listed
from hilctl.report.numbers import percent, plain, with_unit
from hilctl.report.words import called
from hilctl.results.friction import SlidingFit
from hilctl.results.identified import FittedPoints, IdentifiedFriction


def first(found: IdentifiedFriction) -> Brief:
    """Of a campaign on a rig."""
    names = unknown(found.fit.parameters) if found.fit else []
    active = applied(found, "the friction model", "the rig's friction model is that of before")
    if not found.complete:
        last = f"`hilctl identify friction --resume {found.folder}` measures the speeds that are left"
    elif names:
        last = f"measure at more speeds: {', '.join(names)} not identified"
    else:
        last = then(found, "identify friction", "", found.rig)
    return Brief(
        _found(found.fit, found.fit_refused), active if found.fit else "nothing: no friction model fits the points",
        _better(found.fit),
        listed(_worse(found)) or "nothing: no window was discarded, and no point was rejected", last,
    )  # fmt: skip


def first_of_points(found: FittedPoints) -> Brief:
    """Of points from elsewhere."""
    aside = f"{found.set_aside} of {found.given} points belong to no curve and are set aside" if found.set_aside else ""
    return Brief(
        _found(found.fit, ""), "nothing: no rig took part", _better(found.fit),
        listed([aside, *_of_fit(found.fit)]) or "nothing: every point belongs to the curve",
        remedy(found.fit.flags) or "write the parameters into [friction] of the rig file",
    )  # fmt: skip


def _found(fit: SlidingFit | None, refused: str) -> str:
    if fit is None:
        return f"no friction model: {refused}" if refused else "no friction model"
    return f"friction is {called(fit.law)}: {values(fit.parameters)}"


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
    return f"{', '.join(said)}; {UNPROVEN}"


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
    names = unknown(fit.parameters)
    if names:
        yield f"not identified: {', '.join(names)}"
    yield from (flag.text for flag in fit.flags)
