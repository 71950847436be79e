"""Breaks the `rt_` functions of the controller and the loop, one thing at a time, and looks whether a unit test fails.

    make mutants                    a sample of 500
    make mutants FULL=1             all of them
    make mutants ROOM=hilctl/law/pid.py

Everything runs as plain Python: nothing is compiled. The tests are run once, to see which lines each runs through;
then each mutant meets those that run through its statement, in a forked child.
"""

import argparse
import os
import sys

from tests.mutants.session import Session, Settings


def main() -> int:
    """Runs pytest with the session as its plugin."""
    if os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0"):
        os.execve(sys.executable, [sys.executable, "-m", "tests.mutants", *sys.argv[1:]],
                  {**os.environ, "NUMBA_DISABLE_JIT": "1"})  # fmt: skip
    import pytest

    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__.partition("\n")[0])
    parser.add_argument("--sample", type=int, default=500, help="how many mutants; 0: all")
    parser.add_argument("--seed", type=int, default=1, help="of the sample")
    parser.add_argument("--jobs", type=int, default=2, help="how many at once")
    parser.add_argument("--room", default="", help="only files whose path begins with this")
    parser.add_argument("--least", type=float, default=90.0, help="percentage that must be killed")
    parser.add_argument("tests", nargs="*", default=["tests/unit/law", "tests/unit/loop"])
    asked = parser.parse_args()
    session = Session(Settings(asked.sample, asked.seed, asked.jobs, asked.room, asked.least))
    plain = ["-q", "-s", "-o", "timeout=0", "-p", "no:xdist", "-p", "no:cacheprovider", "-p", "no:faulthandler"]
    code = pytest.main([*plain, *asked.tests], plugins=[session])
    return int(code) or (0 if session.good else 1)


if __name__ == "__main__":
    sys.exit(main())
