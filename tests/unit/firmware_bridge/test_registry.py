"""Drivers by name, and the check of what they bring."""

import pytest

from firmware_bridge.driver import COMMAND, READINGS, Driver, DriverError, NullDriver, RigFacts, exchange_signature
from firmware_bridge.registry import configured, exchange_of, find, names
from hilctl.params import BadValues, Params
from hilctl.rt.jit import jit, record_type
from hilctl.signals import Status


def test_the_built_in_drivers_are_known_without_being_installed():
    assert {"null", "twin"} <= set(names())
    assert find("null") is NullDriver
    assert find("twin").__name__ == "TwinDriver"


def test_an_unknown_name_is_answered_with_the_nearest_known():
    with pytest.raises(DriverError, match="did you mean 'twin'"):
        find("twni")
    with pytest.raises(DriverError, match="known: "):
        find("zzzzzz")


def test_a_driver_under_construction_is_named_by_its_place():
    assert find("firmware_bridge.driver:NullDriver") is NullDriver


@pytest.mark.parametrize("place", ["no_such_module_anywhere:Driver", "firmware_bridge.driver:NoSuchDriver"])
def test_a_place_where_nothing_is_names_the_place(place):
    with pytest.raises(DriverError, match=place.partition(":")[0]):
        find(place)


def test_what_is_no_driver_is_refused_naming_what_it_lacks():
    with pytest.raises(DriverError, match="lacks open, check, arm, disarm, close, Config"):
        find("pathlib:PurePath")


def test_the_null_driver_is_a_driver_with_the_contracts_exchange():
    driver = NullDriver(NullDriver.Config(), None)
    assert isinstance(driver, Driver)
    signature = exchange_signature()
    assert [(s.args, s.return_type) for s in exchange_of(driver).nopython_signatures] == [
        (signature.args, signature.return_type)
    ]


@jit()
def rt_lazy(state, command, readings):
    return 1.5


def _signature_of(result, *arguments):
    from numba import types  # noqa: TID251

    return getattr(types, result)(*arguments)


def _float_state():
    from numba import types  # noqa: TID251

    return types.float64[::1]


@jit(lambda: _signature_of("float64", *exchange_signature().args))
def rt_real(state, command, readings):
    return 1.5


@jit(lambda: _signature_of("int64", _float_state(), record_type(COMMAND), record_type(READINGS)))
def rt_other_state(state, command, readings):
    return Status.OK


@pytest.mark.parametrize(
    ("exchange", "says"),
    [
        (lambda state, command, readings: 0, "not a compiled function"),
        (rt_lazy, "compiled lazily"),
        (rt_real, "must have the signature"),
        (rt_other_state, "must have the signature"),
    ],
)
def test_an_exchange_that_is_not_exactly_the_contracts_is_refused(exchange, says):
    driver = NullDriver(NullDriver.Config(), None)
    driver.exchange = exchange
    with pytest.raises(DriverError, match=says):
        exchange_of(driver)


class Asks(NullDriver):
    @staticmethod
    def resolve(table, rig, at="driver"):
        if rig.rate_hz > 100:
            raise DriverError("100 Hz is what it can")
        return NullDriver.Config()


def test_a_driver_judges_its_own_table_by_the_rest_of_the_rig_file():
    slow, fast = RigFacts("a", 100.0, {}), RigFacts("a", 101.0, {})
    assert isinstance(configured(Asks, {}, slow), Params)
    with pytest.raises(BadValues, match=r"driver.parts.a.*100 Hz is what it can"):
        configured(Asks, {}, fast, "driver.parts.a")
    with pytest.raises(BadValues, match=r"driver.surplus"):
        configured(NullDriver, {"surplus": 1}, slow)
