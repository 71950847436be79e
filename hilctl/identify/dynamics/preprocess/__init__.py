"""Before identification: outliers, filter, trend. Every step says what it changed, and can be taken back.

    record = prepare({"u": u, "x_m": x}, rate_hz).then(Hampel(), "x_m").then(Detrend())
    record.channels["x_m"], record.text, record.undone(0)
"""

from hilctl.identify.dynamics.preprocess.prepared import Done, Prepared, prepare
from hilctl.identify.dynamics.preprocess.steps import Change, Detrend, Hampel, Treatment, ZeroPhase

__all__ = ["Change", "Detrend", "Done", "Hampel", "Prepared", "Treatment", "ZeroPhase", "prepare"]
