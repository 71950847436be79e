"""The tables of the page."""

from hilctl.friction import check_friction
from hilctl.papers.declaration import Table
from hilctl.papers.table.algorithm import Identified
from hilctl.papers.table.experiment import Study
from hilctl.papers.table.rows import squareness
from hilctl.papers.table.setting import TABLE_1, UNITS
from hilctl.report.numbers import fixed, percent, plain


def tracked(study: Study) -> Table:
    """Triangles by controller."""
    law = check_friction({"model": "karnopp", **TABLE_1})
    rows = []
    for one in study.tracked:
        off = fixed(100 * (one.friction_n / law.steady(one.speed_m_s) - 1), 2)
        error = plain((one.worth.rms_um or 0.0) / 1e3, 3)
        rows.append((one.controller, plain(one.speed_m_s), plain(one.measured_m_s), percent(one.worth.flatness_percent),
                     error, f"{one.counted} of {one.windows}", fixed(one.friction_n, 0), f"{off} %"))  # fmt: skip
    head = ("", ">reference, m/s", ">measured, m/s", ">its spread", ">error rms, mm", ">windows that count",
            ">friction, N", ">off the rig's own")  # fmt: skip
    caption = (
        "measured speed and friction are of all windows, also of those that do not count; the rig's own friction is "
        "that at the reference's speed"
    )
    return Table(head, tuple(rows), caption)


def squares(study: Study) -> Table:
    """How near the pressure difference comes to a square wave."""
    area = study.facts["machine.A"]
    rows = tuple((one.controller, plain(one.speed_m_s), fixed(one.friction_n / area / 1e6, 3),
                  percent(100 * squareness(one, area))) for one in study.tracked)  # fmt: skip
    return Table(("", ">speed, m/s", ">level, MPa", ">time near it"), rows, "near: within a quarter of the level")


def campaign(study: Study) -> Table:
    """Friction by speed."""
    rows = []
    for one in study.speeds:
        ways, both = {point.direction: fixed(point.force_n, 0) for point in one.points}, one.pair
        mean = (fixed(both.force_n, 1), fixed(both.std_n, 1)) if both else ("–", "–")
        discarded = len(one.discarded)
        rows.append((plain(one.leg.speed_m_s), ways.get(1, "–"), ways.get(-1, "–"), *mean,
                     str(len(one.windows) - discarded), str(discarded)))  # fmt: skip
    head = (">speed, m/s", ">forward, N", ">backward, N", ">friction, N", ">± N", ">windows", ">discarded")
    seconds = sum(one.ticks for one in study.speeds) / study.facts.rate_hz
    caption = (
        f"{len(rows)} speeds in {seconds:.0f} s of the rig's time; ±: standard error; friction is the mean of both "
        "directions, in which offsets of the pressure sensors cancel"
    )
    return Table(head, tuple(rows), caption)


def runs(found: Identified) -> Table:
    """The ten runs beside variable projection."""
    rows = []
    for name, spread in zip(found.search.names, found.search.spread, strict=True):
        exact = found.fit.parameters[name].value
        share = f"{plain(100 * (spread or 0.0), 1)} %"
        rows.append((name, plain(found.mean(name), 6), share, plain(exact, 6), UNITS[name]))
    head = ("", ">mean of the runs", ">their spread, of the range", ">variable projection", "unit")
    return Table(head, tuple(rows))


def identified(study: Study, found: Identified) -> Table:
    """Table 1."""
    rows = []
    for name, true in TABLE_1.items():
        cells = [f"{plain(one.value, 5)} ({plain(one.low, 5)} to {plain(one.high, 5)})"
                 for one in (found.fit.parameters[name], study.fit.parameters[name])]  # fmt: skip
        rows.append((name, plain(true), *cells, UNITS[name]))
    head = ("", ">paper", ">the paper's objective", ">the product's fit", "unit")
    return Table(head, tuple(rows), "with 95 % intervals; the product's also cover errors of the sensors' scales")


def sines(study: Study) -> Table:
    """Distortion by frequency and controller."""
    rows = tuple(
        (one.controller, one.size.key, plain(1e3 * one.size.amplitude_m), percent(one.before.distortion.percent),
         percent(one.after.distortion.percent), fixed(one.factor, 1)) for one in study.sines
    )  # fmt: skip
    head = ("", ">frequency, Hz", ">amplitude, mm", ">before", ">after", ">times less")
    return Table(head, rows, "distortion of the acceleration")
