"""Friction as it was measured: the campaign, its curve, and what was left out."""

from collections import Counter

from hilctl.report.markup import NOTHING, Html, absent, bullets, code, facts, joined, moment, sentence, table, tag
from hilctl.report.numbers import fixed, plain, with_unit
from hilctl.report.part import Part
from hilctl.report.sections.common import Pictures, shown

_CAPTION = (
    "Friction at constant speed in both directions, with 95 % intervals, and the law that was fitted. Below, on a "
    "larger scale: what each point is off the law; the grey band is the law's own 95 % interval."
)
_OFF = " What both directions share, {}, is taken off: it does not turn with the motion and is not friction."


def measured(told: Part, pictures: Pictures) -> Html:
    """The campaign."""
    data, fit = told["campaign_data"], told["fit"]
    if not data and not fit["points"]:
        return absent("Friction was not measured: the campaign was not begun, or finished no speed.")
    offset = fit["offset"]["value"].number
    caption = _CAPTION + (_OFF.format(with_unit(offset, "N")) if offset is not None else "")
    return joined([_facts(data), shown(pictures, "friction", caption), _curve(data), _discarded(data), _rejected(fit),
                   bullets(sentence(text) for text in data["remarks"].texts)])  # fmt: skip


def _facts(data: Part) -> Html:
    planned, finished = data["speeds"]["planned"].text, data["speeds"]["finished"].text
    windows, (low, high) = data["windows"], (data["oil_degc"][end].number for end in ("low", "high"))
    oil = " to ".join(dict.fromkeys(plain(x, 3) for x in (low, high) if x is not None))
    left = len(windows["discarded"].parts)
    counted = windows["counted"].text
    broken = "" if data["complete"].value is not False else "; broken off"
    return facts([
        ("Campaign", code(data["campaign"].text)), ("Begun", moment(data["begun"].text)),
        ("Speeds", f"{finished} of {planned} finished{broken}" if finished and planned else ""),
        ("Windows", f"{counted} counted, {left} left out" if counted else ""),
        ("Oil", f"{oil} °C" if oil else ""),
        ("Rig's time", with_unit(data["rig_seconds"].number, "s") if data["rig_seconds"].number else ""),
        ("Samples in", code(data["folder"].text)),
    ])  # fmt: skip


def _curve(data: Part) -> Html:
    rows = []
    for one in data["curve"].parts:
        speed, force, std, offset = (one[key].number for key in ("speed_m_s", "force_n", "std_n", "offset_n"))
        if speed is None or force is None:
            continue
        rows.append((plain(speed, 3), fixed(force, 1), f"± {fixed(1.96 * std, 1)}" if std is not None else "–",
                     fixed(offset, 1) if offset is not None else "–"))  # fmt: skip
    if not rows:
        return NOTHING
    head = (">speed, m/s", ">friction, N", ">95 %, N", ">shared by both directions, N")
    return tag("details", tag("summary", f"The {len(rows)} points of the curve"), table(head, rows), open="open")


def _discarded(data: Part) -> Html:
    windows = data["windows"]["discarded"]
    if not windows.parts:
        return absent("No window was left out.") if data["windows"] else NOTHING
    found = Counter(
        (one["speed_m_s"].number, one["direction"].number, one["reason"].text) for one in windows.parts
    )  # fmt: skip
    ways = {1.0: "forward", -1.0: "backward"}
    rows = [
        (plain(speed, 3), ways.get(way or 0.0, "–"), str(count), sentence(reason))
        for (speed, way, reason), count in sorted(found.items(), key=lambda one: (one[0][0] or 0.0, one[0][1] or 0.0))
    ]
    return table((">speed, m/s", "direction", ">windows", "why they do not count"), rows, "Windows that were left out")


def _rejected(fit: Part) -> Html:
    rows = []
    for one in fit["rejected"].parts:
        cells = [one[key].number for key in ("speed_m_s", "force_n", "curve_n", "deviations", "limit")]
        rows.append([plain(cells[0], 3), *(plain(x) for x in cells[1:3]), *(plain(x, 3) for x in cells[3:])])
    head = (">speed, m/s", ">measured, N", ">law, N", ">off by, standard errors", ">limit")
    return table(head, rows, "Points that do not belong to the curve, and do not count in the fit")
