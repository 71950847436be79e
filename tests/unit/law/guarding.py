"""A guard with nothing wrong, for the tests of its limits."""

import math

import pytest

from hilctl.law.effort import EFFORT
from hilctl.law.guards import GUARD, rt_guard
from hilctl.law.sensors import CHECKED, SPOOL, SUPPLY
from hilctl.law.stillness import STILL
from hilctl.signals import Action, Mode, Status, Trip
from tests.forms import blank
from tests.unit.law.given import FILTER, LEVEL, OIL, settings

SET = settings()


class Guard:
    """A guard with nothing wrong, tick by tick."""

    def __init__(self):
        self.g, self.set, self.tick = blank(GUARD), SET.copy(), 100
        self.checked, self.still, self.effort = blank(CHECKED), blank(STILL), blank(EFFORT)
        for k in (SUPPLY, SPOOL, OIL, LEVEL, FILTER):
            self.checked.value[k] = math.nan
        self.g.trip_sensor = -1

    def look(self, mode=Mode.HOLD, closed=True, status=Status.OK, x=0.0, shift_m=0.0, scale=1.0, v=0.0, a=0.0,
             drift=0.0, error_m=0.0, lead_s=0.0, driven=False, spool_off=0.0, saturated_s=0.0, supply=2, periods=1):
        self.tick += periods
        rt_guard(self.set, mode, closed, status, self.checked, self.still, self.effort, x, shift_m, scale, v, a, drift,
                 error_m, lead_s, driven, spool_off, saturated_s, supply, self.tick, periods, self.g)
        return self

    @property
    def trip(self):
        return Trip(self.g.trip)

    def warns(self, trip):
        return bool(self.g.warnings >> trip & 1)

    def seen(self):
        """What was latched: the trip, its value and limit, the action, the sensor, and the tick since the first."""
        g = self.g
        return Trip(g.trip), g.trip_value, g.trip_limit, Action(g.trip_action), g.trip_sensor, g.trip_tick - 100


@pytest.fixture
def guard():
    """Trips and warns of nothing yet."""
    return Guard()
