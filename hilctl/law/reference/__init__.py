"""References: where the table should be, and its derivatives, as a function of the time since a motion's start.

One motion a file, each with its record and its compiled function; `motion.py` puts them together for the loop,
`history.py` keeps what the loop evaluated, `scan.py` looks at a whole motion before it starts. Requests are turned
into motions in `hilctl.law.motions`.
"""

from hilctl.law.reference.external import EXTERNAL, rt_external_lacks, rt_external_waits
from hilctl.law.reference.history import HISTORY, new_history, rt_history_get, rt_history_put, rt_history_rest
from hilctl.law.reference.motion import (
    ENDLESS_S,
    MOTION,
    Kind,
    new_motion,
    rt_hold_motion,
    rt_reference,
    rt_stop_motion,
)
from hilctl.law.reference.point import POINT, new_point
from hilctl.law.reference.rejoin import (
    REJOIN,
    rt_coast,
    rt_less,
    rt_rejoin_add,
    rt_rejoin_missed,
    rt_rejoin_none,
    rt_rejoin_plan,
)
from hilctl.law.reference.stop import rt_stopping_reach
from hilctl.law.reference.wave import KNOTS

__all__ = [
    "ENDLESS_S",
    "EXTERNAL",
    "HISTORY",
    "KNOTS",
    "MOTION",
    "POINT",
    "REJOIN",
    "Kind",
    "new_history",
    "new_motion",
    "new_point",
    "rt_coast",
    "rt_external_lacks",
    "rt_external_waits",
    "rt_history_get",
    "rt_history_put",
    "rt_history_rest",
    "rt_hold_motion",
    "rt_less",
    "rt_reference",
    "rt_rejoin_add",
    "rt_rejoin_missed",
    "rt_rejoin_none",
    "rt_rejoin_plan",
    "rt_stop_motion",
    "rt_stopping_reach",
]
