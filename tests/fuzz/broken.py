"""The same program with a reader that fails at its thirtieth input: what is not found here is found nowhere."""

from pathlib import Path

from tests.fuzz.files import read_by
from tests.fuzz.run import main
from tests.fuzz.targets import TARGETS

_LEFT = [29]


def _fails(path: Path) -> int:
    _LEFT[0] -= 1
    return len(path.read_bytes()) // _LEFT[0]


if __name__ == "__main__":
    TARGETS["points"] = TARGETS["points"]._replace(open=lambda: read_by(_fails, ".csv"))
    main()
