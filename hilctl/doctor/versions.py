"""Whether what is installed is what this version asks for, and was tested with."""

import importlib.metadata
import platform
import re
from pathlib import Path
from typing import NamedTuple

from hilctl.doctor.finding import Finding, Tree
from hilctl.rt.tested import CEILING, LOWEST

_KERNEL = (5, 14)  # MADV_POPULATE_WRITE: the loop's memory is there before the first tick
_HOUSE = Path(__file__).resolve().parents[2]
_CLAUSE = re.compile(r"(~=|==|!=|<=|>=|<|>)\s*([\w.]+)")


class Versions(NamedTuple):
    """As they are installed; None where a package is missing."""

    python: str
    python_asked: str
    asked: dict[str, str]  # of each package that the program needs, the range
    packages: dict[str, str | None]
    locked: dict[str, tuple[str, ...]]  # of a checkout, what its tests ran with; for some Pythons another
    libzmq: str
    curve: bool  # whether libzmq can encrypt


def installed() -> Versions:
    """What this interpreter would import."""
    import zmq

    asked, python, declared = {}, "", ["numba"]
    try:
        declared = importlib.metadata.requires("hilctl") or declared
        python = importlib.metadata.metadata("hilctl")["Requires-Python"] or ""
    except importlib.metadata.PackageNotFoundError:
        pass  # a checkout that is not installed: nobody says its ranges
    for line in declared:
        name, clauses = re.match(r"([\w.-]+)\s*([^;]*)", line).groups()  # type: ignore[union-attr]
        if "extra ==" not in line:
            asked[name] = clauses.strip()
    packages = {name: _version(name) for name in asked}
    return Versions(platform.python_version(), python, asked, packages, _locked(asked), zmq.zmq_version(),
                    bool(zmq.has("curve")))  # fmt: skip


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _locked(names: dict[str, str]) -> dict[str, tuple[str, ...]]:
    """Of a checkout's lock; nothing where the program is installed."""
    try:
        text = (_HOUSE / "requirements.lock").read_text(encoding="utf-8")
    except OSError:
        return {}
    pinned: dict[str, tuple[str, ...]] = {}
    for name, version in re.findall(r"^([\w.-]+)==([\w.]+)", text, re.MULTILINE):
        pinned[name] = (*pinned.get(name, ()), version)
    return {name: pinned[name] for name in names if name in pinned}


def python(versions: Versions) -> Finding:
    """`requires-python` and every range of the project."""
    wanted = f"Python {versions.python_asked}, packages in the project's ranges"
    wrong = [f"Python {versions.python}"] if not within(versions.python, versions.python_asked) else []
    for name, clauses in versions.asked.items():
        version = versions.packages.get(name)
        if version is None:
            wrong.append(f"{name} is missing")
        elif not within(version, clauses):
            wrong.append(f"{name} {version}, asked for is {clauses}")
    if wrong:
        how = "pip install --force-reinstall hilctl, into a virtual environment of its own"
        return Finding("versions", "bad", "; ".join(wrong), wanted, how)
    moved = [f"{name} {versions.packages[name]} (lock: {' or '.join(pins)})" for name, pins in versions.locked.items()
             if versions.packages.get(name) not in pins]  # fmt: skip
    if moved:
        how = "pip install -r requirements.lock, the versions that the tests ran with"
        return Finding("versions", "better", ", ".join(moved), wanted, how)
    return Finding("versions", "good", f"Python {versions.python}, {len(versions.asked)} packages", wanted)


def numba(versions: Versions) -> Finding:
    """Outside the tested range nothing compiled is kept."""
    wanted, version = f">={LOWEST},<{CEILING}: with others each start compiles for a minute", versions.packages["numba"]
    if version is not None and within(version, f">={LOWEST},<{CEILING}"):
        return Finding("numba", "good", version, wanted)
    return Finding("numba", "bad", version or "missing", wanted, f"pip install 'numba>={LOWEST},<{CEILING}'")


def libzmq(versions: Versions) -> Finding:
    """Keys (CURVE) need a libzmq that was built with them."""
    wanted, how = "4.3 or newer, with CURVE", "pip install --force-reinstall --only-binary :all: pyzmq"
    found = versions.libzmq + ("" if versions.curve else " without CURVE: a rig cannot be driven from another host")
    if _number(versions.libzmq) < (4, 3):
        return Finding("libzmq", "bad", found, wanted, how)
    return Finding("libzmq", "good" if versions.curve else "better", found, wanted, how * (not versions.curve))


def kernel(tree: Tree) -> Finding:
    """Its version."""
    wanted = f"Linux {'.'.join(map(str, _KERNEL))} or newer"
    release = tree.text("/proc/sys/kernel/osrelease")
    if release is None:
        return Finding("kernel", "unknown", "not reported", wanted)
    if _number(release) >= _KERNEL:
        return Finding("kernel", "good", release, wanted)
    return Finding("kernel", "better", release, wanted, "install a newer kernel (Debian: backports)")


def within(version: str, clauses: str) -> bool:
    """Whether a version is in a range like `>=0.63,<0.69` or `~=3.16`."""
    number = _number(version)
    for sign, text in _CLAUSE.findall(clauses):
        bound = _number(text)
        if sign == "~=":
            holds = number >= bound and number[: len(bound) - 1] == bound[:-1]
        else:
            length = max(len(number), len(bound))
            ours, theirs = (n + (0,) * (length - len(n)) for n in (number, bound))
            holds = {"==": ours == theirs, "!=": ours != theirs, "<=": ours <= theirs, ">=": ours >= theirs,
                     "<": ours < theirs, ">": ours > theirs}[sign]  # fmt: skip
        if not holds:
            return False
    return True


def _number(version: str) -> tuple[int, ...]:
    head = re.match(r"\d+(\.\d+)*", version)
    return tuple(map(int, head[0].split("."))) if head else ()
