"""What the README shows works as it stands there."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

README = Path(__file__).resolve().parents[2] / "README.md"


@pytest.mark.always
@pytest.mark.timeout(300)
def test_the_python_example_runs(tmp_path):
    (code,) = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    code += "\nassert abs(samples['position_m']).max() > 0.004\nprint(outcome)\n"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_the_example_of_commissioning_runs(tmp_path):
    page = (README.parent / "docs" / "commissioning.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    law, factor = done.stdout.split()
    assert law in ("karnopp", "stribeck") and float(factor) > 5
