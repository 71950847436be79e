"""Where rig files are, and how they are laid over each other: tables that are not checked yet."""

import copy
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from msgspec import UNSET

from hilctl.params import BadValues, Problem, nearest

BEGIN = "`hilctl presets` lists complete rig files to begin with"


class File(NamedTuple):
    """A rig file, or one that it includes, as it was read; `table` is its own, without what it includes."""

    path: Path
    text: str
    table: dict[str, Any]


def preset_folders() -> list[Path]:
    """Where the presets are: in a checkout, or in the installed package."""
    here = Path(__file__).resolve().parent
    return [p for p in (here.parent / "deploy" / "rigs", here / "_rigs") if p.is_dir()]


def presets() -> dict[str, Path]:
    """The rig files that come with the program."""
    return {p.stem: p for folder in reversed(preset_folders()) for p in sorted(folder.glob("*.toml"))}


def find(rig: str | Path) -> Path:
    """The file of a rig: a path, or a preset's name."""
    path = Path(rig)
    if path.is_file():
        return path
    known = presets()
    if str(rig) in known:
        return known[str(rig)]
    raise BadValues([Problem("rig", str(rig), "neither a file nor a preset", nearest(str(rig), tuple(known)))])


def read_tree(path: Path) -> dict[str, Any]:
    """A TOML file with what it includes, as tables that are not checked yet: what `from_tree` takes."""
    return read(path, [])


def read(path: Path, files: list[File], above: tuple[Path, ...] = (), key: str = "rig") -> dict[str, Any]:
    """The file with its base and what it includes; `key` is what named it in the files `above` it."""
    if path.resolve() in above:
        raise BadValues([Problem(key, str(path), "includes itself")])
    above = (*above, path.resolve())
    try:
        text = path.read_text(encoding="utf-8")
        tree = tomllib.loads(text)
    except OSError as error:
        raise BadValues([Problem(key, str(path), f"cannot be read: {error.strerror}")]) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadValues([Problem(str(path), UNSET, f"is not TOML: {error}", "correct that line")]) from None
    if not tree:
        raise BadValues([Problem(str(path), UNSET, "holds no key", BEGIN)])
    base, included = tree.pop("base", None), tree.pop("include", [])
    files.append(File(path.resolve(), text, copy.deepcopy(tree)))
    if base is not None:
        tree = _over_base(tree, base, path, files, above)
    if not isinstance(included, list) or not all(isinstance(name, str) for name in included):
        raise BadValues([Problem("include", included, "must be a list of file names")])
    for name in included:
        over = read(path.parent / name, files, above, "include")
        over.pop("schema", None)
        lay(over, tree)
    return tree


def _over_base(tree: dict[str, Any], base: Any, path: Path, files: list[File],
               above: tuple[Path, ...]) -> dict[str, Any]:
    if not isinstance(base, str):
        raise BadValues([Problem("base", base, "must be a file name, or the name of a preset")])
    beside, known = path.parent / base, presets()
    if not beside.exists() and base not in known:
        said = f"neither a file ({beside}) nor a preset"
        raise BadValues([Problem("base", base, said, nearest(base, tuple(known)))])
    under = read(beside if beside.is_file() or base not in known else known[base], files, above, "base")
    lay(tree, under)
    return under


def lay(over: Mapping[str, Any], tree: dict[str, Any]) -> None:
    """Lays a file's tables over these: key by key, but a [friction] that names its model as a whole."""
    friction = over.get("friction")
    if isinstance(friction, Mapping) and "model" in friction:
        tree.pop("friction", None)
    _lay(over, tree)


def _lay(over: Mapping[str, Any], tree: dict[str, Any]) -> None:
    for key, value in over.items():
        if isinstance(value, Mapping) and isinstance(tree.get(key), dict):
            _lay(value, tree[key])
        else:
            tree[key] = copy.deepcopy(value)
