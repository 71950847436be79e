"""The paper's tables and figures as the parts of its page, ours beside them."""

import math

from hilctl.papers.declaration import Figure, Part, Table, Text
from hilctl.papers.servo.beside import CLOCK_HZ, Beside, Signals
from hilctl.papers.servo.tables import BELOW_HZ, FITS, ITERATIONS, Case, Line, Paper
from hilctl.report.dynamics.tables import fit, yes
from hilctl.report.numbers import plain


def parts_of(paper: Paper, also: Beside) -> tuple[Part, ...]:
    """All, in the paper's order."""
    return (
        Part("The experiment", (Text(
            "The paper drives the position servo of a missile's fin from 1 to 100 Hz in steps of 1 Hz, three periods "
            "each. Its record is not published; here a simulated servo with the values that the paper identified takes "
            "the place of its rig, driven through the service, so these values are the true ones. The paper's best fit "
            "is 96.18 %, so 3.8 % of its output's spread is noise: ours is evaluated as recorded, with 5 µm of noise, "
            "and with white noise of 3.8 % added."),)),
        Part("Figure 2: the excitation and its response, prepared", (Figure(
            "sweep", "With noise of 3.8 % of the output's spread; outliers removed, low-passed without lag, mean "
            "removed."),)),
        Part("Figures 3 and 4: the frequency response, and that of the corrector", (Figure(
            "response", "From the record above, the first of three periods skipped, with its 95 % intervals, corrected "
            "for the half tick of lag of the converter's hold; the servo's own in black. Right: the second-order "
            "corrector at about 80 Hz, which causes the dip."),)),
        Part("Section 1.3: a PRBS beside the sweep", (_signals(also.signals),)),
        Part("Algorithm 1 beside the product's solver", (Text(
            "The bounded trust region of Coleman and Li with the paper's constants, from the paper's start, on the "
            "sweep with 3 % of noise; and scipy's trust region with its reflections, which the product uses. The third "
            "rule for the region's size is printed with mu and must have eta; the paper does not say how its "
            "parameters, which span 22 decades, are scaled: here each runs from 0 to 1 between its bounds."),
            Figure("searches", "Score of the true parameters less the score, by iteration. Below zero, noise is "
                   "fitted, too; those points are not shown."))),
        Part("Table 1: start and bounds of the search", (_settings(paper),)),
        Part("Figures 6 and 7: the model before and after identification", (_fits(paper), Figure(
            "fit", "The noisy record beside the model at its start (figure 6) and at its end (figure 7), over three "
            "seconds around 10 s, where the paper shows the start deviating."))),
        Part("Figure 8: the identified model against the measured response", (Figure(
            "model", "Of the noisy record, with its 95 % intervals."),)),
        Part("Figure 9: transfer functions", (_orders(paper), Figure(
            "orders", f"Magnitude below {BELOW_HZ:g} Hz, as a ratio and not in dB, as in the paper. Left: ours; right: "
            "the paper's plain least squares on the same response."))),
        Part("Figure 10: a step", (Figure("step", "The identified model on a step, which it was not fitted to."),)),
        Part("Table 2: identified parameters", (
            _identified(paper),
            Text("From displacement alone not every parameter is identifiable, however good the fit: "
                 + "; ".join(direction.text for direction in paper.quiet.fit.directions)
                 + ". Identifiable from the same data:"),
            _fixed(paper))),
    )  # fmt: skip


def _settings(paper: Paper) -> Table:
    rows = [(line.name, *(plain(x) for x in (line.start, line.low, line.high)), line.unit) for line in paper.lines]
    return Table(("parameter", ">initial", ">minimum", ">maximum", "unit"), tuple(rows))


def _signals(signals: Signals) -> Table:
    rows = [(name, plain(a, 2), plain(b, 2)) for name, a, b in zip(*signals, strict=True)]
    head = ("identifiable", ">sweep, %", ">PRBS, %")
    caption = f"standard errors with 5 µm of noise; PRBS clocked at {CLOCK_HZ:g} Hz, length and peak of the sweep's"
    return Table(head, tuple(rows), caption)


def _fits(paper: Paper) -> Table:
    rows = [("the paper", fit(FITS[0]), fit(FITS[1]), str(ITERATIONS), "")]
    rows += [
        (f"ours, {one.title}", fit(one.fit.start_percent["displacement"]),
         fit(one.fit.fit_percent["displacement"]), str(one.fit.iterations),
         f"within 0.05 % of the end after {soon(one)}, rank {one.fit.rank} of {one.fit.free}")
        for one in (paper.noisy, paper.quiet, paper.pressed)
    ]  # fmt: skip
    return Table(("", ">start", ">end", ">iterations", ""), tuple(rows), "fit of the displacement, equation 29")


def soon(one: Case) -> int:
    """Iterations until the fit hardly changes, where the paper stops."""
    last = one.fit.history[-1]
    return next(k for k, value in enumerate(one.fit.history) if value >= last - 0.05)


def _identified(paper: Paper) -> Table:
    rows = []
    for line in paper.lines:
        cells = [_found(line, one) for one in (paper.noisy, paper.quiet, paper.pressed)]
        rows.append((line.name, plain(line.start), plain(line.identified, 5), *cells, line.unit))
    head = ("", ">initial", ">paper", ">3.8 % of noise", ">as recorded, 5 µm", ">and load pressure", "unit")
    return Table(head, tuple(rows), "ours with 95 % intervals")


def _found(line: Line, one: Case) -> str:
    estimate = one.fit.estimate(line.name)
    if estimate.value is None:
        return "not identifiable"
    return _with_interval(estimate.value, estimate.low, estimate.high)


def _with_interval(value: float, low: float | None, high: float | None) -> str:
    """With two digits of half the interval."""
    half = max((abs(end - value) for end in (low, high) if end is not None), default=0.0)
    digits = 2 + max(0, math.floor(math.log10(abs(value))) - math.floor(math.log10(half))) if half and value else 4
    ends = " to ".join("open" if end is None else plain(end, digits) for end in (low, high))
    return f"{plain(value, digits)} ({ends})"


def _fixed(paper: Paper) -> Table:
    rows = []
    for one in paper.quiet.fit.invariants:
        other = paper.noisy.fit.invariant(one.name)
        cells = [_with_interval(*each.ends) for each in (other, one)]
        rows.append((one.name, plain(paper.truth[one.name], 5), *cells, one.unit))
    return Table(("identifiable", ">paper's values", ">3.8 % of noise", ">as recorded, 5 µm", "unit"), tuple(rows))


def _orders(paper: Paper) -> Table:
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
    return Table((">order", ">the paper", ">ours", "stable", ">plain least squares", "stable"), tuple(rows), caption)
