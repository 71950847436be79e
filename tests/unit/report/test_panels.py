"""Each trip has panels of channels that there are, and the first one shows what was judged."""

import numpy as np
import pytest

from hilctl.report.drawing import styled
from hilctl.report.panels import ERROR, PANELS, draw, panels_of
from hilctl.signals import NAMES, SAMPLE, Trip


@pytest.mark.parametrize("trip", list(PANELS), ids=lambda trip: trip.name.lower())
def test_every_channel_of_a_panel_is_one(trip: Trip):
    assert [c for panel in PANELS[trip] for c in panel.channels if c not in NAMES] == []


def test_the_error_comes_first_where_it_tripped_and_a_sensor_that_the_rig_lacks_draws_nothing():
    rows = np.zeros(10, SAMPLE)
    rows["supply_pressure_pa"] = np.nan
    with styled():
        figure = draw(panels_of(Trip.TRACKING_ERROR), np.linspace(-1, 1, 10), {n: rows[n] for n in NAMES}, "time, s")
    assert figure.axes[0].get_ylabel() == ERROR.label.replace(", ", ",\n")
    lines = [line.get_label() for ax in figure.axes for line in ax.get_lines()]
    assert "pressure_a_pa" in lines and "supply_pressure_pa" not in lines
