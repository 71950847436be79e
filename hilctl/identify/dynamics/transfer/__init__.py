"""Black-box models: transfer functions fitted to a frequency response.

    family = fit_transfer(response.within(1, 70), range(4, 10))
    family.best.transfer.poles, family.of(5).amplitude_percent
    fit_levy(response, …)                                             the paper's way, for comparison
"""

from hilctl.identify.dynamics.transfer.family import Family, Fitted, fit_levy, fit_transfer
from hilctl.identify.dynamics.transfer.levy import levy
from hilctl.identify.dynamics.transfer.model import Transfer

__all__ = ["Family", "Fitted", "Transfer", "fit_levy", "fit_transfer", "levy"]
