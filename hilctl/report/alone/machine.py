"""The five lines of valve, cylinder and mass."""

from collections.abc import Iterator

from hilctl.report.alone.applying import UNPROVEN, applied, remedy, then, unknown, values
from hilctl.report.brief import Brief, listed
from hilctl.report.numbers import percent
from hilctl.results.identified import IdentifiedPlant


def first(found: IdentifiedPlant) -> Brief:
    """Of the motions that showed them."""
    return Brief(
        f"the machine: {values({key: one for key, one in found.plant.items() if key in found.changes})}",
        applied(found, "the machine's parameters", "the machine's parameters are those of before"),
        f"{_explained(found)}; {UNPROVEN}",
        listed(_worse(found)) or "nothing: every parameter is identified",
        then(found, "identify plant", remedy(found.flags), found.rig),
    )


def _explained(found: IdentifiedPlant) -> str:
    """Against the measured motions."""
    shares = found.explained_percent.values()
    if not shares:
        return "nothing: no motion was explained"
    return f"the model explains {percent(min(shares))} to {percent(max(shares))} of the flow in each motion"


def _worse(found: IdentifiedPlant) -> Iterator[str]:
    names = unknown(found.plant)
    if names:
        yield f"not identified: {', '.join(names)}"
    yield from (flag.text for flag in found.flags)
