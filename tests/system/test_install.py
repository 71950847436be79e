"""deploy/install.sh, into a folder that stands for the root of a rig's PC: there, twice, and back."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from hilctl import __version__
from tests.system import wheel_parts
from tests.system.wheel_parts import HOUSE, SITE

SCRIPT = HOUSE / "deploy" / "install.sh"
# groupadd and useradd keep the files before their last change under these names.
BACKUPS = {"etc/passwd-", "etc/group-", "etc/shadow-", "etc/gshadow-", "etc/subuid-", "etc/subgid-"}


def tree(root: Path) -> dict[str, tuple[str, int, str]]:
    """Every entry below: kind, rights, content."""
    found = {}
    for path in sorted(root.rglob("*")):
        name = str(path.relative_to(root))
        if name in BACKUPS:
            continue
        if path.is_symlink():
            found[name] = ("link", 0, os.readlink(path))
        elif path.is_dir():
            found[name] = ("folder", path.stat().st_mode, "")
        else:
            found[name] = ("file", path.stat().st_mode, hashlib.sha256(path.read_bytes()).hexdigest())
    return found


@pytest.fixture
def root(tmp_path):
    """The root of a system with users, and a rule of somebody else's beside ours."""
    made = tmp_path / "root"
    for name, text in {
        "etc/passwd": "root:x:0:0::/root:/bin/sh\n", "etc/group": "root:x:0:\n", "etc/shadow": "root:*:1::::::\n",
        "etc/gshadow": "root:*::\n", "etc/login.defs": "UID_MIN 1000\n", "etc/udev/rules.d/10-theirs.rules": "#\n",
    }.items():  # fmt: skip
        (made / name).parent.mkdir(parents=True, exist_ok=True)
        (made / name).write_text(text)
    return made


def install(root: Path, *words: str, verb: str = "install", code: int = 0, **environment: str) -> str:
    """What the script says."""
    more = ["--python", sys.executable, "--site-packages", str(SITE)] if verb == "install" else []
    command = [str(SCRIPT), verb, *words, "--root", str(root), *more]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **environment})
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


slow = pytest.mark.slow  # each makes a virtual environment


@slow
@pytest.mark.timeout(300)
def test_it_installs_changes_nothing_the_second_time_and_undoes_itself(root):
    before, wheel = tree(root), str(wheel_parts.wheel())
    words = ("--wheel", wheel, "--rig", "table-500-modbus")
    assert "would" in install(root, *words, "--dry-run")
    assert tree(root) == before
    install(root, *words)
    first = tree(root)
    for name in ("etc/systemd/system/hilctl@.service", "etc/systemd/system/hilctl-panel@.service",
                 "etc/udev/rules.d/60-hilctl.rules", "etc/security/limits.d/hilctl.conf", "usr/local/bin/hilctl",
                 "etc/hilctl/table-500-modbus.toml", "etc/hilctl/table-500.toml"):  # fmt: skip
        assert name in first
    assert first["opt/hilctl/current"] == ("link", 0, __version__)
    assert (root / "opt/hilctl/current/bin/hilctl").read_text().startswith(f"#!/opt/hilctl/{__version__}/bin/python")
    assert ("\nhilctl:" in (root / "etc/passwd").read_text()) == (os.getuid() == 0)
    install(root, *words)
    assert tree(root) == first
    program = [root / "opt/hilctl/current/bin/python", "-m", "hilctl", "--version"]
    assert subprocess.check_output(program, cwd=root, text=True) == f"hilctl {__version__}\n"
    install(root, "--purge", verb="remove")
    assert tree(root) == before


@slow
@pytest.mark.timeout(300)
def test_two_versions_stand_side_by_side_and_a_changed_rig_file_stays(root, tmp_path):
    install(root, "--wheel", str(wheel_parts.of_version(tmp_path, "0.0.7")), "--rig", "table-500")
    rig = root / "etc/hilctl/table-500.toml"
    rig.write_text(rig.read_text() + "# ours\n")
    said = install(root, "--wheel", str(wheel_parts.wheel()), "--rig", "table-500")
    assert f"kept: {rig}" in said and rig.read_text().endswith("# ours\n")
    assert install(root, verb="versions").splitlines() == ["  0.0.7", f"* {__version__}"]
    assert "is in use" in install(root, __version__, verb="remove", code=1)
    install(root, "0.0.7", verb="use")
    assert os.readlink(root / "opt/hilctl/current") == "0.0.7"
    program = [root / "opt/hilctl/current/bin/python", "-m", "hilctl", "--version"]
    own = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}  # it may lead to the checkout
    assert subprocess.check_output(program, cwd=root, text=True, env=own) == "hilctl 0.0.7\n"
    install(root, __version__, verb="remove")
    assert f"{__version__} is not installed; installed: 0.0.7" in install(root, __version__, verb="use", code=1)
    refused = install(root, "--purge", verb="remove", code=1)
    assert str(rig) in refused and "--with-data" in refused
    install(root, verb="remove")
    assert rig.exists() and not (root / "opt").exists()
    install(root, "--purge", "--with-data", verb="remove")
    assert not rig.exists()


