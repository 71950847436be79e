"""`make dist`: builds both wheels and the source distribution twice, checks that the bytes are the same and hold what
they must, and writes the bill of materials beside them, into dist."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from deploy.release.client import PROJECT, differing, is_client, stage
from deploy.release.contents import client_problems, sdist_problems, wheel_problems
from deploy.release.sbom import bill
from deploy.release.shipped import HOUSE, RUNTIME, licence, needed, refused


def main(packages: str) -> int:
    """`packages`: the site-packages in which the locked versions are installed."""
    version, epoch = _version(), _epoch()
    os.environ["SOURCE_DATE_EPOCH"] = str(epoch)
    problems = _unfit(version)
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        built = _build(Path(one))
        again = _build(Path(other))
        for path, second in zip(built, again, strict=True):
            if path.name != second.name or path.read_bytes() != second.read_bytes():
                problems.append(f"{path.name}: two builds differ")
            problems += [f"{path.name}: {problem}" for problem in _check_of(path)(path)]
        subprocess.run([sys.executable, "-m", "twine", "check", "--strict", *map(str, built)], check=True)
        problems += [f"{name}: its licence is refused: {', '.join(parts)}"
                     for name in needed(RUNTIME) if (parts := refused(licence(name, [packages])))]  # fmt: skip
        if problems:
            print(*problems, sep="\n", file=sys.stderr)
            return 1
        folder = HOUSE / "dist"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        for path in built:
            shutil.copy(path, folder)
    (folder / f"hilctl-{version}.cdx.json").write_text(bill(version, [packages], epoch))
    files = sorted(folder.iterdir())
    sums = "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files)
    (folder / "SHA256SUMS").write_text(sums)
    print(sums, end="")
    return 0


def _version() -> str:
    found = re.search(r'^__version__ = "(.+)"$', (HOUSE / "hilctl" / "__init__.py").read_text(), re.MULTILINE)
    assert found is not None
    return found[1]


def _git(*words: str) -> str:
    try:
        return subprocess.run(["git", "-C", str(HOUSE), *words], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):  # an unpacked source distribution
        return ""


def _epoch() -> int:
    return int(os.environ.get("SOURCE_DATE_EPOCH") or _git("log", "-1", "--format=%ct") or 1_577_836_800)


def _unfit(version: str) -> list[str]:
    """Why this is no release: the tag, the change log."""
    problems = [f"{PROJECT.name}: {problem}" for problem in differing()]
    tags = [tag for tag in _git("tag", "--points-at", "HEAD").split() if re.match(r"v\d", tag)]
    if tags and f"v{version}" not in tags:
        problems.append(f"the tag is {tags[0]}, hilctl.__version__ is {version}: correct hilctl/__init__.py or the tag")
    if not tags:
        print(f"no tag: a release has the tag v{version}", file=sys.stderr)
    if f"## {version}" not in (HOUSE / "docs" / "CHANGELOG.md").read_text():
        problems.append(f"docs/CHANGELOG.md has no section {version}")
    return problems


def _build(folder: Path) -> list[Path]:
    build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder)]
    with tempfile.TemporaryDirectory() as staged:
        for command in ([*build, str(HOUSE)], [*build, "--wheel", str(stage(Path(staged)))]):
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return sorted(folder.iterdir())


def _check_of(path: Path) -> Callable[[Path], list[str]]:
    if path.suffix != ".whl":
        return sdist_problems
    return client_problems if is_client(path) else wheel_problems


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m deploy.release SITE-PACKAGES, which hold the locked versions; or: make dist")
    sys.exit(main(sys.argv[1]))
