"""A command computes on one thread: the other processors belong to the loop."""

import os
import subprocess
import sys

import pytest

COUNT = """
import os, sys
from hilctl.cli.main import main
main(["presets"])
import numpy
numpy.linalg.solve(numpy.eye(300), numpy.eye(300))
print(len(os.listdir("/proc/self/task")), file=sys.stderr)
"""


@pytest.mark.parametrize("asked", ["", "2"])
def test_the_algebra_of_a_command_has_one_thread_unless_more_are_asked_for(asked: str) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    environment.pop("OPENBLAS_NUM_THREADS", None)
    if asked:
        environment["OPENBLAS_NUM_THREADS"] = asked
    done = subprocess.run([sys.executable, "-c", COUNT], env=environment, capture_output=True, text=True, check=True)
    assert int(done.stderr) == min(int(asked or 1), os.cpu_count() or 1)
