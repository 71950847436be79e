"""What a campaign has measured: the points for a fit, the result for a program, and a table for a person."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from hilctl.errors import HilctlError
from hilctl.experiment.scales import scale_sd
from hilctl.identify.friction.campaign import Campaign
from hilctl.identify.friction.estimate_speed import Measured
from hilctl.identify.friction.fit import fit_friction
from hilctl.identify.friction.fit_points import Points, check_points
from hilctl.results import friction as results
from hilctl.results.identified import IdentifiedFriction, answer

if TYPE_CHECKING:
    from rich.table import Table

WARMER_K = 5.0  # a change of the oil that moves friction


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


def points_of(campaign: Campaign) -> Points:
    """What a fit takes of a campaign: its points, and what the sensors' scales may add to them."""
    ordered = sorted(
        ((p, row) for m in campaign.finished for p, row in zip(m.points, m.scales_n, strict=True)),
        key=lambda one: (one[0].speed_m_s, one[0].direction),
    )
    scales_n = np.array([[p.direction * part for part in row] for p, row in ordered]).T
    return check_points(*signed(campaign.finished))._replace(
        scales_n=scales_n, speed_scale_sd=scale_sd(campaign.header.facts.values, "displacement")
    )


def campaign_of(campaign: Campaign) -> results.Campaign:
    """What was measured, as a result."""
    head, done = campaign.header, campaign.finished
    oil = [m.oil_degc for m in done if m.oil_degc is not None]
    discarded = [results.Discarded(m.leg.speed_m_s, w.direction, w.reason) for m in done for w in m.discarded]
    return results.Campaign(
        id=head.id, rig=head.facts.rig, begun=head.begun, epoch=head.facts.epoch, folder=str(campaign.folder),
        complete=not campaign.left, speeds=results.Speeds(planned=len(head.legs), finished=len(done)),
        points=[p for m in done for p in m.points],
        curve=[m.pair for m in _by_speed(done) if m.pair is not None],
        windows=results.Windows(sum(len(m.windows) for m in done) - len(discarded), discarded),
        oil_degc=results.OilRange(min(oil), max(oil)) if oil else None,
        rig_seconds=sum(m.ticks for m in done) / head.facts.rate_hz, remarks=[*head.remarks, *_remarks(campaign)],
        prepared=head.prepared,
    )  # fmt: skip


def identified(campaign: Campaign) -> IdentifiedFriction:
    """What was measured, with the friction model that fits it, or why none does."""
    fit, refused = None, ""
    try:
        fit = fit_friction(points_of(campaign)).told()
    except HilctlError as error:
        refused = str(error)
    return answer(IdentifiedFriction, campaign_of(campaign), fit=fit, fit_refused=refused)


def _remarks(campaign: Campaign) -> Iterator[str]:
    """On the curve."""
    head, done = campaign.header, campaign.finished
    oil = [m.oil_degc for m in done if m.oil_degc is not None]
    if oil and max(oil) - min(oil) >= WARMER_K:
        yield (
            f"the oil warmed from {min(oil):.1f} to {max(oil):.1f} °C during the campaign: the curve mixes friction of "
            "cold and warm oil; warm up longer, or measure again"
        )
    without = [f"{m.leg.speed_m_s:g}" for m in done if m.pair is None]
    if without:
        yield f"no point in both directions at {', '.join(without)} m/s; see the reasons of the discarded windows"
    declared = head.facts["machine.m"]
    masses = {m.mass_kg for m in done} - {declared}
    if masses:
        yield (
            f"the table's corners show a moving mass of {max(masses):.0f} kg, machine.m is {declared:g} kg: the "
            "measured mass was used for m a; check machine.m, machine.A, and the scales of the "
            "accelerometer and the pressure sensors"
        )
    beyond = [f"{leg.speed_m_s:g}" for leg in campaign.left_out]
    if beyond:
        yield (
            f"{', '.join(beyond)} m/s left out: behind its corners the table was up to {campaign.faster_m_s:.2g} m/s "
            f"faster than asked, and would pass limits.velocity.max_m_s = {head.facts['limits.velocity.max_m_s']:g} m/s"
        )
    lost = max((m.lost for m in done), default=0.0)
    if lost > 0.0:
        yield f"of the readings of a speed up to {100 * lost:.2g} % were lost, and left out"
    again = [f"{m.leg.speed_m_s:g} m/s" for m in done if m.again]
    if again:
        yield f"driven more than once, because too much was lost: {', '.join(again)}"
    if campaign.left:
        yield f"not complete: {len(campaign.left)} of {len(head.legs)} speeds are not measured"


def table(campaign: Campaign) -> "Table":
    """What was measured, for a person."""
    from rich.table import Table

    made = Table(title="Friction at constant speed", title_justify="left")
    for name in ("speed\nm/s", "forward\nN", "backward\nN", "friction\nN", "±\nN", "windows", "discarded"):
        made.add_column(name, justify="right")
    for m in _by_speed(campaign.finished):
        ways = {p.direction: f"{p.force_n:.1f}" for p in m.points}
        both = (f"{m.pair.force_n:.1f}", f"{m.pair.std_n:.1f}") if m.pair else ("", "")
        counted, left_out = len(m.windows) - len(m.discarded), str(len(m.discarded) or "")
        made.add_row(f"{m.leg.speed_m_s:g}", ways.get(1, ""), ways.get(-1, ""), *both, str(counted), left_out)
    return made


def _by_speed(done: list[Measured]) -> list[Measured]:
    return sorted(done, key=lambda m: m.leg.speed_m_s)
