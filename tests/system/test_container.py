"""The container file, built where a builder is at hand: the image runs the twin, and ends in order."""

import os
import shutil
import subprocess
import sys

import pytest

from tests.system import wheel_parts
from tests.system.wheel_parts import HOUSE

pytestmark = [pytest.mark.slow, pytest.mark.long, pytest.mark.timeout(900)]  # a Debian is made, and packages are built

# Without job control, and to its end: the exit code is that of the service.
RUN = """
hilctl run table-500 --twin & pid=$!
for try in $(seq 300); do sleep 1; hilctl status && break; kill -0 $pid || exit 9; done
kill -TERM $pid; wait $pid
"""


def tool(*names: str) -> list[str]:
    for name in names:
        if shutil.which(name) is None:
            pytest.skip(f"{name} is not installed")
    if os.getuid() != 0:
        pytest.skip("a Debian is made by root")
    return list(names)


@pytest.fixture
def buildah(tmp_path):
    """The builder, with a store of its own."""
    tool("buildah", "mmdebstrap")
    store = ["--root", str(tmp_path / "store"), "--runroot", str(tmp_path / "run"), "--storage-driver", "vfs"]

    def command(*words: str, **more: object) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(["buildah", *store, *words], check=False, text=True, capture_output=True, **more)

    yield command
    command("rm", "--all")


def test_the_image_runs_the_twin_and_ends_in_order(buildah, tmp_path):
    base = tmp_path / "base"
    base.mkdir()
    made = subprocess.run(["mmdebstrap", "--variant=minbase", "--include=python3,python3-venv", "bookworm",
                           str(base / "base.tar")], capture_output=True, text=True, check=False)  # fmt: skip
    if made.returncode:
        pytest.skip(f"no Debian could be made: {made.stderr.splitlines()[-1]}")
    (base / "Containerfile").write_text("FROM scratch\nADD base.tar /\n")
    assert buildah("bud", "--isolation", "chroot", "--tag", "localhost/base", str(base)).returncode == 0
    context, wheels = tmp_path / "context", tmp_path / "wheels"
    (context / "dist").mkdir(parents=True)
    shutil.copy(wheel_parts.wheel(), context / "dist")
    shutil.copy(HOUSE / "requirements.lock", context)
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--wheel-dir", str(wheels),
           "--constraint", str(HOUSE / "requirements.lock"), str(wheel_parts.wheel())]  # fmt: skip
    subprocess.run(pip, check=True)
    built = buildah(
        "bud", "--isolation", "chroot", "--tag", "localhost/hilctl", "--build-arg", "BASE=localhost/base",
        "--build-arg", "PIP_OPTIONS=--no-index --find-links /wheels", "--volume", f"{wheels}:/wheels:ro",
        "--file", str(HOUSE / "deploy" / "container" / "Containerfile"), str(context),
    )  # fmt: skip
    assert built.returncode == 0, built.stderr[-2000:]
    container = buildah("from", "localhost/hilctl").stdout.strip()
    ran = buildah("run", "--isolation", "chroot", container, "--", "sh", "-c", RUN)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "table-500: off" in ran.stdout and "ended by SIGTERM" in ran.stderr
