"""Compensation as the rig itself shows it: the friction models that were tried, and the preview."""

from collections.abc import Mapping, Sequence

from hilctl.report.figure import Pictures, shown
from hilctl.report.markup import NOTHING, Html, absent, joined, p, sentence, table, tag
from hilctl.report.numbers import percent, plain, with_unit
from hilctl.report.sections import claims
from hilctl.report.sections.common import absence, missing
from hilctl.report.words import called
from hilctl.results.commissioned import Commissioned


def compensation(result: Commissioned, pictures: Pictures) -> Html:
    """The choice, then the preview."""
    choice, preview = result.choice, result.preview
    if choice is None:
        return absence(result, "compensation", "Laws were not tried against each other on the rig.")
    first = f"{choice.frequency_hz:g}"
    hz = sorted({first, *choice.before_by_hz}, key=float)
    rows = [
        (joined([called(one.law), tag("strong", " kept") if one.law == choice.kept else NOTHING]),
         *_over(hz, {first: one.percent, **one.by_hz}), plain(one.factor, 2),
         f"{plain(1e3 * one.extra_preview_s, 2)} ms")
        for one in choice.tried
    ]  # fmt: skip
    if choice.machine_percent is not None:
        alone = _over(hz, {first: choice.machine_percent, **choice.machine_by_hz})
        rows.append((Html("the valve's inverse alone"), *alone, plain(choice.machine_factor, 2), ""))
    rows.append((Html("nothing"), *_over(hz, {first: choice.before_percent, **choice.before_by_hz}), "", ""))
    body = [
        missing(result, "compensation"), p(sentence(choice.why)),
        table(("compensated with", *(f">distortion at {key} Hz" for key in hz), ">times less", ">preview"), rows),
        tag("h3", "The compensation's preview"),
    ]  # fmt: skip
    if preview is None:
        return joined([*body, absent("The preview was not searched.")])
    kept = f"Kept: {with_unit(1e3 * preview.extra_preview_s, 'ms', 3)}, where the distortion is "
    return joined([
        *body, p(kept, percent(preview.percent), "."),
        shown(pictures, "preview", "Distortion over the shift in time of the compensation, beyond what the parameters "
              "ask for.", claims.preview(preview)),
    ])  # fmt: skip


def _over(hz: Sequence[str], by_hz: Mapping[str, float]) -> list[str]:
    return [percent(by_hz.get(key)) for key in hz]
