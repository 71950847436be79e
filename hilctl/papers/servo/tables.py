"""The paper's figures beside those of its experiment here: parameters, fits, and transfer functions by order.

The paper's own record is noisy: its best fit is 96.18 %, so about 3.8 % of the output's spread is noise. The recorded
displacement is therefore evaluated twice: as it is, and with white noise of that size added, from a fixed seed.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from hilctl.identify.dynamics.servo_plant import STEP, SWEEP, bounds_of, heard
from hilctl.identify.dynamics.study import Check, Study
from hilctl.identify.frequency.judge_model import fit_percent
from hilctl.identify.frequency.prepare import Detrend, Hampel, Prepared, ZeroPhase, prepare
from hilctl.identify.frequency.record import Experiment
from hilctl.identify.frequency.response import bandwidth, without_hold
from hilctl.identify.frequency.response_swept import stepped_response
from hilctl.identify.frequency.transfer import Transfer
from hilctl.identify.frequency.transfer_fit import Family, Fitted, fit_transfer, judged
from hilctl.identify.grey_box.identify import identify
from hilctl.identify.grey_box.model import Record, ServoModel
from hilctl.identify.grey_box.parameters import Free
from hilctl.identify.grey_box.result import Fit
from hilctl.results.response import Bandwidth, Complexes, Reals, Response
from hilctl.servo import BOUNDS, IDENTIFIED, KNOWN, START, Hold, frequency_response, paper_servo

FITS = (86.98, 96.18)  # in %, at its start and at its end
ITERATIONS = 20
ORDERS = {4: 94.24, 5: 94.12, 6: 95.45, 7: 87.21, 9: 96.14}  # in %, of the amplitude below 70 Hz
BELOW_HZ = 70.0
NOISE_SHARE = 0.038
V_PER_M = KNOWN["Kd"]  # of the displacement's transducer
_SEED = 4
_LOW_PASS_HZ = 300.0


class Line(NamedTuple):
    """A row of the paper's tables 1 and 2."""

    name: str
    unit: str
    start: float
    low: float
    high: float
    identified: float  # by the paper, which here is the truth


class Order(NamedTuple):
    """A transfer function on the noisy response below 70 Hz, in % of the amplitude."""

    order: int
    paper: float | None
    ours: float
    ours_stable: bool
    levy: float
    levy_stable: bool


class Case(NamedTuple):
    """The sweep with some noise, and the grey box fitted to it."""

    title: str
    noise_m: float  # added
    record: Record
    fit: Fit
    started: Reals  # the model's output at the start of the search
    ended: Reals


class Paper(NamedTuple):
    """All tables."""

    lines: tuple[Line, ...]
    quiet: Case  # as recorded
    noisy: Case  # with noise as in the paper
    pressed: Case  # as recorded, with the load pressure
    truth: Mapping[str, float]  # of the identifiable combinations, by name
    prepared: Prepared  # the noisy record: outliers, low-pass, mean
    response: Response  # of the noisy record, in m/V
    bandwidth: Bandwidth
    exact: Any  # the truth's gain at the response's frequencies
    family: Family
    levy: tuple[Fitted, ...]
    orders: tuple[Order, ...]
    step: Check | None  # of the identified model
    order_truth: float  # fit of the true response's amplitude


def paper_of(study: Study) -> Paper:
    """From the sweep of a study. KeyError if it has none."""
    sweep = study.experiment(SWEEP)
    reach_v = _volts(sweep)
    part = heard(sweep)
    u = reach_v * np.asarray(sweep.channels["u_applied"], float)[part]
    x = np.asarray(sweep.channels["displacement_m"], float)[part]
    pressure = np.asarray(sweep.channels["load_pressure_pa"], float)[part]
    noise = NOISE_SHARE * float(x.std())
    shaken = x + noise * np.random.default_rng(_SEED).standard_normal(len(x))
    dt_s = 1 / sweep.rate_hz
    quiet = _case(
        "as recorded", 0.0, Record({"ui": u}, {"displacement": x}, dt_s, hold=Hold.zero, name=SWEEP), _known(study)
    )  # fmt: skip
    noisy = _case("3.8 % of noise", noise, quiet.record._replace(outputs={"displacement": shaken}))
    both = _case(
        "with the load pressure", 0.0, quiet.record._replace(outputs={"displacement": x, "load_pressure": pressure})
    )  # fmt: skip
    response = _response(u, shaken, sweep, part.start)
    below = response.within(0.0, BELOW_HZ)
    orders = (*range(4, 10),)
    family, levy = fit_transfer(below, orders), fit_levy(below, orders)
    exact = frequency_response(paper_servo(), response.hz)[:, 0]
    inside = response.hz <= BELOW_HZ
    units = ServoModel(KNOWN).units
    made = prepare({"ui": u, "displacement": shaken}, sweep.rate_hz)
    return Paper(
        lines=tuple(Line(n, units[n], START[n], *BOUNDS[n], IDENTIFIED[n]) for n in START),
        quiet=quiet, noisy=noisy, pressed=both,
        truth={**_truth(both.fit), **_truth(quiet.fit)}, response=response,
        bandwidth=bandwidth(response), exact=exact, family=family,
        levy=levy, step=next((one for one in study.checks if (one.experiment, one.model) == (STEP, "grey")), None),
        order_truth=fit_percent(below.magnitude, np.abs(exact[inside])),
        prepared=made.then(Hampel(), "displacement").then(ZeroPhase(low_pass_hz=_LOW_PASS_HZ)).then(Detrend()),
        orders=tuple(
            Order(one.order, ORDERS.get(one.order), one.amplitude_percent, one.transfer.stable,
                  other.amplitude_percent, other.transfer.stable)
            for one, other in zip(family.fits, levy, strict=True)
        ),
    )  # fmt: skip


