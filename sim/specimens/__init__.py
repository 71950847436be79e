"""What stands on the table: a rigid mass, a structure of one degree of freedom, a two-link pendulum with friction,
a chain of one to four links with any friction law at any joint.

`settings.py` declares them, `fill.py` makes their record, `specimen.py` is the interface that a plant takes them in by,
`simulate.py` and, for a chain, `swing.py` the ones for a notebook.
"""

from sim.specimens.chain.laws import Bearing
from sim.specimens.chain.settings import Chain, Hinge
from sim.specimens.links import Joint, Link
from sim.specimens.settings import Pendulum, Rigid, SpecimenConfig, Structure
from sim.specimens.simulate import Motion, NoSolution, Table, simulate
from sim.specimens.swing import Swing, swing

__all__ = [
    "Bearing",
    "Chain",
    "Hinge",
    "Joint",
    "Link",
    "Motion",
    "NoSolution",
    "Pendulum",
    "Rigid",
    "SpecimenConfig",
    "Structure",
    "Swing",
    "Table",
    "simulate",
    "swing",
]
