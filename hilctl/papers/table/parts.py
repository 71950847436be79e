"""The sections of the page, in the paper's order."""

from hilctl.identify.friction import Evolution
from hilctl.papers.declaration import Figure, Part, Text
from hilctl.papers.table import tables
from hilctl.papers.table.algorithm import Identified
from hilctl.papers.table.experiment import Study
from hilctl.papers.table.setting import KD_S_PER_M, UNITS, middle


def parts_of(study: Study, found: Identified) -> tuple[Part, ...]:
    """All."""
    began = ", ".join(f"{name} {x:g} {UNITS[name]}" for name, x in middle().items())
    how = Evolution()
    return (
        Part("The experiment", (Text(
            "The paper measures a hydraulic shaking table from 0.001 to 0.8 m/s; its record is not published. Here the "
            "simulated reference table (500 kg, ±100 mm, 160 L/min) takes the place of its rig. It has the friction of "
            "the paper's Table 1 and sticks at rest. Its sensors have noise, offsets, delays and errors of scale; its "
            f"valve is off its null. The controller starts in the middle of the paper's ranges: {began}."),)),
        Part("Figures 1 and 2: the friction model", (
            Figure("stribeck", "Equation 1 with the parameters of Table 1"),
            Figure("sign", "The smooth sign for several factors; right: grey lines at 1 mm/s, the slowest speed"))),
        Part("Figure 3: the displacement input", (Figure(
            "input", "Triangles of 5 and 80 mm at 1 Hz. Their corners are rounded: a table cannot turn at once."),)),
        Part("Section 2.2: triangles under PID, PD and three-variable control", (
            Text("Gains of PID and three-variable control are the rig file's; PD is that PID without its integral and "
                 f"with {KD_S_PER_M:g} s/m on the derivative of the error. PID and PD lag behind by the speed over the "
                 "position gain. The integral makes up for that lag, so the table is faster than its reference, and "
                 "equation 6 gives a wrong speed. Neither damps the hydraulic mode: where friction falls with the "
                 "speed, the table hunts. A campaign counts a window only if its speed is even and is the reference's; "
                 "so the product measures under three-variable control."),
            tables.tracked(study), Figure("controllers", "A rise and a fall of each triangle"))),
        Part("Figure 4: the pressure difference", (
            Figure("pressure", "As the transducers show it, noise included. At the corners it turns the mass round, "
                   "and at 0.32 m/s goes beyond these axes."),
            tables.squares(study))),
        Part("Section 2.2: the campaign of constant speeds", (tables.campaign(study),)),
        Part("Figures 5 and 6: the search over its generations", (
            Text(f"{how.runs} runs of a population of {how.population}, from quasi-random starts in the paper's "
                 "ranges and on its objective. For a given Stribeck speed the other three parameters follow from a "
                 "linear problem; variable projection uses that, and searches the one dimension that is left as a "
                 "whole. The product identifies by variable projection; the runs are its check."),
            tables.runs(found),
            Figure("generations", "The best of each generation, in every run; generation 0 is the quasi-random "
                   "start"))),
        Part("Table 1: the parameters", (tables.identified(study, found),)),
        Part("Figure 7: the curve and the measured friction", (Figure(
            "curve", "Both directions in the product's fit, each point weighted by its standard error; the force that "
            "both share is taken off"),)),
        Part("Section 4: friction compensated", (
            Text("The paper ends where compensation begins. Here the identified friction is applied, and the inverse "
                 "model of the table takes the place of the linear feed-forward. It acts on the reference, so it does "
                 "not depend on the feedback. Distortion: the root of the sum of the harmonics' squares up to 100 Hz, "
                 "over the fundamental, of the measured acceleration; the accelerometer's noise is subtracted."),
            tables.sines(study), Figure("compensated", "One cycle, the mean of all"))),
    )  # fmt: skip
