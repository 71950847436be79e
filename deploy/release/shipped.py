"""What an installation consists of, by the lock file: hilctl, and every package that it needs, with its licence."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

from packaging.markers import Marker

HOUSE = Path(__file__).resolve().parents[2]
OURS = "hilctl"
RUNTIME = ("export", "panel", "report")  # the extras that a rig's PC may have; the others are for developers
TARGET = {"sys_platform": "linux", "platform_system": "Linux", "os_name": "posix", "platform_machine": "x86_64",
          "implementation_name": "cpython", "platform_python_implementation": "CPython"}  # fmt: skip

# Licences that a work under Apache-2.0 may be installed with: permissive, or copyleft of single files or libraries.
ALLOWED = frozenset({
    "0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "CC0-1.0", "HPND", "ISC", "LGPL-3.0-only",
    "LGPL-3.0-or-later", "MIT", "MIT-0", "MIT-CMU", "MPL-2.0", "PSF-2.0", "Python-2.0", "Unlicense", "Zlib",
})  # fmt: skip
EXCEPTIONS = frozenset({"GCC-exception-3.1", "LLVM-exception"})

# Those whose metadata names their licence only in words, read in their own licence file.
READ = {
    "numba": "BSD-2-Clause",
    "llvmlite": "BSD-2-Clause AND Apache-2.0 WITH LLVM-exception",
    "docutils": "BSD-2-Clause AND PSF-2.0",  # its classifier GPL is of a mode for Emacs, which is not in the wheel
}

# The words of the classifiers, and of the field `License`, where no expression is given.
_WORDS = {
    "apache license 2.0": "Apache-2.0", "apache license, version 2.0": "Apache-2.0", "apache 2.0": "Apache-2.0",
    "apache software license": "Apache-2.0", "bsd": "BSD-3-Clause", "bsd license": "BSD-3-Clause",
    "3-clause bsd": "BSD-3-Clause", "mit license": "MIT", "the mit license": "MIT",
    "mozilla public license 2.0 (mpl 2.0)": "MPL-2.0", "python software foundation license": "PSF-2.0",
    "isc license (iscl)": "ISC", "isc license": "ISC",
    "gnu lesser general public license v3 or later (lgplv3+)": "LGPL-3.0-or-later", "lgplv3+": "LGPL-3.0-or-later",
}  # fmt: skip

_STRICT = re.compile(r"^(?!.*(?:lesser|library|lgpl)).*(?:gpl|general public|sspl|busl)", re.IGNORECASE)


def locked(lock: Path = HOUSE / "uv.lock") -> dict[str, dict[str, Any]]:
    """Every package of the lock, by its name."""
    return {package["name"]: package for package in tomllib.loads(lock.read_text())["package"]}


def needed(extras: Iterable[str] = (), packages: Mapping[str, dict[str, Any]] | None = None) -> dict[str, list[str]]:
    """Hilctl and what it needs on a rig's PC: each package with those that it needs itself."""
    known = packages if packages is not None else locked()
    found: dict[str, list[str]] = {}
    waiting = [(OURS, tuple(extras))]
    while waiting:
        name, wanted = waiting.pop()
        package = known[name]
        asked = list(package.get("dependencies", ()))
        for extra in wanted:
            asked += package.get("optional-dependencies", {}).get(extra, ())
        asked = [one for one in asked if _here(one.get("marker", ""))]
        before, found[name] = found.get(name), sorted({*found.get(name, ()), *(one["name"] for one in asked)})
        if found[name] != before:
            waiting += [(one["name"], tuple(one.get("extra", ()))) for one in asked]
    return found


def _here(marker: str) -> bool:
    return not marker or Marker(marker).evaluate(TARGET)


def licence(name: str, path: list[str] | None = None) -> str:
    """The licence of an installed package as an SPDX expression; empty where its metadata does not say."""
    if name in READ:
        return READ[name]
    try:
        given = next(iter(metadata.distributions(name=name, **({"path": path} if path else {})))).metadata
    except StopIteration:
        return ""
    if expression := given.get("License-Expression"):
        return str(expression)
    classifiers = [line.rpartition(" :: ")[2] for line in given.get_all("Classifier", ()) if line.startswith("License")]
    said = [word for word in (str(given.get("License", "")).strip(), *classifiers) if word]
    strict = [word for word in said if len(word) < 100 and _STRICT.search(word)]
    for word in strict or said:
        if strict or word in ALLOWED:
            return word
        if word.lower() in _WORDS:
            return _WORDS[word.lower()]
    return ""


def refused(expression: str) -> list[str]:
    """The parts of an SPDX expression that are not allowed; of alternatives, one is enough."""
    if not expression:
        return ["no licence"]
    parts = re.findall(r"[()]|[\w.+-]+", expression)
    return [] if _allowed(parts) else [part for part in parts if part not in {"(", ")", "AND", "OR", "WITH"}
                                       and part not in ALLOWED | EXCEPTIONS]  # fmt: skip


def _allowed(parts: list[str]) -> bool:
    """By recursive descent: OR binds weaker than AND, AND weaker than WITH."""
    at = 0

    def either() -> bool:
        nonlocal at
        good = both()
        while at < len(parts) and parts[at] == "OR":
            at += 1
            good = both() or good
        return good

    def both() -> bool:
        nonlocal at
        good = single()
        while at < len(parts) and parts[at] == "AND":
            at += 1
            good = single() and good
        return good

    def single() -> bool:
        nonlocal at
        at += 1
        if parts[at - 1] == "(":
            good = either()
            at += 1
            return good
        good = parts[at - 1] in ALLOWED
        if at < len(parts) and parts[at] == "WITH":
            good = parts[at + 1] in EXCEPTIONS and (good or parts[at + 1] == "GCC-exception-3.1")
            at += 2
        return good

    return either()
