"""`make quick` finds the tests of what has changed."""

from pathlib import Path

import pytest

from tests import quick

HOUSE = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize("room", quick.rooms())
def test_every_room_has_tests_and_they_exist(room):
    tests = quick.tests_of(room)
    assert tests or room == "lint"
    assert all((HOUSE / test).exists() for test in tests)


def test_every_source_file_stands_in_a_room():
    files = [str(path.relative_to(HOUSE)) for house in ("hilctl", "firmware_bridge", "sim", "deploy", "docs")
             for path in (HOUSE / house).rglob("*") if path.is_file() and "__pycache__" not in path.parts]  # fmt: skip
    assert len(files) > 500
    assert {file for file in files if quick.room_of(file) not in quick.rooms()} == set()


@pytest.mark.parametrize(("changed", "named", "expected"), [
    (["hilctl/wire/ops.py"], [], ["tests/unit/wire"]),
    (["hilctl/rig.py", "hilctl/wire/ops.py"], [], ["tests/unit/test_rig.py", "tests/unit/wire"]),
    (["firmware_bridge/modbus/wire.py"], [], ["tests/unit/modbus"]),
    (["tests/unit/wire/test_ops.py"], ["sim"], ["tests/system/test_core_virtual.py", "tests/unit/sim"]),
    (["tests/unit/rt/test_key.py", "LICENSE"], [], ["tests/unit/rt/test_key.py"]),
    (["tests/unit/rt/test_key.py", "hilctl/rt/key.py"], [], ["tests/unit/rt"]),
    (["tests/unit/law/conftest.py"], [], ["tests/unit/law"]),
    (["tests/system/stepped_parts.py"], [], ["tests/system/test_plug.py", "tests/system/test_stalls.py"]),
    (["tests/unit/rt/gone.py"], [], []),
])  # fmt: skip
def test_a_change_is_proved_by_its_rooms_tests_and_a_changed_test_by_itself(changed, named, expected):
    assert quick.chosen(changed, named) == expected


def test_a_change_of_tests_alone_needs_no_types_and_one_of_a_page_no_lint():
    def programs(file):
        return [command[0] for command in quick.commands([file], ["tests/unit/house"])]

    assert programs("tests/unit/rt/test_key.py") == ["ruff", "pytest"]
    assert programs("hilctl/rig.py") == ["ruff", "lint-imports", "mypy", "pytest"]
    assert programs("README.md") == ["pytest"]


def test_a_room_that_is_not_there_is_refused_with_the_nearest_name(capsys):
    assert quick.main(["laws"]) == 2
    assert "no room 'laws'; did you mean 'law'?" in capsys.readouterr().err
