"""What an experiment measured, kept as one .npz: arrays by name, and a head of plain values that says what they are."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np


class NotKept(Exception):
    """The file is something else; the message says what was expected."""


def save(path: str | Path, head: Mapping[str, Any], arrays: Mapping[str, Any]) -> None:
    """Writes the file, whole or not at all. The head's `format` is its version."""
    whole = Path(path)
    part = whole.with_name(f"{whole.name}.part")
    with part.open("wb") as out:
        np.savez_compressed(out, head=np.array(json.dumps(head)), **arrays)
    part.replace(whole)


def load(path: str | Path, version: int, holds: str, again: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Head and arrays. NotKept, saying what it should hold and what to do again, where it is another file."""
    try:
        with np.load(path) as held:
            head = json.loads(str(held["head"]))
            arrays = {name: held[name] for name in held.files if name != "head"}
    except (ValueError, KeyError, EOFError) as error:
        raise NotKept(f"{path} holds no {holds}: {error}") from error
    if head.get("format") != version:
        raise NotKept(f"{path} is of format {head.get('format')}, this version reads {version}; {again} again")
    return head, arrays
