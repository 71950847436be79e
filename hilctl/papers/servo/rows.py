"""Each result of the paper beside ours."""

import math
from collections.abc import Iterator

import numpy as np
from msgspec.structs import replace

from hilctl.identify.dynamics.servo_plant import STEP
from hilctl.identify.dynamics.study import Study
from hilctl.identify.frequency.judge_model import fit_percent
from hilctl.papers.declaration import Row
from hilctl.papers.servo.beside import Beside, Searches
from hilctl.papers.servo.parts import soon
from hilctl.papers.servo.setting import PERIODS, sweep
from hilctl.papers.servo.tables import BELOW_HZ, FITS, ITERATIONS, Paper, corrector_of, gain_of
from hilctl.report.numbers import plain
from hilctl.results.response import Complexes, Reals
from hilctl.servo import frequency_response, paper_servo
from hilctl.servo.equations import State, matrices

_DISPLACEMENT = "displacement alone, 3.8 % of noise"
_PRESSED = "with load pressure, 5 µm of noise"
_OPEN = (
    "displacement does not fix it: the same output belongs to every machine with beta, m, B and KL multiplied by one "
    "factor and Kc + Ctc divided by it"
)
_SPLIT = "Kc and Ctc enter only as their sum; both of the paper's values lie at 97 % or more of their upper bounds"


def rows_of(paper: Paper, study: Study, also: Beside) -> tuple[Row, ...]:
    """All of them."""
    return (
        *_model(), *_excited(paper, also), *_responses(paper), *_searched(also.searches), *_fits(paper),
        *_transfers(paper), *_step(study), *_identified(paper),
    )  # fmt: skip


def _excited(paper: Paper, also: Beside) -> Iterator[Row]:
    signals = also.signals
    shares = ", ".join(f"{name} {x:.2g}" for name, x in zip(signals.names, signals.prbs / signals.sweep, strict=True))
    worst = float(np.max(signals.prbs / signals.sweep))
    why = (
        "on a linear servo, at the same peak voltage, length and noise, a PRBS excites all frequencies all the time, "
        f"the sweep those above 10 Hz for less than half of it: {shares}. Valve and load of a real servo are not "
        "linear, and only a sweep shows which frequency a distortion belongs to"
    )
    yield Row(of="§ 1.3", what="standard errors from a PRBS over those from the sweep, the greatest",
              paper="sweep better", ours=worst, low=1.0, why=why, steady=0.02)  # fmt: skip
    score = also.prepared.fit_percent["displacement"]
    moved = max(
        abs(one.ends[0] - paper.noisy.fit.invariant(one.name).ends[0]) / (one.sd or math.inf)
        for one in also.prepared.invariants
    )
    yield Row(of="§ 1.3", what="fit at the end, prepared record", paper=FITS[1], ours=score, unit="%", low=FITS[1],
              why="the low-pass removes noise from the record, not from the parameters")  # fmt: skip
    yield Row(of="§ 1.3", what="greatest change of an identifiable value by the preparation", paper="not reported",
              ours=moved, unit="standard errors", high=0.2, steady=None)  # fmt: skip


def _searched(found: Searches) -> Iterator[Row]:
    name = "Algorithm 1"
    last = len(found.paper) - 1
    yield Row(of=name, what="iterations", paper=float(ITERATIONS), ours=float(last), low=ITERATIONS, high=ITERATIONS)
    yield Row.near(name, "score after them, less that of the true parameters, at 3 % of noise", 0.0,
                   float(found.paper[-1]) - found.truth, "%", by=0.3, steady=None)  # fmt: skip
    soon_s = [int(np.argmax(one >= one[-1] - 0.05)) for one in (found.paper, found.ours)]
    yield Row(of=name, what="iterations until within 0.05 % of its end", paper="20 or fewer", ours=float(soon_s[0]),
              high=float(ITERATIONS), steady=None, why=f"scipy's trust region, which the product uses: {soon_s[1]}; "
              "both with exact derivatives, and parameters scaled by their bounds or by their start")  # fmt: skip


def _model() -> Iterator[Row]:
    hz = np.arange(1.0, 101.0)
    exact, built = frequency_response(paper_servo(), hz)[:, 0], _of_matrices(hz)
    off = float(np.max(np.abs(built / exact - 1)))
    why = "misprints corrected: x1' lacks the input, and the first line of eq. 14 is u1, not its derivative"
    yield Row(of="eq. 14", what="greatest deviation of the state space from eqs. 1 to 12, 1 to 100 Hz", paper=0.0,
              ours=off, unit="of the gain", high=1e-9, why=why, steady=None)  # fmt: skip
    yield Row.near("Fig. 2", "length of the sweep, 1 to 100 Hz, three periods each", 15.56, len(sweep()) / 2000, "s",
                   by=0.01, why=f"computed: the sum of {PERIODS} periods at 1, 2 … 100 Hz")  # fmt: skip


def _of_matrices(hz: Reals) -> Complexes:
    a, b = matrices(paper_servo())
    eye = np.eye(len(a))
    return np.array([np.linalg.solve(2j * math.pi * f * eye - a, b[:, 0])[State.displacement] for f in hz])


