"""The paper's experiment, through the service on the simulated servo; identified as in the paper, and as here."""

from hilctl.papers.declaration import Case, Outcome, Result, Tell

RIG = "servo-004"


def run(tell: Tell) -> Outcome:
    """The sweep and the step, recorded; then all tables from them."""
    from hilctl.papers.servo.beside import beside
    from hilctl.papers.servo.experiment import driven
    from hilctl.papers.servo.parts import parts_of
    from hilctl.papers.servo.pictures import drawings_of
    from hilctl.papers.servo.rows import rows_of
    from hilctl.papers.servo.tables import paper_of

    study = driven(RIG, tell)
    tell("fitting the paper's cases")
    paper = paper_of(study)
    tell("Algorithm 1, and a PRBS beside the sweep")
    also = beside(paper)
    return Outcome(rows_of(paper, study, also), parts_of(paper, also), drawings_of(paper, also))


CASE = Case(
    name="004",
    title="Grey-box identification of a hydraulic position servo",
    paper="Zhao and Wang, Acta Aeronautica et Astronautica Sinica 34 (2013) 187–196",
    needs=f"a private service of the simulated rig {RIG}",
    results=(
        Result("eq. 14", "the servo in nine states"),
        Result("§ 1.3", "sweep rather than PRBS, and the record's preparation"),
        Result("Fig. 2", "sweep of sines"),
        Result("Fig. 3", "frequency response"),
        Result("Fig. 4", "frequency response of the corrector"),
        Result("Algorithm 1", "bounded trust region, converged in 20 iterations"),
        Result("Table 1", "start and bounds"),
        Result("Fig. 6", "fit at the start"),
        Result("Fig. 7", "fit at the end"),
        Result("Fig. 8", "the model's frequency response"),
        Result("Fig. 9", "transfer functions of orders 4 to 7 and 9"),
        Result("Fig. 10", "a step, for validation"),
        *(Result(f"Table 2, {name}", what) for name, what in {
            "ws": "the valve's natural frequency", "xis": "its damping", "beta": "bulk modulus",
            "Kc": "flow-pressure coefficient", "Ctc": "leakage", "B": "viscous damping", "m": "mass",
            "KL": "load stiffness",
        }.items()),
    ),
    run=run,
)  # fmt: skip
