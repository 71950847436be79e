"""The parts of the page, in the order of their tabs."""

from hilctl.panel.views.commission import CommissionView
from hilctl.panel.views.friction import FrictionView
from hilctl.panel.views.health import HealthView
from hilctl.panel.views.log import LogView
from hilctl.panel.views.parameters import ParametersView
from hilctl.panel.views.run import RunView
from hilctl.panel.views.scope import ScopeView
from hilctl.panel.views.view import View

VIEWS: tuple[type[View], ...] = (
    RunView, ScopeView, FrictionView, CommissionView, ParametersView, HealthView, LogView,
)  # fmt: skip
