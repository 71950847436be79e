"""`python -m hilctl.conformance DRIVER`: runs a driver through what every driver promises."""

import argparse
import os
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from hilctl.conformance.bench import Bench
from hilctl.params.tables import put


class _Given:
    """The fixture that the promises need."""

    def __init__(self, given: argparse.Namespace, table: dict[str, Any]) -> None:
        self._given, self._table = given, table

    @pytest.fixture
    def bench(self) -> Iterator[Bench]:
        """The driver that was named."""
        given = self._given
        with Bench(given.driver, self._table, simulation=given.simulation, live=given.live, real=given.real,
                   rig_file=given.rig) as made:  # fmt: skip
            yield made


def main(arguments: list[str]) -> int:
    """0: every promise is kept."""
    parser = argparse.ArgumentParser(prog="python -m hilctl.conformance", description=__doc__)
    parser.add_argument("driver", help="a driver's name, or module:Class")
    parser.add_argument("--set", nargs="+", default=[], metavar="KEY=VALUE", help="keys of its table in the rig file")
    parser.add_argument("--rig", default="table-500", help="the rig file that it is tried with")
    parser.add_argument("--simulation", action="store_true", help="no device: the same commands, the same readings")
    parser.add_argument("--live", action="store_true", help="it answers the valve: the table will move")
    parser.add_argument("--real", action="store_true", help="its device has a time of its own")
    given = parser.parse_args(arguments)
    options = ["--pyargs", "hilctl.conformance.promises", "-q", "-c", os.devnull, "-p", "no:cacheprovider"]
    return int(pytest.main(options, plugins=[_Given(given, _table(given.set))]))


def _table(pairs: list[str]) -> dict[str, Any]:
    import tomllib

    table: dict[str, Any] = {}
    for pair in pairs:
        key, _, text = pair.partition("=")
        try:
            value = tomllib.loads(f"value = {text}")["value"]
        except tomllib.TOMLDecodeError:
            value = text  # a text need not be quoted
        put(table, key, value)
    return table


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
