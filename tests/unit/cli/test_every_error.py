"""Every error of ours: one root, a code that the wire and the command line know, and a sentence."""

import builtins
import importlib
import inspect
import pkgutil
from typing import Any

import pytest

import firmware_bridge
import hilctl
import sim
from hilctl.client import Outcome
from hilctl.errors import EXITS, FAILED, RIG_SAID_NO, WRONG_USE, HilctlError, NoFigures, explain
from hilctl.params import Problem
from hilctl.service.stroke import Shift
from hilctl.wire.errors import Code, refusal_of

# What a constructor takes besides a message.
_GIVEN: dict[str, dict[str, Any]] = {
    "BadValues": {"problems": [Problem("machine.m", -1.0, "must be 1 to 1e6 kg", "weigh it")]},
    "MotionRefused": {"quantity": "position", "unit": "m", "t_s": 1.0, "value": 0.2, "limit": 0.09,
                      "key": "limits.position.max_m", "remedy": "reduce the motion"},
    "PassesStroke": {"shift": Shift(1.0, 0.01, 1.0, 0.0), "quantity": "position", "unit": "m", "t_s": 1.0, "value": 0.2,
                     "limit": 0.09, "key": "limits.position.max_m", "remedy": "reduce the motion"},
    "PassesLimit": {"message": "too far", "key": "limits.position.max_m", "plan": None, "at_s": 1.0},
    "hilctl.wire.errors.Refused": {"code": Code.LIMIT, "message": "too far", "key": "amplitude_m"},
    "Malformed": {"code": Code.BAD_MESSAGE, "message": "no request", "key": "id"},
    "firmware_bridge.modbus.link.Refused": {"what": "read", "code": 2},
    "Swallowed": {"fault": "chirp up: the table is stuck", "slow": None, "speed_m_s": 0.08},
    "RecordFault": {"findings": ("too short",)},
    "NoFigures": {},
    "OfAnotherVersion": {"file": "a.box", "version": "0.0.9", "why": "its channels are others"},
    "OtherProgram": {"mine": {"hilctl": "0.1.0"}, "theirs": {"hilctl": "0.2.0"}, "where": "worker 7"},
    "Damaged": {"path": "a.h5", "why": "was cut off", "remedy": "copy it again"},
    "Ended": {"what": "arming", "outcome": Outcome("tripped", 0, 1, 1, "polarity", "off")},
}  # fmt: skip
_HOUSES = (hilctl, firmware_bridge, sim)


def modules() -> list[Any]:
    """All of them, but those that act when they are imported."""
    return [
        importlib.import_module(item.name)
        for house in _HOUSES
        for item in pkgutil.walk_packages(house.__path__, f"{house.__name__}.")
        if not item.name.endswith("__main__")
    ]


def ours() -> list[type[Exception]]:
    """Every class of an exception that is ours."""
    found: dict[type[Exception], None] = {}
    for module in modules():
        for _, kind in inspect.getmembers(module, inspect.isclass):
            if issubclass(kind, Exception) and kind.__module__.split(".")[0] in {h.__name__ for h in _HOUSES}:
                found[kind] = None
    return list(found)


def made(kind: type[Exception]) -> Exception:
    names = (f"{kind.__module__}.{kind.__name__}", kind.__name__)
    given = next((_GIVEN[name] for name in names if name in _GIVEN), None)
    if given is None and "problems" in inspect.signature(kind.__init__).parameters:
        given = _GIVEN["BadValues"]
    return kind("it broke") if given is None else kind(**given)


OURS = ours()


def test_there_are_errors_to_walk() -> None:
    assert len(OURS) > 30


@pytest.mark.parametrize("kind", OURS, ids=lambda kind: f"{kind.__module__}.{kind.__name__}")
def test_an_error_has_the_root_a_known_code_a_sentence_and_an_exit_code(kind: type[Exception]) -> None:
    assert issubclass(kind, HilctlError), "its base is HilctlError"
    if kind is HilctlError:
        return
    error = made(kind)
    assert isinstance(error, HilctlError)
    assert error.code == FAILED or error.code in set(Code)
    assert error.text.strip()
    assert not error.remedy or error.text.count(error.remedy) == 1
    told = explain(error)
    assert told is not None and told.code in (RIG_SAID_NO, WRONG_USE)
    on_the_wire = refusal_of(error)
    assert on_the_wire.message
    if error.code != FAILED:
        assert on_the_wire.code == error.code
        assert explain(on_the_wire).code == told.code, "the same to whoever asks by wire and at the rig"


def test_every_exit_code_is_of_a_code_that_the_wire_knows() -> None:
    assert set(EXITS) <= set(Code)


def test_what_python_raises_by_itself_is_a_defect_or_the_systems() -> None:
    for name in ("TypeError", "ValueError", "KeyError", "RuntimeError"):
        assert explain(getattr(builtins, name)("a bug")) is None


def test_figures_that_cannot_be_drawn_come_with_what_to_install() -> None:
    assert "pip install" in NoFigures().text
