"""The paper's double pendulum, free and driven, under LuGre and Coulomb friction; and what proves the computation."""

from hilctl.papers.declaration import Case, Outcome, Result, Tell


def run(tell: Tell) -> Outcome:
    """The paper's two cases under both laws, then the yardsticks."""
    from hilctl.papers.joints.pictures import drawings_of, parts_of
    from hilctl.papers.joints.rows import rows_of
    from hilctl.papers.joints.study import studied

    study = studied(tell)
    return Outcome(rows_of(study), parts_of(study), drawings_of(study))


CASE = Case(
    name="002",
    title="Pendulums with friction in their joints",
    paper="Journal of Dynamics and Control 17(5) (2019), LuGre model for planar multibody systems with joints",
    needs="the specimen of the simulated rig, without the rig",
    results=(
        Result("Fig. 3", "the constraints of the double pendulum"),
        Result("Qf", "the generalised forces of friction in the joints"),
        Result("eq. 9", "a nonlinear system for the multipliers, from the last step's"),
        Result("Fig. 4", "released from level: the first link's angle"),
        Result("Fig. 5", "the same: its angular speed"),
        Result("Fig. 6", "the same: normal force of joint 2"),
        Result("Fig. 7", "driven by 6 N·m: the first link's angle"),
        Result("Fig. 8", "the same: its angular speed"),
        Result("Fig. 9", "the same: normal force of joint 2"),
        Result("§ 3", "agreement with Coulomb friction, and its cost"),
        Result("§ 4", "the algorithm is correct"),
    ),
    run=run,
)
