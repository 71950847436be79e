"""The emulated plant: a command acts from the instant at which it came, also within a period."""

import pytest

from firmware_bridge.driver import RigFacts
from firmware_bridge.emulate.plant import Plant
from hilctl import rig
from sim.driver import TwinDriver, truth

PERIOD_S, FINE_S = 50e-6, 5e-6
TABLES = rig.load("table-500", twin=True)
FINE = 10  # periods of the finer plant in one of the other


def plant_of(period_s):
    """A twin under high pressure, enabled, its spool at rest."""
    facts: RigFacts = TABLES.facts()._replace(rate_hz=1 / period_s)
    driver = TwinDriver(TABLES.driver_config, facts)
    plant = Plant(driver, period_s)
    plant.command(0.0, 1, 2)
    run(plant, round(0.1 / period_s))
    return plant, driver


def run(plant, periods):
    """To the beginning of a period."""
    plant.due(plant._at_ns + periods * plant._period_ns)
    plant.run(periods)


def come(plant, late_s, *wanted):
    """A command comes so long after the beginning of the period."""
    plant.due(plant._at_ns + round(1e9 * late_s))
    plant.command(*wanted)


@pytest.mark.parametrize("into", [0, 1, 5, 9])
def test_a_command_within_a_period_moves_the_spool_as_if_periods_were_finer(into):
    (plant, driver), (fine, other) = plant_of(PERIOD_S), plant_of(FINE_S)
    for valve in (0.3, -0.2):
        come(plant, into * FINE_S, valve, 1, 2)
        run(fine, into)
        fine.command(valve, 1, 2)
        run(plant, 20)
        run(fine, 20 * FINE - into)
        assert truth(driver.state)["spool"] == pytest.approx(truth(other.state)["spool"], abs=3e-5)


def test_of_two_commands_within_a_period_each_acts_for_its_part():
    (plant, driver), (fine, other) = plant_of(PERIOD_S), plant_of(FINE_S)
    for into, valve in ((2, 0.4), (7, -0.1)):
        come(plant, into * FINE_S, valve, 1, 2)
    for wait, valve in ((2, 0.4), (5, -0.1)):
        run(fine, wait)
        fine.command(valve, 1, 2)
    run(plant, 20)
    run(fine, 20 * FINE - 7)
    assert truth(driver.state)["spool"] == pytest.approx(truth(other.state)["spool"], abs=3e-5)


def test_what_switches_the_output_off_acts_at_once():
    plant, driver = plant_of(PERIOD_S)
    plant.command(0.3, 1, 2)
    run(plant, 20)
    come(plant, 0.5 * PERIOD_S, 0.3, 0, 2)
    run(plant, 400)
    assert abs(truth(driver.state)["spool"]) < 1e-3
