"""What was identified, by its whole keys."""

from hilctl.machine import Machine
from hilctl.params import leaves
from hilctl.report.part import Part


def friction_of(told: Part) -> dict[str, Part]:
    """The law's parameters; those of sliding alone where no more was found."""
    found = told["friction"]["parameters"].named or told["fit"]["parameters"].named
    return {f"friction.{name}": q for name, q in found.items()}


def machine_of(told: Part) -> dict[str, Part]:
    """The machine's parameters, and what was found of sensors and delays beside them."""
    own = {leaf.path for leaf in leaves(Machine)}
    found = told["plant_fit"]["plant"].named or told["plant"].named
    return {f"machine.{key}" if key in own else key: q for key, q in found.items()}
