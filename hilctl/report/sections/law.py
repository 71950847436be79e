"""Which law, and why: of sliding, of reversals, and as the rig itself shows it."""

from hilctl.report.markup import NOTHING, Html, absent, bullets, joined, p, sentence, table, tag
from hilctl.report.numbers import percent, plain, with_unit
from hilctl.report.part import Part
from hilctl.report.sections.common import Pictures, flags, quantities, shown
from hilctl.report.words import called


def law(told: Part, pictures: Pictures) -> Html:
    """Sliding, then reversals, then the choice."""
    return joined([_sliding(told["fit"], pictures), _reversals(told["presliding"], pictures), _choice(told["choice"])])


def _sliding(fit: Part, pictures: Pictures) -> Html:
    title = tag("h3", "While it slides")
    if not fit:
        return joined([title, absent("No sliding law was fitted: there were too few points, or none.")])
    r2, left = fit["r2"].number, fit["scatter_n"].number
    good = []
    if r2 is not None:
        good.append(f"R² = {plain(r2, 6)}")
    if left is not None:
        good.append(f"a point is off by {with_unit(left, 'N', 2)} (standard deviation)")
    rows = [
        (called(one["law"].text), one["parameters"].text or "–", one["directions"].text or "–",
         plain(one["bic"].number, 5), plain(one["above_best"].number, 3), _weight(one["weight"].number),
         sentence(one["refused"].text))
        for one in fit["laws"].parts
    ]  # fmt: skip
    refused = any(row[-1] for row in rows)
    head = ["law", ">parameters", "directions", ">BIC", ">above least", ">weight", "refused because"]
    return joined([
        title, p(sentence(fit["why"].text), " ", sentence(", ".join(good))),
        shown(pictures, "laws", "Sliding laws held against the same points: evidence against each, as its BIC above "
              "the least one."),
        table(head if refused else head[:-1], rows if refused else [row[:-1] for row in rows]),
        _directions(fit), flags(fit["flags"], "To know of this fit:"),
    ])  # fmt: skip


def _weight(weight: float | None) -> str:
    if weight is None:
        return "–"
    return "< 0.001" if weight < 1e-3 else plain(weight, 3)


def _directions(fit: Part) -> Html:
    kept = fit["law"].text
    steps = [
        (step["richer"].text, step["over"].text, plain(step["f"].number, 3), _probability(step["probability"].number),
         "taken" if step["taken"].value is True else "not needed")
        for one in fit["laws"].parts if one["law"].text == kept for step in one["f_tests"].parts
    ]  # fmt: skip
    head = ("directions", "against", ">F", ">probability by chance", "so")
    return table(head, steps, f"Whether the directions differ ({called(kept)}): F-tests")


def _probability(p_value: float | None) -> str:
    if p_value is None:
        return "–"
    return "< 10⁻⁶" if p_value < 1e-6 else plain(p_value, 2)


def _reversals(found: Part, pictures: Pictures) -> Html:
    title = tag("h3", "When it reverses")
    if not found:
        return joined([title, absent("Reversals were not looked at: whether friction jumps or bends is not known.")])
    unsure = "The data leave it open." if found["certain"].value is False else ""
    kind = found["kind"].text
    evidence = found["evidence"]
    travel, error = evidence["travel_m"].number, evidence["travel_error_m"].number
    rows = [
        (name, plain(evidence[key].number, 3)) for name, key in (("LuGre", "left_lugre"), ("GMS", "left_gms"))
        if evidence[key].number is not None
    ]  # fmt: skip
    way = ""
    if travel is not None:
        within = f" ± {plain(1e6 * 2 * error, 2)}" if error is not None else ""
        way = f"Between minus and plus half of its level friction turns over {plain(1e6 * travel, 3)}{within} µm."
    return joined([
        title, p(tag("strong", called(kind)), ". " if kind else "", sentence(found["why"].text), " ", unsure),
        p(way),
        shown(pictures, "turn", "Friction over the distance since a reversal, both reversals of a cycle; what each law "
              "makes of it."),
        table(("law", ">left unexplained, variances of noise a point"), rows, "On cycles that were not fitted"),
        quantities(found["parameters"].named), p(sentence(found["advice"].text)),
        bullets((sentence(text) for text in found["warnings"].texts), "flags"),
    ])  # fmt: skip


def _choice(choice: Part) -> Html:
    title = tag("h3", "On the rig itself")
    if not choice:
        return joined([title, absent("Laws were not tried against each other on the rig.")])
    kept = choice["kept"].text
    rows = [
        (joined([called(one["law"].text), tag("strong", " kept") if one["law"].text == kept else NOTHING]),
         percent(one["percent"].number), _preview(one["extra_preview_s"].number))
        for one in choice["tried"].parts
    ]  # fmt: skip
    return joined([
        title, p(sentence(choice["why"].text)),
        table(("compensated with", ">distortion at 1 Hz", ">preview"), rows),
    ])  # fmt: skip


def _preview(shift_s: float | None) -> str:
    return "–" if shift_s is None else f"{plain(1e3 * shift_s, 2)} ms"
