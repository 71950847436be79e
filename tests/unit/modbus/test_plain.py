"""What runs in the tick also runs as the plain Python that it is written in."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent


@pytest.mark.slow
def test_frames_and_answers_are_the_same_without_the_compiler():
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(HERE / "test_answers.py"),
               str(HERE / "test_values.py"), "-k", "not wrong_bits and not junk"]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=HERE.parents[2], check=False)
    assert done.returncode == 0, done.stdout[-3000:]
