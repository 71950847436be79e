"""Friction as it was measured: the campaign, its curve, and what was left out."""

from collections import Counter

from hilctl.report.figure import Pictures, shown
from hilctl.report.markup import NOTHING, Html, absent, bullets, code, facts, joined, moment, sentence, table, tag
from hilctl.report.numbers import fixed, plain, with_unit
from hilctl.report.sections import claims
from hilctl.report.sections.common import absence, missing
from hilctl.results.commissioned import Commissioned
from hilctl.results.friction import Campaign, SlidingFit

_CAPTION = (
    "Friction at constant speed in both directions, with 95 % intervals, and the law that was fitted. Below, on a "
    "larger scale: what each point is off the law; the grey band is the law's own 95 % interval."
)
_OFF = " What both directions share, {}, is taken off: it does not turn with the motion and is not friction."
_WAYS = {1: "forward", -1: "backward"}


def measured(result: Commissioned, pictures: Pictures) -> Html:
    """The campaign."""
    data, fit = result.campaign, result.fit
    if data is None:
        return absence(result, "friction",
                       "Friction was not measured: the campaign was not begun, or finished no speed.")  # fmt: skip
    offset = fit.offset if fit else None
    caption = _CAPTION + (_OFF.format(with_unit(offset.value, "N")) if offset else "")
    return joined([
        missing(result, "friction"), _facts(data), shown(pictures, "friction", caption, claims.friction(fit)),
        _curve(data), _discarded(data), _rejected(fit) if fit else NOTHING,
        bullets(sentence(text) for text in data.remarks),
    ])  # fmt: skip


def points(result: Commissioned, pictures: Pictures) -> Html:
    """Points from elsewhere, with the curve through them."""
    fit = result.fit
    return joined([shown(pictures, "friction", _CAPTION, claims.friction(fit)), _rejected(fit)]) if fit else NOTHING


def _facts(data: Campaign) -> Html:
    ends = (data.oil_degc.low, data.oil_degc.high) if data.oil_degc else ()
    oil = " to ".join(dict.fromkeys(plain(x, 3) for x in ends))
    broken = "" if data.complete else "; broken off"
    return facts([
        ("Campaign", code(data.id)), ("Begun", moment(data.begun)),
        ("Speeds", f"{data.speeds.finished} of {data.speeds.planned} finished{broken}"),
        ("Windows", f"{data.windows.counted} counted, {len(data.windows.discarded)} left out"),
        ("Oil", f"{oil} °C" if oil else ""),
        ("Rig's time", with_unit(data.rig_seconds, "s") if data.rig_seconds else ""),
        ("Samples in", code(data.folder)),
    ])  # fmt: skip


def _curve(data: Campaign) -> Html:
    if not data.curve:
        return NOTHING
    rows = [
        (plain(one.speed_m_s, 3), fixed(one.force_n, 1), f"± {fixed(1.96 * one.std_n, 1)}", fixed(one.offset_n, 1))
        for one in data.curve
    ]
    head = (">speed, m/s", ">friction, N", ">95 %, N", ">shared by both directions, N")
    return tag("details", tag("summary", f"The {len(rows)} points of the curve"), table(head, rows), open="open")


def _discarded(data: Campaign) -> Html:
    if not data.windows.discarded:
        return absent("No window was left out.")
    found = Counter((one.speed_m_s, one.direction, one.reason) for one in data.windows.discarded)
    rows = [
        (plain(speed, 3), _WAYS.get(way, "–"), str(count), sentence(reason))
        for (speed, way, reason), count in sorted(found.items(), key=lambda one: one[0][:2])
    ]
    return table((">speed, m/s", "direction", ">windows", "why they do not count"), rows, "Windows that were left out")


def _rejected(fit: SlidingFit) -> Html:
    rows = [
        (plain(one.speed_m_s, 3), plain(one.force_n), plain(one.curve_n), plain(one.deviations, 3), plain(one.limit, 3))
        for one in fit.rejected
    ]
    head = (">speed, m/s", ">measured, N", ">law, N", ">off by, standard errors", ">limit")
    return table(head, rows, "Points that do not belong to the curve, and do not count in the fit")
