"""Records and what was believed of the rig, in one file: the fit can be repeated without the rig."""

import json
from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np

from hilctl.identify.campaign.facts import Facts
from hilctl.identify.plant.record import Record

_FORMAT = 1


class NotRecords(Exception):
    """The file does not hold records; the message says what it is."""


def save_records(path: str | Path, records: Sequence[Record], facts: Facts) -> None:
    """Writes an .npz, whole or not at all."""
    head = {
        "format": _FORMAT, "facts": msgspec.to_builtins(facts),
        "records": [{"name": r.name, "lowest_hz": r.lowest_hz, "rate_hz": r.rate_hz} for r in records],
    }  # fmt: skip
    arrays = {f"{i}.{channel}": values for i, r in enumerate(records) for channel, values in r.samples.items()}
    whole = Path(path)
    part = whole.with_name(f"{whole.name}.part")
    with part.open("wb") as out:
        np.savez_compressed(out, head=np.array(json.dumps(head)), **arrays)  # type: ignore[arg-type]
    part.replace(whole)


def load_records(path: str | Path) -> tuple[list[Record], Facts]:
    """What `save_records` wrote. NotRecords where the file is something else."""
    try:
        with np.load(path) as held:
            head = json.loads(str(held["head"]))
            arrays = {name: held[name] for name in held.files if name != "head"}
    except (ValueError, KeyError, EOFError) as error:
        raise NotRecords(f"{path} holds no records of a plant's identification: {error}") from error
    if head.get("format") != _FORMAT:
        raise NotRecords(f"{path} is of format {head.get('format')}, this version reads {_FORMAT}; identify again")
    records = []
    for i, one in enumerate(head["records"]):
        samples = {name.partition(".")[2]: values for name, values in arrays.items() if name.startswith(f"{i}.")}
        records.append(Record(one["name"], one["lowest_hz"], one["rate_hz"], samples))
    return records, msgspec.convert(head["facts"], Facts)
