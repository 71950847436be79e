"""The roles file: which key belongs to whom, and what its holder may do.

    [alice]
    role = "operator"
    public = "…"                             # 40 characters
    made = "2026-03-01T09:00:00+00:00"
    revoked = "2026-03-02T17:30:00+00:00"    # only where it was
"""

import fcntl
import os
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from hilctl.access.files import read_secret, write_secret
from hilctl.access.keys import is_key
from hilctl.errors import HilctlError, WrongUse
from hilctl.params import nearest
from hilctl.wire.roles import Role
from hilctl.wire.toml import toml_of

ROLES = "roles.toml"
_HEAD = "# Who may drive this rig. Written by `hilctl keys`; read again by a running service whenever it changes.\n"
_WORDS = {role.word: role for role in Role}
_FIELDS = ("role", "public", "made", "revoked")
_LONGEST = 40  # characters of a name


class Entry(NamedTuple):
    """One client."""

    name: str
    role: Role
    public: str
    made: str
    revoked: str = ""


Roles = dict[str, Entry]  # by name


def now() -> str:
    """When something was made or revoked."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def role_of(word: str) -> Role:
    """The role of this name."""
    if word not in _WORDS:
        raise WrongUse(f"role {word!r} refused, must be {', '.join(_WORDS)}; {nearest(word, tuple(_WORDS))}")
    return _WORDS[word]


def need_name(name: str) -> None:
    """WrongUse for what can be no name of a key."""
    if not 0 < len(name) <= _LONGEST or not all(c.isascii() and (c.isalnum() or c in "-_") for c in name):
        raise WrongUse(f"name {name!r} refused, must be 1 to {_LONGEST} letters, digits, dashes and underscores")


def read_roles(path: Path) -> Roles:
    """Every entry, or every problem of the file."""
    text = read_secret(path, "the roles file")
    try:
        tree = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise HilctlError(f"the roles file {path}: no TOML: {error}", remedy="`hilctl keys` writes it") from None
    problems: list[str] = []
    entries = [entry for name, table in tree.items() if (entry := _entry(name, table, problems)) is not None]
    owners: dict[str, str] = {}
    for entry in entries:
        if entry.public in owners:
            problems.append(f"{entry.name}.public: is the key of {owners[entry.public]} as well; each needs its own")
        owners[entry.public] = entry.name
    if problems:
        raise HilctlError("\n".join(f"the roles file {path}: {problem}" for problem in problems), key=str(path))
    return {entry.name: entry for entry in entries}


def _entry(name: str, table: object, problems: list[str]) -> Entry | None:
    if not isinstance(table, Mapping):
        problems.append(f"{name}: must be a table with role and public")
        return None
    wrong = len(problems)
    problems += [f"{name}.{key}: no such key; known: {', '.join(_FIELDS)}" for key in table if key not in _FIELDS]
    problems += [f"{name}.{key}: must be a text" for key in _FIELDS if not isinstance(table.get(key, ""), str)]
    for check in (lambda: need_name(name), lambda: role_of(str(table.get("role", "")))):
        try:
            check()
        except WrongUse as error:
            problems.append(f"{name}: {error}")
    if not is_key(table.get("public")):
        problems.append(f"{name}.public: must be a key of 40 characters; `hilctl keys make` makes one")
    if len(problems) > wrong:
        return None
    return Entry(name, role_of(table["role"]), table["public"], table.get("made", ""), table.get("revoked", ""))


@contextmanager
def changing(folder: Path) -> Iterator[None]:
    """Within, no other command changes this folder's files."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def write_roles(path: Path, roles: Roles) -> None:
    """The file with these entries."""
    write_secret(path, _HEAD + "".join(_table(entry) for entry in roles.values()))


def _table(entry: Entry) -> str:
    values: dict[str, Any] = {"role": entry.role.word, "public": entry.public, "made": entry.made}
    if entry.revoked:
        values["revoked"] = entry.revoked
    return f"\n[{entry.name}]\n" + "".join(f"{key} = {toml_of(value)}\n" for key, value in values.items())
