"""What the paper chose, beside what it did not: its search and ours, its sweep and a PRBS, its preparation and none."""

from typing import NamedTuple

import numpy as np

from hilctl.identify.frequency.judge_model import fit_percent
from hilctl.identify.frequency.prepare import Prepared
from hilctl.identify.grey_box import search as ours
from hilctl.identify.grey_box.identify import identify
from hilctl.identify.grey_box.model import Record
from hilctl.identify.grey_box.parameters import Parameters
from hilctl.identify.grey_box.problem import Problem
from hilctl.identify.grey_box.result import Fit
from hilctl.papers.servo import algorithm
from hilctl.papers.servo.setting import AMPLITUDE_V, RATE_HZ, TRUTH, paper_choices, paper_model, paper_record, sweep
from hilctl.papers.servo.tables import Paper
from hilctl.results.response import Reals
from hilctl.servo import Hold

ITERATIONS = 20
NOISE_SHARE = 0.03  # of the displacement's spread: the truth then scores 97 %
NOISE_M = 5e-6
CLOCK_HZ = 200.0  # of the PRBS: its spectrum is flat within 3 dB to 90 Hz
_SEED = 4


class Searches(NamedTuple):
    """Both on the same noisy record; scores in %, at the start and after each iteration."""

    truth: float
    paper: Reals
    ours: Reals


class Signals(NamedTuple):
    """The same servo, noise, peak voltage and length."""

    names: tuple[str, ...]  # what is identifiable
    sweep: Reals  # standard errors, in % of the true values
    prbs: Reals


class Beside(NamedTuple):
    """All of it."""

    searches: Searches
    signals: Signals
    prepared: Fit


def beside(paper: Paper) -> Beside:
    """From the paper's records."""
    return Beside(searches(paper.quiet.record), signals(), prepared_fit(paper.prepared))


def searches(quiet: Record) -> Searches:
    """Algorithm 1 and the product's solver on this record with noise."""
    x = quiet.measured()[:, 0]
    y = x + NOISE_SHARE * float(x.std()) * np.random.default_rng(_SEED).standard_normal(len(x))
    record, model = quiet._replace(outputs={"displacement": y}), paper_model()
    problem = Problem(model, (record,), Parameters(model, paper_choices()), {"displacement": float(y.std())})
    costs = algorithm.search(problem, ITERATIONS).costs, ours.search(problem).costs
    scores = [100 * (1 - np.sqrt(2 * np.array(one) / len(y))) for one in costs]
    return Searches(fit_percent(y, model.simulate(TRUTH, record)[:, 0]), *scores)


def prbs() -> Reals:
    """Of the sweep's length and peak voltage."""
    from scipy.signal import max_len_seq

    count = len(sweep())
    bits = 2.0 * np.repeat(max_len_seq(11)[0], round(RATE_HZ / CLOCK_HZ)) - 1.0
    return np.asarray(AMPLITUDE_V * np.resize(bits, count))


def signals() -> Signals:
    """The errors of what displacement fixes, by the excitation."""
    fits = [
        identify(paper_model(), [paper_record(_SEED, noise=NOISE_M, ui=ui)], paper_choices(), intervals="linear")
        for ui in (sweep(), prbs())
    ]
    names = tuple(one.name for one in fits[0].invariants)
    errors = [np.array([_percent(fit, name) for name in names]) for fit in fits]
    return Signals(names, *errors)


def _percent(fit: Fit, name: str) -> float:
    one = fit.invariant(name)
    return np.nan if one.sd is None or one.value is None else 100 * one.sd / one.value


def prepared_fit(prepared: Prepared) -> Fit:
    """From the record as the paper prepares it."""
    made = {name: np.asarray(values, float) for name, values in prepared.channels.items()}
    record = Record({"ui": made["ui"]}, {"displacement": made["displacement"]}, 1 / prepared.rate_hz, hold=Hold.zero)
    return identify(paper_model(), [record], paper_choices(), intervals="linear")
