"""Whether a model holds on what it was not fitted to: its residuals, and its step response."""

from hilctl.identify.dynamics.validate.residuals import Independence, Whiteness, independence, whiteness
from hilctl.identify.dynamics.validate.step import Figures, StepComparison, compare_steps

__all__ = ["Figures", "Independence", "StepComparison", "Whiteness", "compare_steps", "independence", "whiteness"]
