"""What the valve is opened for, beyond what the table's speed explains: something is missing, and the loop winds up.

A table that moves at v takes the flow A v. At a load pressure pL the valve gives Qn u sqrt(1 - pL/Ps) at an opening u,
so the speed explains an opening of

    |v| / (share Qn/A) + overlap        share: the square root above, at the highest load that a rig is used at

The command leads the table by the loop's preview, the valve's lag and its own tick; it is looked at as much later,
through a lag of that time. What is left over has no effect: pressure, enable line or valve are missing, or the table is
blocked. Whatever ends that finds the valve open. So the integral stands beyond `limits.holding.opening`, and a measure
fills: by the time, the faster the larger the opening, and it leaks at LEAK of that. A motion that turns round empties
it no further than it fills again.
"""

from typing import Any

import numpy as np

from hilctl.params import record_of
from hilctl.rt.jit import jit

LEAK = 0.2

EFFORT = record_of(
    [
        ("opening", np.float64),  # from null, as late as the table is
        ("explained", np.float64),
        ("beyond", np.float64),  # the opening less what is explained
        ("over_s", np.float64),
    ]
)


@jit()
def rt_effort(rule: Any, machine: Any, valve: Any, found: float, acts: bool, opening: float, v: float, lead_s: float,
              passed_s: float, s: Any) -> None:  # fmt: skip
    """One tick. `found`: the overlap that arming found; `acts`: the loop is closed, and the command is an opening;
    `lead_s`: by how much it leads the table.
    """
    if not acts:
        s.opening = s.beyond = s.explained = s.over_s = 0.0
        return
    s.opening += passed_s / (passed_s + lead_s) * (opening - s.opening)
    overlap = max(machine.dead_band, machine.overlap_a, machine.overlap_b, found) + valve.dither
    s.explained = abs(v) * machine.A / (rule.share * machine.Qn) + overlap
    s.beyond = max(abs(s.opening) - s.explained, 0.0)
    fills = s.beyond / rule.opening if s.beyond > rule.opening else -LEAK
    s.over_s = max(s.over_s + fills * passed_s, 0.0)


@jit()
def rt_effort_stands(rule: Any, s: Any) -> bool:
    """Whether the actuator evidently does not act: nothing may accumulate."""
    return bool(s.beyond > rule.opening)
