"""What was identified, by its whole keys."""

from hilctl.machine import Machine
from hilctl.params import leaves
from hilctl.results.commissioned import Commissioned
from hilctl.results.quantity import Quantity


def friction_of(result: Commissioned) -> dict[str, Quantity]:
    """The friction model's parameters; those of sliding alone where no more was identified."""
    model = result.friction or result.fit
    return {f"friction.{name}": q for name, q in model.parameters.items()} if model else {}


def machine_of(result: Commissioned) -> dict[str, Quantity]:
    """The machine's parameters, and what was identified of sensors and delays beside them."""
    own = {leaf.path for leaf in leaves(Machine)}
    return {f"machine.{key}" if key in own else key: q for key, q in (result.plant or {}).items()}


def true_value(result: Commissioned, key: str) -> float | None:
    """Of a simulated rig, where it is known."""
    value = (result.truth or {}).get(key)
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None
