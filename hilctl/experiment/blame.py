"""Who lost what was lost, by the counters of link and loop, and what to do."""

from typing import TYPE_CHECKING, NamedTuple

from hilctl.experiment.policy import SHARE
from hilctl.experiment.record import Losses

if TYPE_CHECKING:
    from hilctl.client import Client

REMEDY = (  # of a link that fails
    "check its cable, its termination and the device's load, raise driver.answer_timeout_s within the period, or lower "
    "loop.rate_hz (`hilctl status` shows the link)"
)


class Counted(NamedTuple):
    """What link and loop have counted so far."""

    errors: dict[str, int]
    exchanges: int
    missed: int


def counted(rig: "Client") -> Counted:
    """As the status says it."""
    status = rig.status()
    link = status["link"]
    return Counted(link["errors"], link["exchanges"], status["core"]["missed"])


def whose(before: Counted, after: Counted, losses: Losses) -> str:
    """What a leg's losses come from."""
    failed = _failed(before, after)
    said = []
    if failed:
        said.append(f"the link failed meanwhile: {_named(failed)}; {REMEDY}")
    if after.missed > before.missed:
        late = after.missed - before.missed
        said.append(f"the loop missed {late} ticks; `hilctl doctor` says why a host is late")
    if not failed and losses.rejected:
        names = " and ".join(losses.rejected)
        said.append(f"the link is sound, so the readings themselves were rejected: check range and cable of {names}")
    return "; ".join(said) or "run `hilctl doctor`"


def bad_link(before: Counted, after: Counted) -> str:
    """Where more of the exchanges failed than any measurement allows: so many, and what to do."""
    failed, exchanges = _failed(before, after), after.exchanges - before.exchanges
    if exchanges <= 0 or sum(failed.values()) <= SHARE * exchanges:
        return ""
    share = 100 * min(sum(failed.values()) / exchanges, 1.0)
    return f"{share:.2g} % of the exchanges with the device failed meanwhile: {_named(failed)}; {REMEDY}"


def _failed(before: Counted, after: Counted) -> dict[str, int]:
    counts = {name: after.errors[name] - before.errors.get(name, 0) for name in after.errors}
    return {name: count for name, count in counts.items() if count > 0}


def _named(failed: dict[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in failed.items())
