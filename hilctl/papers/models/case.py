"""Every model of the paper with the reference rig's parameters; each phenomenon that it claims for one, computed."""

from hilctl.papers.declaration import Case, Outcome, Result, Tell


def run(tell: Tell) -> Outcome:
    """Curves and steps from the laws; phenomena from a block that each law rubs on."""
    from hilctl.papers.models.claims import claims, table_of
    from hilctl.papers.models.laws import rows_of
    from hilctl.papers.models.parts import parts_of
    from hilctl.papers.models.pictures import DRAWINGS

    tell("the laws")
    rows = rows_of()
    tell("the phenomena")
    table = table_of()
    return Outcome((*rows, *claims(table)), parts_of(table), DRAWINGS)


CASE = Case(
    name="003",
    title="Friction models and their hysteresis",
    paper="Zhang and Wang, a study of friction models and their hysteresis, Southeast University, Nanjing",
    needs="the friction laws, and a simulated block of 500 kg that each rubs on",
    results=(
        Result("eq. 1", "Coulomb friction"),
        Result("eq. 2", "viscous friction, a power of the speed"),
        Result("eq. 3", "static friction, a function of the applied force"),
        Result("Fig. 1", "(b) Coulomb and viscous, (c) with static friction, (d) continuous"),
        Result("eq. 4", "rest and motion in one law"),
        Result("eq. 5", "the Stribeck curve, not the same in both directions"),
        Result("Fig. 2", "the Stribeck speed as a tangent's"),
        Result("§ 2.1.1", "what the classical models do not show"),
        Result("Fig. 3", "Karnopp's zone of rest"),
        Result("eq. 6", "Armstrong's seven parameters"),
        Result("§ 2.1.3", "what Armstrong's model shows, and its form with five parameters"),
        Result("eq. 7", "Dahl's differential equation"),
        Result("Fig. 4", "Dahl's loop, by its exponent"),
        Result("§ 2.2", "what the dynamic models show"),
    ),
    run=run,
)
