"""Identification against what can be installed for it.

`friction`: the fit of a friction curve, see `identify_friction`.
"""

from typing import Any

from hilctl.bench import identify_friction


def run(quick: bool) -> dict[str, Any]:
    """Milliseconds, success, and how many times faster than others on the same data."""
    friction = identify_friction.run(quick)
    return {"bench": "identify", "figures": friction["figures"], "ratio": friction["ratio"]}
