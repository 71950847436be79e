"""Plain linear least squares, as the paper has it: min Σ |N(jw) - H D(jw)|² with d_0 = 1.

Multiplied by D, an error at a high frequency counts far more than one at a low, noise in H makes the estimate biased,
and nothing keeps the poles stable. It is here for comparison.
"""

import numpy as np
import numpy.typing as npt

from hilctl.identify.dynamics.response import Response
from hilctl.identify.dynamics.transfer.model import Transfer


def levy(response: Response, order: int) -> Transfer:
    """The transfer function of that order; may be unstable."""
    w = 2 * np.pi * response.hz
    w0 = float(np.sqrt(w[0] * w[-1]))
    powers = (1j * w / w0)[:, None] ** np.arange(order + 1)
    basis = np.hstack([powers[:, :-1], -response.gain[:, None] * powers[:, 1:]])
    found = np.asarray(np.linalg.lstsq(_parts(basis), _parts(response.gain), rcond=None)[0], np.float64)
    return Transfer(found[:order], np.concatenate([[1.0], found[order:]]), w0)


def _parts(values: npt.NDArray[np.complex128]) -> npt.NDArray[np.float64]:
    return np.concatenate([values.real, values.imag])
