"""A small study of dynamics with every part."""

import numpy as np

from hilctl.identify.dynamics.study import Against, Check, Grey, Study, Transfers
from hilctl.identify.frequency.estimate import Measured
from hilctl.identify.frequency.judge import Finding
from hilctl.identify.frequency.judge_model import compare_steps, independence, whiteness
from hilctl.identify.frequency.prepare import Detrend, Hampel, prepare
from hilctl.identify.frequency.record import Experiment, Pair
from hilctl.identify.frequency.response import bandwidth
from hilctl.identify.frequency.transfer_fit import fit_transfer
from hilctl.identify.grey_box.identify import identify
from hilctl.identify.grey_box.model import Record
from hilctl.papers.servo.setting import paper_choices, paper_model
from hilctl.results.response import Response
from hilctl.servo import frequency_response, paper_servo, simulate

RATE_HZ = 1000.0
LOOP = Pair("xd_m", "displacement_m")


def _measured(hz):
    gain = 50 * frequency_response(paper_servo(), hz)[:, 0]
    noise = 0.003 * np.random.default_rng(1).standard_normal((2, len(hz)))
    made = Response(hz, gain + noise[0] + 1j * noise[1], np.full(len(hz), 2e-5), np.full(len(hz), 20.0),
                    np.full(len(hz), 0.99))  # fmt: skip
    return Measured("sweep", "sweep", LOOP, made, bandwidth(made))


def _step():
    driven = np.where(np.arange(600) < 200, 0.0, 1.0)
    exact = 50 * simulate(paper_servo(), driven, 1 / RATE_HZ)[:, 0]
    seen = exact + 2e-3 * np.random.default_rng(2).standard_normal(600)
    left = seen - exact
    return Check(
        experiment="step", model="grey", output="displacement_m", rate_hz=RATE_HZ, driven=driven, measured=seen,
        modelled=exact, fit_percent=99.5, whiteness=whiteness(left), independence=independence(left, driven),
        step=compare_steps(driven, seen, exact, RATE_HZ),
    )  # fmt: skip


def small_study() -> Study:
    """The paper's servo, driven by a sweep and by a step."""
    t = np.arange(3000) / RATE_HZ
    u = 0.2 * np.sin(2 * np.pi * (2 + 10 * t) * t)
    x = simulate(paper_servo(), u, 1 / RATE_HZ)[:, 0] + 5e-6 * np.random.default_rng(3).standard_normal(len(t))
    sweep = Experiment(
        name="sweep", group="sweep", kind="sweep", role="fit", settings={"amplitude_m": 4e-3}, rate_hz=RATE_HZ,
        channels={"xd_m": u / 50, "displacement_m": x}, band_hz=(2.0, 60.0), notes=("a note <of> it",),
    )  # fmt: skip
    fit = identify(paper_model(), [Record({"ui": u}, {"displacement": x}, 1 / RATE_HZ)], paper_choices(),
                   intervals="linear", check=False)  # fmt: skip
    response = _measured(np.arange(1.0, 71.0))
    family = fit_transfer(response.response, (4, 5))
    cleaned = prepare(sweep.channels, RATE_HZ).then(Hampel(), "displacement_m").then(Detrend())
    return Study(
        rig="a rig", rate_hz=RATE_HZ, made="2030-01-02T03:04:05+00:00", command="hilctl identify dynamics",
        experiments=(sweep,),
        findings={"sweep": (Finding("clipped", "displacement_m", "at 9 mm; ask for less"),)},
        prepared={"sweep": cleaned}, responses=(response,),
        transfers=(Transfers("sweep", LOOP, (1.0, 70.0), family),
                   Transfers("sweep", LOOP, (1.0, 70.0), None, "too few lines")),
        grey=Grey("the linear servo", ("sweep",), ("displacement",), fit, {"m": 16.26}, {"m": "machine.m"}),
        checks=(_step(),), remarks=("a remark",),
        against=(Against("other", "order 5", LOOP, np.ones(2), np.ones(2) + 0j, np.ones(2) + 0j, 99.1, 0.7),),
    )  # fmt: skip
