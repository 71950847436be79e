"""The note's friction laws, checked at their marks; its example recovered from points of its curve."""

from hilctl.papers.declaration import Case, Outcome, Result, Tell


def run(tell: Tell) -> Outcome:
    """The laws, what they show, then the fits."""
    from hilctl.papers.shapes.example import fits
    from hilctl.papers.shapes.pictures import drawings_of, parts_of
    from hilctl.papers.shapes.rows import rows_of

    tell("fitting the example")
    found = fits()
    tell("the laws and what they show")
    return Outcome(rows_of(found), parts_of(found), drawings_of(found))


CASE = Case(
    name="001",
    title="Friction with a shape, GMS and breakaway laws",
    paper="A note on friction modelling (2022), after Yoon's identification of GMS and Simscape's rotational friction",
    needs="the friction laws, and points computed from them",
    results=(
        Result("eq. 1", "Stribeck's curve with a shape, and the viscous part"),
        Result("Fig. 3", "(a) Coulomb, static and viscous friction, (b) Stribeck friction"),
        Result("§ static", "what a static model does not show"),
        Result("eq. 2", "GMS: springs that slip at their shares of the curve"),
        Result("eq. 3", "breakaway friction of a joint: Stribeck, Coulomb and viscous torque"),
        Result("marks", "its Stribeck and Coulomb speeds from the breakaway speed"),
        Result("code", "the example's function"),
        Result("fit", "the example's curve fitted"),
    ),
    run=run,
)
