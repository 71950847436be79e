"""The five lines of friction before it slides."""

from collections.abc import Iterator

from hilctl.report.alone.applying import UNPROVEN, applied, then, unknown, values
from hilctl.report.brief import Brief, listed
from hilctl.report.numbers import plain
from hilctl.report.sections.reversals import odds
from hilctl.report.words import called
from hilctl.results.identified import IdentifiedReversals


def first(found: IdentifiedReversals) -> Brief:
    """Of the reversals that showed it."""
    parameters = f"; {values(found.parameters)}" if found.parameters else ""
    return Brief(
        f"friction before it slides: {called(found.choice)}{parameters}",
        applied(found, "the friction model", "the rig's friction model is that of before"),
        f"{_better(found)}; {UNPROVEN}",
        listed(_worse(found)) or "nothing: one model describes every swing",
        then(found, "identify presliding", found.advice, found.rig),
    )


def _better(found: IdentifiedReversals) -> str:
    """Against the other models."""
    said = []
    if found.probabilities:
        ordered = sorted(found.probabilities.items(), key=lambda one: -one[1])
        said.append(f"probabilities: {', '.join(f'{called(law)} {odds(share)}' for law, share in ordered)}")
    left = sorted((variances, law) for law, variances in found.evidence.left.items())
    if left:
        rest = ", ".join(f"{called(law)} {plain(variances, 3)}" for variances, law in left)
        said.append(f"left unexplained, in variances of noise a point: {rest}")
    return "; ".join(said) or "nothing: there is no model to compare"


def _worse(found: IdentifiedReversals) -> Iterator[str]:
    names = unknown(found.parameters)
    if names:
        yield f"not identified: {', '.join(names)}"
    if not found.certain:
        yield found.why
    yield from found.warnings
