"""A campaign's answer: the points for a fit, one JSON object, and the same as a table."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from hilctl.identify.friction.campaign import remarks_of
from hilctl.identify.friction.store import Measured, Store
from hilctl.results import friction as results
from hilctl.results.prepared import Prepared

if TYPE_CHECKING:
    from rich.table import Table


class Signed(NamedTuple):
    """Points as a fit takes them: speed and force with their signs, and the force's standard error."""

    speed_m_s: list[float]
    force_n: list[float]
    std_n: list[float]


def signed(found: Iterable[Measured]) -> Signed:
    """Every point of these speeds, from slow to fast."""
    made = sorted((p for m in found for p in m.points), key=lambda p: (p.speed_m_s, p.direction))
    return Signed(
        [p.direction * p.speed_m_s for p in made], [p.direction * p.force_n for p in made], [p.std_n for p in made]
    )


def campaign_of(store: Store) -> results.Campaign:
    """What was measured, as a result."""
    head, done = store.header, store.finished()
    oil = [m.oil_degc for m in done if m.oil_degc is not None]
    discarded = [results.Discarded(m.leg.speed_m_s, w.direction, w.reason) for m in done for w in m.discarded]
    return results.Campaign(
        id=head.id, rig=head.facts.rig, begun=head.begun, epoch=head.facts.epoch, folder=str(store.folder),
        complete=len(done) == len(head.legs), speeds=results.Speeds(planned=len(head.legs), finished=len(done)),
        points=[p for m in done for p in m.points],
        curve=[m.pair for m in _by_speed(done) if m.pair is not None],
        windows=results.Windows(sum(len(m.windows) for m in done) - len(discarded), discarded),
        oil_degc=results.OilRange(min(oil), max(oil)) if oil else None,
        rig_seconds=sum(m.ticks for m in done) / head.facts.rate_hz, remarks=remarks_of(store),
        prepared=msgspec.convert(head.prepared, Prepared) if head.prepared else None,
    )  # fmt: skip


def as_object(store: Store) -> dict[str, Any]:
    """The same for a program."""
    plain: dict[str, Any] = msgspec.to_builtins(campaign_of(store))
    return plain


def table(store: Store) -> "Table":
    """What was measured, for a person."""
    from rich.table import Table

    made = Table(title="Friction at constant speed", title_justify="left")
    for name in ("speed\nm/s", "forward\nN", "backward\nN", "friction\nN", "±\nN", "windows", "discarded"):
        made.add_column(name, justify="right")
    for m in _by_speed(store.finished()):
        ways = {p.direction: f"{p.force_n:.1f}" for p in m.points}
        both = (f"{m.pair.force_n:.1f}", f"{m.pair.std_n:.1f}") if m.pair else ("", "")
        counted, left_out = len(m.windows) - len(m.discarded), str(len(m.discarded) or "")
        made.add_row(f"{m.leg.speed_m_s:g}", ways.get(1, ""), ways.get(-1, ""), *both, str(counted), left_out)
    return made


def _by_speed(done: list[Measured]) -> list[Measured]:
    return sorted(done, key=lambda m: m.leg.speed_m_s)
