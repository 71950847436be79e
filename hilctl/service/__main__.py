"""`python -m hilctl.service RIG`: the service by itself, as `hilctl run` and private services start it."""

import argparse
import json
import logging
import sys

from hilctl.errors import explain
from hilctl.service.run import Choice, run


def main(arguments: list[str]) -> int:
    """Reads the choice and runs."""
    parser = argparse.ArgumentParser(prog="python -m hilctl.service", description=__doc__)
    parser.add_argument("rig", help="rig file, or a preset's name")
    parser.add_argument("--twin", action="store_true", help="drive the twin instead of the rig's driver")
    parser.add_argument("--clock", choices=("real", "virtual"), default="real")
    parser.add_argument(
        "--set", dest="changes", action="append", default=[], metavar="KEY=JSON", help="over the rig file"
    )
    parser.add_argument("--recordings", default="", metavar="FOLDER", help="instead of the rig file's")
    parser.add_argument("--die-with-parent", action="store_true")
    parser.add_argument("--log", default="info", choices=("debug", "info", "warning", "error"))
    given = parser.parse_args(arguments)
    logging.basicConfig(level=given.log.upper(), format="%(levelname)s %(name)s: %(message)s")
    changes = {}
    for change in given.changes:
        key, mark, value = change.partition("=")
        try:
            changes[key] = json.loads(value)
        except json.JSONDecodeError:
            parser.error(
                f'--set {change}: the value must be JSON: a number, true, "text"' if mark else f"--set {change}: no ="
            )
    try:
        return run(Choice(given.rig, given.twin, given.clock, changes, given.recordings, given.die_with_parent))
    except Exception as error:
        told = explain(error)
        if told is None:
            raise  # a defect: its traceback says where
        print(told.text, file=sys.stderr)
        return told.code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
