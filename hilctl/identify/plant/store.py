"""Records and the rig's parameters, in one file: the fit can be repeated without the rig."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from hilctl.experiment import store as kept
from hilctl.experiment.facts import Facts
from hilctl.identify.plant.record import Record

_FORMAT = 1


def save_records(path: str | Path, records: Sequence[Record], facts: Facts) -> None:
    """Writes an .npz, complete or not at all."""
    head = {
        "format": _FORMAT, "facts": msgspec.to_builtins(facts),
        "records": [
            {"name": r.name, "lowest_hz": r.lowest_hz, "rate_hz": r.rate_hz, "again": r.again} for r in records
        ],
    }  # fmt: skip
    kept.save(path, head, {f"{i}.{channel}": v for i, r in enumerate(records) for channel, v in r.samples.items()})


def load_records(path: str | Path) -> tuple[list[Record], Facts]:
    """The contents of `save_records`. NotKept where the file holds something else."""
    head, arrays = kept.load(path, _FORMAT, "records of a plant's identification", "identify")
    records = []
    for i, one in enumerate(head["records"]):
        samples = {name.partition(".")[2]: values for name, values in arrays.items() if name.startswith(f"{i}.")}
        records.append(Record(one["name"], one["lowest_hz"], one["rate_hz"], samples, tuple(one.get("again", ()))))
    return records, msgspec.convert(head["facts"], Facts)
