"""Exports a recording: whole or not at all, in memory that does not grow with it."""

import math
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hilctl.errors import HilctlError, WrongUse
from hilctl.params import nearest
from hilctl.recording.ahead import Writing
from hilctl.recording.chain import Chain
from hilctl.recording.export.about import TIME, about
from hilctl.recording.export.formats import Block, open_sink

_TILE = 1024  # rows that are turned into columns at a time: they stay in the processor's cache


class Choice(NamedTuple):
    """What is exported."""

    channels: Sequence[str] = ()  # none: all
    every: int = 1
    from_s: float = -math.inf
    to_s: float = math.inf


def export(
    chain: Chain, name: str, path: Path, choice: Choice = Choice(),  # noqa: B008  (immutable)
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> int:  # fmt: skip
    """Writes the file in the format of this name; how many rows. On an error no part of it is left. `progress` gets
    the rows that are written, and all."""
    known = chain.first.channels
    names = tuple(choice.channels) or known
    for channel in names:
        if channel not in known:
            raise WrongUse(f"no channel {channel!r}; {nearest(channel, known)}")
    spans = chain.spans(choice.from_s, choice.to_s)
    total = sum(-(-(end - first) // choice.every) for _, first, end in spans)
    if not total:
        raise WrongUse(_nothing(chain, choice))
    draft, rows = path.with_name(f".{path.name}.{os.getpid()}.part"), 0
    try:
        growing = Writing(draft)
        sink = open_sink(name, draft, about(chain, names))
        try:
            for words in chain.blocks(spans, choice.every):
                sink.write(_block(words, known, names, chain.first.kinds, chain.first.rate_hz))
                growing.grown()
                rows += len(words)
                progress(rows, total)
            sink.close()
        except BaseException:
            with suppress(Exception):
                sink.drop()
            raise
        _sync(draft)
        draft.replace(path)
    except OSError as error:
        why = f"{error.strerror or error} after {rows} of {total} rows"
        remedy = "export to another disk, or less with --channels, --every, --from, --to"
        raise HilctlError(f"{path}: {why}; no part of it is kept, the recording is unchanged", remedy=remedy) from None
    finally:
        draft.unlink(missing_ok=True)
    return rows


def _block(
    words: npt.NDArray[np.int64], known: tuple[str, ...], names: tuple[str, ...], kinds: dict[str, str], rate_hz: float
) -> Block:
    index = np.array([known.index(name) for name in ("tick", "time_ns", *names)])
    turned = np.empty((len(index), len(words)), np.int64)
    for at in range(0, len(words), _TILE):
        turned[:, at : at + _TILE] = words[at : at + _TILE].T[index]
    columns: dict[str, npt.NDArray[np.generic]] = {TIME: turned[0] / rate_hz}
    columns |= {name: column.view(kinds[name]) for name, column in zip(names, turned[2:], strict=True)}
    return Block(columns, turned[1])


def _nothing(chain: Chain, choice: Choice) -> str:
    spans = chain.spans(-math.inf, math.inf)
    if not spans:
        return f"{chain.first.path} holds no samples"
    rate, (first, begin, _), (last, _, end) = chain.first.rate_hz, spans[0], spans[-1]
    from_s = int(first.rows(begin, begin + 1)["tick"][0]) / rate
    to_s = int(last.rows(end - 1, end)["tick"][0]) / rate
    return f"no sample between {choice.from_s:g} and {choice.to_s:g} s; the recording has {from_s:g} to {to_s:g} s"


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