def _responses(paper: Paper) -> Iterator[Row]:
    gain = paper.bandwidth.gain
    yield Row(of="Fig. 3", what="bandwidth, −3 dB", paper="below 40 Hz", ours=None if gain is None else gain.hz,
              unit="Hz", low=20.0, high=40.0)  # fmt: skip
    yield Row.near("Fig. 3", "least gain at", 80.0, float(paper.response.hz[np.argmin(paper.response.magnitude)]),
                   "Hz", by=5.0, steady=0.03)  # fmt: skip
    hz = np.linspace(1.0, 200.0, 20_000)
    least = float(hz[np.argmin(np.abs(corrector_of(hz)))])
    yield Row.near("Fig. 4", "the corrector's least gain at", 80.0, least, "Hz", by=2.0,
                   why="its coefficients are not printed: chosen to reproduce the paper's response")  # fmt: skip


def _fits(paper: Paper) -> Iterator[Row]:
    lines = float(len(paper.lines))
    yield Row.near("Table 1", "parameters with the paper's start and bounds", 8.0, lines)
    start = "the known parameters are not printed: ours reproduce the paper's response, and its noise is another"
    yield Row.near("Fig. 6", "fit at the start", FITS[0], paper.noisy.fit.start_percent["displacement"], "%", by=3.0,
                   why=start)  # fmt: skip
    yield Row(of="Fig. 7", what="fit at the end", paper=FITS[1], ours=paper.noisy.fit.fit_percent["displacement"],
              unit="%", low=FITS[1] - 0.3)  # fmt: skip
    yield Row(of="Fig. 7", what="iterations until within 0.05 % of the end", paper=float(ITERATIONS),
              ours=float(soon(paper.noisy)), high=float(ITERATIONS), steady=None,
              why="exact derivatives and parameters scaled by them")  # fmt: skip
    inside = paper.response.within(0.0, 50.0)
    good = fit_percent(inside.magnitude, np.abs(gain_of(paper.noisy.fit.values, inside.hz)))
    yield Row(of="Fig. 8", what="fit of the amplitude, 1 to 50 Hz", paper="agrees well", ours=good, unit="%", low=95.0)


def _transfers(paper: Paper) -> Iterator[Row]:
    for one in paper.orders:
        if one.paper is None:
            continue
        why = f"vector fitting, then a stable refinement; plain least squares on our response: {one.levy:.2f} %"
        yield Row(of="Fig. 9", what=f"order {one.order}, below {BELOW_HZ:g} Hz", paper=one.paper, ours=one.ours,
                  unit="%", low=one.paper, why=why)  # fmt: skip
    falls = min(zip(paper.orders, paper.orders[1:], strict=False), key=lambda pair: pair[1].levy - pair[0].levy)
    unstable = ", ".join(str(one.order) for one in paper.orders if not one.levy_stable)
    yield Row(of="Fig. 9", what="order at which plain least squares falls behind the order below it", paper=7.0,
              ours=float(falls[1].order), low=4.0, high=9.0, steady=None,
              why=f"which one depends on the noise; the method keeps no pole stable, on our response not at {unstable}",
              )  # fmt: skip
    inside = paper.response.hz <= 40.0
    hz, exact = paper.response.hz[inside], np.abs(paper.exact[inside])
    best = max(fit_percent(exact, np.abs(one.transfer.gain(hz))) for one in paper.family.fits)
    ours = fit_percent(exact, np.abs(gain_of(paper.noisy.fit.values, hz))) - best
    yield Row(of="Fig. 9", what="physical model less the best transfer function, fit of the servo's own amplitude "
              "below 40 Hz", paper="physical model better", ours=ours, unit="%", low=0.0, steady=None)  # fmt: skip


def _step(study: Study) -> Iterator[Row]:
    one = next((each for each in study.checks if (each.experiment, each.model) == (STEP, "grey")), None)
    yield Row(of="Fig. 10", what="fit of the identified model on a step", paper="agrees well",
              ours=None if one is None else one.fit_percent, unit="%", low=95.0)  # fmt: skip


def _identified(paper: Paper) -> Iterator[Row]:
    for line in paper.lines:
        for case, what in ((paper.noisy, _DISPLACEMENT), (paper.pressed, _PRESSED)):
            estimate = case.fit.estimate(line.name)
            value, low, high = estimate.value, estimate.low, estimate.high
            row = Row(of=f"Table 2, {line.name}", what=what, paper=line.identified, ours="not identifiable",
                      unit=line.unit, why=_SPLIT if line.name in ("Kc", "Ctc") else _OPEN)  # fmt: skip
            if value is not None and low is not None and high is not None:
                ends = f"95 % interval {plain(low, 5)} to {plain(high, 5)}"
                row = replace(row, ours=value, why=ends, steady=None,
                              low=line.identified - max(high - value, 0.01 * line.identified),
                              high=line.identified + max(value - low, 0.01 * line.identified))  # fmt: skip
            yield row
