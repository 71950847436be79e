"""Identification against what can be installed for it.

The fit of a friction curve, see `identify_friction`; the grey box of a servo, see `identify_grey`.
"""

from typing import Any

from hilctl.bench import identify_friction, identify_grey


def run(quick: bool) -> dict[str, Any]:
    """Milliseconds, success, and how many times faster than others on the same data."""
    friction = identify_friction.run(quick)
    grey = identify_grey.run(quick)
    return {
        "bench": "identify",
        "figures": {**friction["figures"], **grey["figures"]},
        "ratio": {**friction["ratio"], **grey["ratio"]},
    }