def fit_levy(response: Response, orders: Sequence[int]) -> tuple[Fitted, ...]:
    """The paper's transfer functions: plain linear least squares, min Σ |N(jw) - H D(jw)|² with d_0 = 1.

    Multiplied by D, an error at a high frequency counts far more than one at a low, noise in H makes the estimate
    biased, and nothing keeps the poles stable.
    """
    return tuple(judged(response, _levy(response, order), np.ones(len(response.hz))) for order in orders)


def _levy(response: Response, order: int) -> Transfer:
    w = 2 * np.pi * response.hz
    w0 = float(np.sqrt(w[0] * w[-1]))
    powers = (1j * w / w0)[:, None] ** np.arange(order + 1)
    basis = np.hstack([powers[:, :-1], -response.gain[:, None] * powers[:, 1:]])
    rows, right = (np.concatenate([each.real, each.imag]) for each in (basis, response.gain))
    found = np.asarray(np.linalg.lstsq(rows, right, rcond=None)[0], np.float64)
    return Transfer(found[:order], np.concatenate([[1.0], found[order:]]), w0)


def _volts(sweep: Experiment) -> float:
    """The reference voltage for a command of 1: the command is the reference of the tick before, over the reach."""
    u = np.asarray(sweep.channels["u_applied"], float)[1:]
    xr = np.asarray(sweep.channels["xr_m"], float)[:-1]
    return float(xr @ u / (u @ u)) * KNOWN["Kd"]


def _known(study: Study) -> Fit | None:
    """The study's own fit, if it has the paper's choices; else None."""
    grey = study.grey
    if grey is None or grey.fit is None or grey.outputs != ("displacement",) or grey.experiments != (SWEEP,):
        return None
    paper = grey.fit.free == len(START) and all(np.isclose(grey.before[name], START[name]) for name in START)
    return grey.fit if paper else None


def _case(title: str, noise_m: float, record: Record, fit: Fit | None = None) -> Case:
    model = ServoModel(KNOWN)
    fit = fit or identify(model, [record], {name: Free(START[name], *bounds_of(name, START[name])) for name in START})
    started, ended = (model.simulate(values, record)[:, 0] for values in (dict(START), fit.values))
    return Case(title, noise_m, record, fit, started, ended)


def _response(u: Reals, x: Reals, sweep: Experiment, first: int) -> Response:
    """The response of the servo itself, corrected for the converter's hold."""
    held = stepped_response(u, x, sweep.rate_hz, sweep.signal.steps, begins=sweep.begins - first)
    return without_hold(held, sweep.rate_hz, Hold.zero)


def _truth(fit: Fit) -> dict[str, float]:
    """The paper's values of the identifiable combinations."""
    found = {}
    for one in fit.invariants:
        value = 1.0
        for term, power in one.powers.items():
            inner = term.strip("()").split(" + ")
            value *= sum(getattr(paper_servo(), name) for name in inner) ** power
        found[one.name] = value
    return found


def gain_of(values: Mapping[str, float], hz: Reals) -> Complexes:
    """The displacement of the paper's servo with these values, in m for a volt of its reference."""
    return frequency_response(paper_servo({}, **{**KNOWN, **values}), hz)[:, 0]


def corrector_of(hz: Reals) -> Complexes:
    """The gain of the paper's second-order corrector."""
    s = 2j * np.pi * hz * KNOWN["T5"]
    return np.asarray((s**2 + 2 * KNOWN["xi3"] * s + 1) / (s**2 + 2 * KNOWN["xi4"] * s + 1))
