"""The paper's tables as a section of a study's page, ours beside them."""

import math

from hilctl.papers.servo_tables import BELOW_HZ, FITS, ITERATIONS, Case, Line, Paper
from hilctl.report.dynamics.tables import fit, yes
from hilctl.report.markup import Html, joined, p, table, tag
from hilctl.report.numbers import plain
from hilctl.report.sections.common import Pictures, shown


def tables(paper: Paper, pictures: Pictures) -> Html:
    """The whole section, in the paper's order."""
    return joined([
        p("Zhao and Wang, Acta Aeronautica et Astronautica Sinica 34 (2013) 187–196, identify an analog position servo "
          "from a sweep of 1 to 100 Hz in steps of 1 Hz, three periods each. Here a simulated servo with the values "
          "that they identified takes the place of their rig, so these values are the true ones."),
        tag("h3", "Figure 2: the excitation and its response, prepared"),
        shown(pictures, "paper-sweep", "With noise of 3.8 % of the output's spread, as estimated for the paper's own; "
               "outliers removed, low-passed without lag, mean removed."),
        tag("h3", "Figures 3 and 4: the frequency response, and that of the corrector"),
        shown(pictures, "paper-response", "From the record above, the first of three periods skipped, with its 95 % "
               "intervals, corrected for the half tick of lag of the converter's hold; the servo's own in black. "
               "Right: the second-order corrector at about 80 Hz, which causes the dip."),
        tag("h3", "Table 1: start and bounds of the search"),
        _settings(paper), tag("h3", "Figures 6 and 7: the model before and after identification"), _fits(paper),
        shown(pictures, "paper-fit", "The noisy record beside the model at its start (figure 6) and at its end "
               "(figure 7), over three seconds around 10 s, where the paper shows the start deviating."),
        tag("h3", "Table 2: identified parameters"), _identified(paper), _fixed(paper),
        tag("h3", "Figure 8: the identified model against the measured response"),
        shown(pictures, "paper-model", "Of the noisy record, with its 95 % intervals."),
        tag("h3", "Figure 9: transfer functions"), _orders(paper),
        shown(pictures, "paper-orders", f"Magnitude below {BELOW_HZ:g} Hz, as a ratio and not in dB, as in the paper. "
               "Left: ours; right: the paper's plain least squares on the same response."),
        tag("h3", "Figure 10: a step"), shown(pictures, "paper-step", _step(paper)),
    ])  # fmt: skip


def _step(paper: Paper) -> str:
    if paper.step is None:
        return ""
    return f"The identified model on a step, which it was not fitted to: {fit(paper.step.fit_percent)}."


def _settings(paper: Paper) -> Html:
    rows = []
    for line in paper.lines:
        unit = line.unit
        rows.append((line.name, *(plain(x) for x in (line.start, line.low, line.high)), unit))
    return table(("parameter", ">initial", ">minimum", ">maximum", "unit"), rows)


def _fits(paper: Paper) -> Html:
    rows = [("the paper", fit(FITS[0]), fit(FITS[1]), str(ITERATIONS), "")]
    rows += [
        (f"ours, {one.title}", fit(one.fit.start_percent["displacement"]),
         fit(one.fit.fit_percent["displacement"]), str(one.fit.iterations),
         f"{_soon(one)}, rank {one.fit.rank} of {one.fit.free}")
        for one in (paper.noisy, paper.quiet, paper.pressed)
    ]  # fmt: skip
    return table(("", ">start", ">end", ">iterations", ""), rows, "fit of the displacement, equation 29")


def _soon(one: Case) -> str:
    """Iterations until the fit hardly changes, where the paper stops."""
    last = one.fit.history[-1]
    near = next(k for k, value in enumerate(one.fit.history) if value >= last - 0.05)
    return f"within 0.05 % of the end after {near}"


def _identified(paper: Paper) -> Html:
    rows = []
    for line in paper.lines:
        cells = [_found(line, one) for one in (paper.noisy, paper.quiet, paper.pressed)]
        rows.append((line.name, plain(line.start), plain(line.identified, 5), *cells, line.unit))
    head = ("", ">initial", ">paper", ">3.8 % of noise", ">as recorded, 5 µm", ">and load pressure", "unit")
    return table(head, rows, "ours with 95 % intervals")


def _found(line: Line, one: Case) -> Html | str:
    estimate = one.fit.estimate(line.name)
    if estimate.value is None:
        return tag("em", "not identifiable")
    return _with_interval(estimate.value, estimate.low, estimate.high)


def _with_interval(value: float, low: float | None, high: float | None) -> Html:
    """With two digits of half the interval."""
    half = max((abs(end - value) for end in (low, high) if end is not None), default=0.0)
    digits = 2 + max(0, math.floor(math.log10(abs(value))) - math.floor(math.log10(half))) if half and value else 4
    ends = " to ".join("open" if end is None else plain(end, digits) for end in (low, high))
    return joined([plain(value, digits), tag("br"), tag("small", ends)])


def _fixed(paper: Paper) -> Html:
    rows = []
    for one in paper.quiet.fit.invariants:
        other = paper.noisy.fit.invariant(one.name)
        cells = [_with_interval(*each.ends) for each in (other, one)]
        rows.append((tag("span", one.name, class_="key"), plain(paper.truth[one.name], 5), *cells, one.unit))
    said = "; ".join(direction.text for direction in paper.quiet.fit.directions)
    head = ("identifiable", ">paper's values", ">3.8 % of noise", ">as recorded, 5 µm", "unit")
    return joined([
        p(f"From displacement alone not every parameter is identifiable, however good the fit: {said}. Identifiable "
          "from the same data:"),
        table(head, rows),
    ])  # fmt: skip


def _orders(paper: Paper) -> Html:
    rows = [
        (str(one.order) + (" (chosen)" if one.order == paper.family.best.order else ""),
         fit(one.paper) if one.paper is not None else "–", fit(one.ours), yes(one.ours_stable),
         fit(one.levy), yes(one.levy_stable))
        for one in paper.orders
    ]  # fmt: skip
    caption = (
        f"fit of the amplitude below {BELOW_HZ:g} Hz, equation 29; the servo's own response scores "
        f"{fit(paper.order_truth)}"
    )
    return table((">order", ">the paper", ">ours", "stable", ">plain least squares", "stable"), rows, caption)
