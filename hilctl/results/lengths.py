"""Rows of a result that belong together, entry by entry."""

from collections.abc import Sequence
from typing import Any


def same_length(**rows: Sequence[Any] | None) -> None:
    """ValueError where two of them differ; None is no row."""
    lengths = {name: len(row) for name, row in rows.items() if row is not None}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"must have one length: {', '.join(f'{name} has {n}' for name, n in lengths.items())}")
