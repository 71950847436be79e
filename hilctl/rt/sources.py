"""The source of a module and of all that it imports, for what has no value that can be hashed."""

import ast
import functools
import hashlib
import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path

from hilctl.errors import HilctlError

# Known by their versions, which the key holds.
_LIBRARIES = {"numba", "llvmlite", "numpy", "scipy", *sys.stdlib_module_names} - {"__main__"}


class Unresolved(HilctlError):
    """A module whose source is not to be had; the message names it."""


def is_library(module: str) -> bool:
    """Whether a module is known by its version alone, or, of this package, because the key holds all of it."""
    return module.partition(".")[0] in _LIBRARIES or module.startswith("hilctl.rt.")


@functools.cache
def import_closure(module: str) -> str:
    """A hash of the files of a module and of everything that it imports, libraries left out."""
    if is_library(module):
        raise Unresolved(f"{module} is a library, it stands for nothing else")
    files, todo = {}, [module]
    while todo:
        name = todo.pop()
        if name in files or is_library(name):
            continue
        path = _file(name)
        if path is None:
            if name == module:
                raise Unresolved(f"{module} has no source")
            continue
        files[name] = path.read_bytes()
        if path.suffix == ".py":
            todo += _imported(files[name], name if path.name == "__init__.py" else name.rpartition(".")[0])
    digest = hashlib.sha256()
    for name in sorted(files):
        digest.update(f"{name}\n".encode() + files[name])
    return digest.hexdigest()


def _file(module: str) -> Path | None:
    """Where a module comes from; None for a name that is no module, or one without a file."""
    known = sys.modules.get(module)
    if known is not None:
        found = getattr(known, "__file__", None)
    else:
        try:
            spec = importlib.util.find_spec(module)
        except (ImportError, ValueError):
            return None
        found = spec.origin if spec is not None and spec.has_location else None
    return Path(found) if found and Path(found).is_file() else None


def _imported(source: bytes, package: str) -> Iterator[str]:
    """The modules that a source may import, at any depth: those that it names, their packages, and what it takes."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(package.split(".")[: len(package.split(".")) - node.level + 1]) if node.level else ""
            home = ".".join(part for part in (base, node.module) if part)
            names = [home, *(f"{home}.{alias.name}" for alias in node.names)]
        else:
            continue
        for name in names:
            parts = name.split(".")
            yield from (".".join(parts[: k + 1]) for k in range(len(parts)))
