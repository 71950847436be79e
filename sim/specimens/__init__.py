"""What stands on the table: a rigid mass, a structure of one degree of freedom, a two-link pendulum with friction.

`settings.py` declares them, `fill.py` makes their record, `specimen.py` is the interface that a plant takes them in by,
`simulate.py` the one for a notebook.
"""

from sim.specimens.links import Joint, Link
from sim.specimens.settings import Pendulum, Rigid, SpecimenConfig, Structure
from sim.specimens.simulate import Motion, NoSolution, Table, simulate

__all__ = [
    "Joint",
    "Link",
    "Motion",
    "NoSolution",
    "Pendulum",
    "Rigid",
    "SpecimenConfig",
    "Structure",
    "Table",
    "simulate",
]
