"""What was set over the wire as a file that the rig file can include: the same settings at the next start.

Key by key; where the friction's model changed, or one of its numbers is left open that the rig file gives, [friction]
is written whole, for TOML cannot take a key away. Who, when and why stands in the comments.
"""

import copy
import time
from typing import Any

from hilctl.params.tables import nested
from hilctl.rig_file import File, lay
from hilctl.service.store import Store
from hilctl.wire.toml import SAVED, tables_of, toml_of

_STEM = "friction"
_HISTORY = "# set "  # how a line of the file's history begins
_LINES = 64  # of it that are kept


def to_keep(store: Store) -> dict[str, Any]:
    """The values that must be said, by key."""
    keep, gone = dict[str, Any](), False
    for edit in store.differs():
        keep[edit.key] = edit.new
        gone = gone or edit.new is None
    if gone or "friction.model" in keep:
        keep |= {key: value for key, value in store.values().items() if key.startswith(f"{_STEM}.")}
    return {key: value for key, value in keep.items() if value is not None}


def included_text(store: Store, run: str, instead_of: File | None, now_s: float | None = None) -> str:
    """The file; `instead_of` is the included file whose place it takes."""
    keep, before = to_keep(store), {edit.key: edit.old for edit in store.differs()}
    tree = nested(keep)
    if instead_of is not None:
        below = copy.deepcopy(instead_of.table)
        lay(tree, below)
        tree = below
    changed_in = {edit.key: done.epoch for done in store.done for edit in done.edits if edit.key in before}
    remarks = {key: f"epoch {changed_in[key]}, before: {_shown(before[key])}" for key in before if key in changed_in}
    head = [
        f"{SAVED} what differs from the rig file {store.file.path.name} of {store.rig.name}",
        f"# {_when(time.time() if now_s is None else now_s)}, epoch {store.epoch} of run {run}",
        '# The rig file includes it with a line above its first table: include = ["THIS FILE"]',
        *_history(store, set(changed_in.values()), instead_of),
    ]
    return "\n".join([*head, *tables_of(tree, remarks), ""])


def _history(store: Store, epochs: set[int], instead_of: File | None) -> list[str]:
    old = instead_of.text.splitlines() if instead_of is not None else []
    kept = [line for line in old if line.startswith(_HISTORY)]
    for done in store.done:
        if done.epoch in epochs:
            by = done.author
            when, origin = _when(by.time_ns * 1e-9), by.origin or "no origin given"
            undoes = f" (takes epoch {done.undoes} back)" if done.undoes else ""
            kept.append(f"{_HISTORY}{when} by {by.client}, epoch {done.epoch}{undoes}: {origin}")
    return kept[-_LINES:]


def _when(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(seconds))


def _shown(value: Any) -> str:
    return "none" if value is None else toml_of(value)
