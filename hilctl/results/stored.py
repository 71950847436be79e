"""A stored result: written and read through its declaration."""

import re
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from hilctl import __version__
from hilctl.errors import WrongUse
from hilctl.results.commissioned import FORMAT, Commissioned

_AT = re.compile(r" - at `(?:key in )?\$(.*)`$")
_STEP = re.compile(r"\.\w+|\[[\d.]*\]")
_OPEN = "..."
Kind = TypeVar("Kind", bound=Struct)


def as_json(result: Struct, *, indent: int = 1) -> bytes:
    """For a program and a person; what is no finite number is null. Without indent, on one line."""
    made = msgspec.json.encode(result, enc_hook=_plain)
    return (msgspec.json.format(made, indent=indent) if indent else made) + b"\n"


def _plain(value: Any) -> Any:
    """A number of numpy."""
    return value.item()


def read(path: Path) -> Commissioned:
    """What the file holds. WrongUse names the place in the file that is not as it should be."""
    return decoded(_content(path), str(path))


def read_as(kind: type[Kind], path: Path, remedy: str = "restore the file, or measure again") -> Kind:
    """The same of another kind of result."""
    content = _content(path)
    try:
        return msgspec.json.decode(content, type=kind)
    except msgspec.ValidationError as error:
        told = f"{path}: {error}: damaged, or written by another version of hilctl than {__version__}; {remedy}"
        raise WrongUse(told, key=str(path)) from None
    except msgspec.DecodeError as error:
        raise WrongUse(f"{path}: {error}; {remedy}", key=str(path)) from None


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise WrongUse(f"{path} cannot be read: {error.strerror}; check the path", key=str(path)) from None


def decoded(content: bytes, name: str) -> Commissioned:
    """The result in a file's content."""
    try:
        raw = msgspec.json.decode(content)
    except msgspec.DecodeError as error:
        raise WrongUse(f"{name} is no JSON file, or damaged: {error}", key=name) from None
    version = raw.get("format") if isinstance(raw, dict) else None
    if version != FORMAT:
        held = f"is of format {version}" if version is not None else "holds no result of a commissioning with a format"
        if version is None and isinstance(raw, dict) and "stages" in raw:
            held = "is a result without a format, as early versions of hilctl wrote it"
        raise WrongUse(f"{name} {held}, this version reads {FORMAT}; commission again in another folder", key=name)
    try:
        return msgspec.convert(raw, Commissioned)
    except msgspec.ValidationError as error:
        told = f"{name}{_by(raw)}: {_placed(raw, str(error))}"
        raise WrongUse(f"{told}; restore the file, or commission again", key=name) from None


def _by(raw: Any) -> str:
    """Which program wrote it, where that is another one."""
    versions = raw.get("versions")
    version = versions.get("hilctl") if isinstance(versions, dict) else None
    return f", written by hilctl {version}, read by {__version__}" if version not in (None, __version__) else ""


def _placed(raw: Any, text: str) -> str:
    """The error with its whole path: msgspec leaves the key of a map open."""
    found = _AT.search(text)
    if not found:
        return text
    steps = [step.strip(".[]") or _OPEN for step in _STEP.findall(found[1])]
    at, value = [], raw
    for step in steps:
        name = _wrong_key(raw, value) if step == _OPEN else step
        at.append(name)
        value = value[int(name)] if isinstance(value, list) else value.get(name)
    return f"{'.'.join(at)}: {text[: found.start()]}"


def _wrong_key(raw: Any, table: dict[str, Any]) -> str:
    """The key of a map in the file, without whose value it is another error, or none."""
    said = _error(raw)
    for key in list(table):
        kept = table.copy()
        table.clear()
        table[key] = kept[key]
        same = _error(raw) == said
        table.clear()
        table.update(kept)
        if same:
            return key
    return _OPEN


def _error(raw: Any) -> str:
    try:
        msgspec.convert(raw, Commissioned)
    except msgspec.ValidationError as error:
        return str(error)
    return ""
