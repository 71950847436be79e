"""The paper's friction campaign, through the service on the simulated table; identified as there, and compensated."""

from hilctl.papers.declaration import Case, Outcome, Result, Tell


def run(tell: Tell) -> Outcome:
    """Triangles, campaign and sines; then the paper's search on the campaign."""
    from hilctl.papers.table.algorithm import identified
    from hilctl.papers.table.experiment import driven
    from hilctl.papers.table.parts import parts_of
    from hilctl.papers.table.pictures import drawings_of
    from hilctl.papers.table.rows import rows_of

    study = driven(tell)
    tell("ten runs of the hybrid search")
    found = identified(study.speeds)
    return Outcome(rows_of(study, found), parts_of(study, found), drawings_of(study, found))


CASE = Case(
    name="000",
    title="Friction of a hydraulic shaking table",
    paper="Ling and Zhu, measurement and parameter identification of the nonlinear friction of a hydraulic shaking "
    "table, received 2015",
    needs="a private service of the simulated rig table-500",
    results=(
        Result("eq. 1", "Stribeck friction"),
        Result("Fig. 1", "its curve"),
        Result("eq. 2", "rest and motion in one law, with a smooth sign"),
        Result("Fig. 2", "the smooth sign, by its factor"),
        Result("eq. 3", "balance of forces at a constant speed"),
        Result("eq. 5", "the objective"),
        Result("§ 2.2", "triangles tracked by PD, PID and three-state control"),
        Result("eq. 6", "a triangle's speed"),
        Result("Fig. 3", "displacement input, 0.001 to 0.8 m/s"),
        Result("Fig. 4a", "pressure difference at 0.02 m/s"),
        Result("Fig. 4b", "pressure difference at 0.32 m/s"),
        Result("Fig. 5", "quasi-random start, genetic search with least squares in each generation"),
        Result("eq. 7", "Levenberg–Marquardt iteration"),
        Result("§ 3", "start values and ranges"),
        Result("Fig. 6", "parameters over the generations"),
        *(Result(f"Table 1, {name}", what) for name, what in {
            "fc": "Coulomb friction", "fs": "static friction", "vs": "Stribeck speed",
            "sigma": "equivalent viscous damping",
        }.items()),
        Result("Fig. 7", "curve and measured friction"),
        Result("§ 4", "a base for compensating the distortion of the acceleration"),
    ),
    run=run,
)  # fmt: skip
