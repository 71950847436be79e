"""The wheel, installed where there is no checkout: it has all that the program needs."""

import shutil
from pathlib import Path

import pytest

from deploy.release.contents import wheel_problems
from tests.system import wheel_parts
from tests.system.wheel_parts import HOUSE, run

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """Read-only, as an installation by root is for everybody else."""
    place = tmp_path_factory.mktemp("venv")
    python = wheel_parts.environment(place, wheel_parts.wheel())
    for path in (place, *place.rglob("*")):
        if not path.is_symlink():
            path.chmod(path.stat().st_mode & ~0o222)
    yield python
    for path in (place, *place.rglob("*")):
        if path.is_dir() and not path.is_symlink():
            path.chmod(0o755)


def test_a_preset_is_checked_without_a_checkout(installed, tmp_path):
    where = run(installed, tmp_path, "-c", "import hilctl, sim, firmware_bridge; print(hilctl.__file__)")
    assert Path(where.stdout.strip()).is_relative_to(installed.parents[1]), where.stderr
    done = run(installed, tmp_path, "-m", "hilctl", "check", "table-500", "--twin")
    assert done.returncode == 0, done.stderr
    assert "every value is allowed" in done.stdout
    assert "_rigs" in done.stdout


def test_the_client_loads_no_compiler(installed, tmp_path):
    heavy = "{'numba', 'llvmlite', 'scipy', 'h5py', 'hilctl.rt'}"
    done = run(installed, tmp_path, "-c", f"import hilctl.client, sys; print({heavy} & set(sys.modules))")
    assert (done.stdout.strip(), done.stderr) == ("set()", "")


def test_the_wheel_holds_the_presets_the_c_sources_the_types_and_nothing_else():
    assert wheel_problems(wheel_parts.wheel()) == []


def test_what_is_wrong_with_a_wheel_is_named(tmp_path):
    import zipfile

    spoilt = Path(shutil.copy(wheel_parts.wheel(), tmp_path))
    with zipfile.ZipFile(spoilt, "a") as archive:
        archive.writestr("tests/conftest.py", "")
    assert wheel_problems(spoilt) == ["tests/conftest.py does not belong in it"]


def test_two_builds_are_the_same_bytes(tmp_path):
    assert wheel_parts.build(tmp_path).read_bytes() == wheel_parts.wheel().read_bytes()


def test_the_version_is_that_of_the_program():
    from hilctl import __version__

    assert wheel_parts.wheel().name == f"hilctl-{__version__}-py3-none-any.whl"
    assert f"## {__version__}" in (HOUSE / "docs" / "CHANGELOG.md").read_text()