@slow
@pytest.mark.timeout(300)
def test_a_rig_file_that_is_refused_leaves_nothing_behind(root, tmp_path):
    old = tmp_path / "old.toml"
    old.write_text("schema = 0\n")
    before = tree(root)
    said = install(root, "--wheel", str(wheel_parts.wheel()), "--rig", str(old), code=1)
    assert "schema" in said and "must be 1" in said and "nothing was changed" in said
    assert tree(root) == before


@pytest.fixture
def wheel(tmp_path):
    """No program: what is refused before it is looked at needs none."""
    path = tmp_path / "hilctl-9.9-py3-none-any.whl"
    path.touch()
    return str(path)


def test_a_rig_that_runs_is_not_disturbed(root, wheel):
    told = root / "run/hilctl/shaker/endpoints.json"
    told.parent.mkdir(parents=True)
    told.write_text(json.dumps({"pid": os.getpid()}, indent=1))
    before = tree(root)
    for verb, words in (("install", ("--wheel", wheel)), ("remove", ()), ("use", ("1.0",))):
        said = install(root, *words, verb=verb, code=1)
        assert f"the rig shaker is running (process {os.getpid()}); stop it first: systemctl stop hilctl@shaker" in said
    assert tree(root) == before


def stand_in(folder: Path, name: str, script: str) -> str:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return str(path)


def test_what_the_host_lacks_is_named_with_its_remedy(root, wheel, tmp_path):
    old = stand_in(tmp_path, "python3.9", "echo 3.9 False")
    bare = stand_in(tmp_path, "python3.12", 'case "$2" in *ensurepip*) exit 1;; *) echo 3.12 True;; esac')
    before = tree(root)

    def refused(*words: str) -> str:
        done = subprocess.run([SCRIPT, "install", "--wheel", wheel, "--root", root, *words],
                              capture_output=True, text=True, check=False)  # fmt: skip
        assert done.returncode == 1, done.stderr
        return done.stderr

    assert f"--python {old} is Python 3.9, 3.11 or newer is required" in refused("--python", old)
    assert "has no module venv; apt install python3.12-venv" in refused("--python", bare)
    assert "no such program; apt install python3" in refused("--python", "python9")
    assert "--wheel nowhere.whl: no such file" in refused("--wheel", "nowhere.whl", "--python", sys.executable)
    assert "is no wheel of hilctl" in refused("--wheel", "/etc/hostname", "--python", sys.executable)
    assert tree(root) == before


def test_a_full_disk_is_named_before_anything_is_written(root, wheel, tmp_path):
    stand_in(tmp_path, "df", "echo; echo /dev/full 100 100 7168 100% /")
    before = tree(root)
    said = install(root, "--wheel", wheel, code=1, PATH=f"{tmp_path}:{os.environ['PATH']}")
    assert "has 7 MB left, 19 MB are needed; make room, or give --prefix DIR" in said
    assert tree(root) == before


@pytest.mark.skipif(os.getuid() != 0 or not shutil.which("setpriv"), reason="needs root, who lets go of his rights")
def test_without_root_nothing_is_installed_into_the_system():
    command = ["setpriv", "--reuid", "65534", "--clear-groups", SCRIPT, "install"]
    if not os.access(SCRIPT, os.X_OK) or subprocess.run([*command[:4], "test", "-x", SCRIPT], check=False).returncode:
        pytest.skip("the checkout is root's alone")
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "run it as root (sudo), or give --root DIR" in done.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "what shall be done"),
        (["instal"], "instal is no verb"),
        (["install", "--weel", "x"], "--weel is no option"),
        (["install", "--rig"], "--rig needs a value"),
        (["install", "--prefix", "opt"], "--prefix opt must begin with /"),
        (["use"], "use needs a version"),
    ],
)
def test_wrong_words_are_refused(words, said):
    done = subprocess.run([SCRIPT, *words], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr


def test_the_shell_finds_nothing_to_complain_of():
    tool = shutil.which("shellcheck")
    if tool is None:
        pytest.skip("shellcheck is not installed")
    done = subprocess.run([tool, SCRIPT], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")
