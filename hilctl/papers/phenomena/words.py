"""The words of a block in memory, and the rows that a run writes."""

# What runs: the law's code and kind; 1 if the block is led. Then constants: mass, the spring's stiffness and damping,
# the slope of friction that PEAK leaves out, the time between two samples, the steps between them. Then the state:
# position, speed, the direction of sliding (0 at rest, for laws that jump), the greatest friction so far.
LAW, KIND, LED, MASS, STIFFNESS, DAMPING, VISCOUS, SAMPLE_S, SUBSTEPS, X, V, WAY, PEAK = range(13)
WORDS = 13

POSITION, SPEED, FRICTION = range(3)
ROWS = 3
