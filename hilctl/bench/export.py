"""Export of a recording: bytes of samples in a second of the clock and of the processor, and the memory that it takes.

The recording is made by the recorder's own writer: every channel, noise in the measured ones. Each export is a process
of its own, whose highest memory the kernel tells. That of four times the time must not be higher. The yardstick is
pyarrow alone, which writes the same columns from memory, as often as the recording is long.
"""

import json
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from hilctl.recording.export.formats import FORMATS
from hilctl.recording.layout import Header
from hilctl.recording.writer import Writer
from hilctl.signals import CHANNELS, NAMES, SAMPLE

RATE_HZ = 4000.0
_BLOCK = 1 << 15
_SLOW = {"csv", "mcap"}  # text for every number: a twentieth of the others' rows

_EXPORT = """
import importlib, json, resource, sys, time
import hilctl.recording.export.write
from hilctl.cli.main import main
from hilctl.recording.export.formats import FORMATS
importlib.import_module("hilctl.recording.export." + FORMATS[sys.argv[2]].module)
begun, used = time.monotonic(), time.process_time()
code = main(["export", sys.argv[1], "--" + sys.argv[2], "--to", sys.argv[3], "--out", sys.argv[4]])
spent = time.monotonic() - begun, time.process_time() - used
print(json.dumps([code, *spent, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss]))
"""

_ALONE = """
import json, sys, time
import numpy as np, pyarrow as pa
from pyarrow import parquet
columns, blocks, rows = int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
table = pa.table({str(n): np.random.default_rng(n).normal(size=rows) for n in range(columns)})
begun = time.monotonic()
with parquet.ParquetWriter(sys.argv[1], table.schema, compression="snappy", use_dictionary=False) as out:
    for _ in range(blocks):
        out.write_table(table)
print(json.dumps(time.monotonic() - begun))
"""


def run(quick: bool) -> dict[str, Any]:
    """Throughput and memory of every format that is installed."""
    blocks = 8 if quick else 128  # some 17 MB each
    figures: dict[str, Any] = {"recording_mb": round(blocks * _BLOCK * SAMPLE.itemsize / 1e6, 1)}
    figures |= {"mb_per_s": {}, "mb_per_processor_s": {}, "memory_mb": {}}
    ratio: dict[str, Any] = {"memory_of_four_times_the_length": {}}
    with tempfile.TemporaryDirectory(prefix="hilctl-export-", dir=".") as name:
        folder = Path(name)
        recording = _recording(folder, blocks)
        for kind, format in FORMATS.items():
            if format.package and find_spec(format.package) is None:
                continue
            share = 20 if kind in _SLOW else 1
            rows = blocks * _BLOCK // share
            _, _, quarter_kb = _exported(recording, kind, rows // 4, folder / f"x{format.suffix}")
            wall_s, used_s, whole_kb = _exported(recording, kind, rows, folder / f"x{format.suffix}")
            mb = rows * SAMPLE.itemsize / 1e6
            figures["mb_per_s"][kind], figures["mb_per_processor_s"][kind] = mb / wall_s, mb / used_s
            figures["memory_mb"][kind] = whole_kb / 1e3
            ratio["memory_of_four_times_the_length"][kind] = whole_kb / quarter_kb
            if kind == "parquet":
                alone_s = _said(_ALONE, str(folder / "alone"), str(len(NAMES) + 1), str(blocks), str(_BLOCK))
                ratio["parquet_to_pyarrow_alone"] = wall_s / alone_s
                (folder / "alone").unlink()
    return {"bench": "export", "figures": figures, "ratio": ratio}


def _recording(folder: Path, blocks: int) -> Path:
    path = folder / "recording.h5"
    writer = Writer(path, Header("bench", "", "bench", "", RATE_HZ, "real", 1, {}), 0)
    chance = np.random.default_rng(0)
    rows = chance.normal(size=(_BLOCK, len(NAMES))).view(SAMPLE).reshape(_BLOCK)
    for channel in CHANNELS:
        if channel.kind == "i8":
            rows[channel.name] = chance.integers(0, 5, _BLOCK)
    for block in range(blocks):
        rows["tick"] = np.arange(block * _BLOCK, (block + 1) * _BLOCK)
        rows["time_ns"] = rows["tick"] * int(1e9 / RATE_HZ)
        writer.write([(block * _BLOCK, rows)], [], [])
    writer.close()
    return path


def _exported(recording: Path, kind: str, rows: int, target: Path) -> tuple[float, float, int]:
    """Seconds of the clock and of the processor, and the most memory, in kB."""
    to_s = str((rows - 1) / RATE_HZ)
    code, wall_s, used_s, most_kb = _said(_EXPORT, str(recording), kind, to_s, str(target))
    assert code == 0
    target.unlink()
    return wall_s, used_s, most_kb


def _said(script: str, *words: str) -> Any:
    done = subprocess.run([sys.executable, "-c", script, *words], stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])
