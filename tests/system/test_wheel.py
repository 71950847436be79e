"""The wheel, installed where there is no checkout: it has all that the program needs."""

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

HOUSE = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel of this checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "--quiet", "--no-deps"]
    uv = shutil.which("uv")
    command = [uv, "build", "--wheel", "--quiet", "--out-dir"] if uv else [*pip, "--wheel-dir"]
    subprocess.run([*command, str(folder), str(HOUSE)], check=True, timeout=300)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """A virtual environment with the wheel; its dependencies are those of the tests."""
    place = tmp_path_factory.mktemp("venv")
    venv.create(place, with_pip=False, symlinks=True)
    (site,) = place.glob("lib/python*/site-packages")
    subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys, zipfile; zipfile.ZipFile(sys.argv[1]).extractall(sys.argv[2])",
            wheel,
            site,
        ],
        check=True,
    )
    import numpy as np

    (site / "tests-dependencies.pth").write_text(str(Path(np.__file__).parents[1]))
    return place / "bin" / "python"


def _run(python, folder, *arguments):
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    return subprocess.run(
        [python, *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.timeout(600)
@pytest.mark.slow
def test_a_preset_is_checked_without_a_checkout(installed, tmp_path):
    where = _run(installed, tmp_path, "-c", "import hilctl, sim, firmware_bridge; print(hilctl.__file__)")
    assert Path(where.stdout.strip()).is_relative_to(installed.parents[1]), where.stderr
    done = _run(installed, tmp_path, "-m", "hilctl", "check", "table-500")
    assert done.returncode == 0, done.stderr
    assert "every value is allowed" in done.stdout
    assert "_rigs" in done.stdout


@pytest.mark.timeout(600)
@pytest.mark.slow
def test_the_wheel_holds_the_presets_the_c_sources_and_the_types(wheel):
    import zipfile

    names = set(zipfile.ZipFile(wheel).namelist())
    presets = {f"hilctl/_rigs/{p.name}" for p in (HOUSE / "deploy/rigs").glob("*.toml")}
    sources = {str(p.relative_to(HOUSE)) for p in (HOUSE / "hilctl/bench/csrc").iterdir() if p.is_file()}
    typed = {f"{room}/py.typed" for room in ("hilctl", "firmware_bridge", "sim")}
    assert presets | sources | typed <= names
    assert not [n for n in names if n.startswith(("tests/", "docs/", "deploy/"))]
