"""Files that somebody else has written, cut, copied badly or meant ill."""

import faulthandler
import os
import resource
import shutil
import tempfile
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from hilctl.errors import HilctlError
from hilctl.experiment import store
from hilctl.identify.friction.from_file import read_points
from hilctl.law.motions.samples import read_csv
from hilctl.learning import drive_file
from hilctl.learning.payload import Moved
from hilctl.learning.wanted import Wanted
from hilctl.params import BadValues
from hilctl.recording.reader import open_recording
from hilctl.results.proof import Learned, Repeat
from hilctl.rig import load
from hilctl.rig_file import presets
from tests.fuzz.target import Take, Target, came_through
from tests.unit.learning.test_wanted import FACTS
from tests.unit.recording.recording_parts import small_recording

_LIMIT_S = 5  # of the processor's time that a spoilt file may take of who reads it; a good one takes some milliseconds

@contextmanager
def read_by(read: Callable[[Path], object], suffix: str) -> Iterator[Take]:
    """A file with these bytes, beside the rigs that come with the program."""
    with tempfile.TemporaryDirectory(prefix="hilctl-fuzz-") as folder:
        path = Path(folder) / f"given{suffix}"
        for beside in presets().values():
            shutil.copy(beside, folder)

        def take(data: bytes) -> bool:
            path.write_bytes(data)
            return came_through(HilctlError, lambda: read(path))

        yield take


def _rigs() -> list[bytes]:
    return [path.read_bytes() for path in presets().values()]


def _histories() -> list[bytes]:
    return [
        b"time_s,displacement_m\n0,0\n0.1,0.001\n0.2,0.002\n0.3,0\n0.4,0\n0.5,0\n0.6,0\n0.7,0\n",
        b"# a comment\ntime_ms;acceleration_g\n" + b"".join(b"%d;0.%d\n" % (k, k) for k in range(9)),
        b"time_s\tdisplacement_mm\tother\n" + b"".join(b"%d\t1e-%d\tb\n" % (k, k) for k in range(8)),
    ]


@contextmanager
def _histories_read() -> Iterator[Take]:
    def read(data: bytes) -> None:
        samples = read_csv(data.decode("utf-8", "replace"))
        assert np.isfinite(samples.times_s).all() and np.isfinite(samples.values).all()
        assert (np.diff(samples.times_s) > 0).all()

    yield lambda data: came_through(BadValues, lambda: read(data))


def _points() -> list[bytes]:
    speeds = (-0.2, -0.1, -0.05, -0.02, -0.01, 0.01, 0.02, 0.05, 0.1, 0.2)
    return [
        b"speed_m_s,force_n\n" + b"".join(b"%g,%g\n" % (v, 300 * v) for v in speeds),
        b"speed_rad_s;torque_n_m;sd_n_m\n" + b"".join(b"%g;%g;0,5\n" % (v, 3 * v) for v in speeds),
    ]


def _drives() -> list[bytes]:
    with tempfile.TemporaryDirectory(prefix="hilctl-fuzz-") as folder:
        file = Path(folder) / "one.drive.json"
        motion = Wanted("a motion", np.zeros(8), 1e-3, 0.0, True)
        found = Learned("one", 1.0, [Repeat(1.0, 1.0, 0.0)], 0, False, "")
        made = drive_file.made(FACTS, {}, motion, found, np.zeros(8), np.ones(5, complex), Moved(5.0, 1.0))
        drive_file.keep(file, made)
        return [file.read_bytes()]


def _arrays() -> list[bytes]:
    with tempfile.TemporaryDirectory(prefix="hilctl-fuzz-") as folder:
        made = []
        for packed in (False, True):
            store.save(Path(folder) / "a.npz", {"format": 1}, {"t": np.arange(9.0), "n": np.arange(3)}, packed=packed)
            made.append((Path(folder) / "a.npz").read_bytes())
        return made


def _recordings() -> list[bytes]:
    with tempfile.TemporaryDirectory(prefix="hilctl-fuzz-") as folder:
        return [small_recording(Path(folder) / "a.h5").read_bytes()]


@contextmanager
def _in_children() -> Iterator[Take]:
    """Each in a process of its own, as whatever must go on has them read: HDF5 neither survives them all nor ends."""
    with read_by(_look_through, ".h5") as take:

        def apart(data: bytes) -> bool:
            child = os.fork()
            if child == 0:
                faulthandler.disable()
                resource.setrlimit(resource.RLIMIT_CPU, (_LIMIT_S, _LIMIT_S))
                code = 2
                try:
                    code = 0 if take(data) else 1
                except BaseException:
                    traceback.print_exc()
                os._exit(code)
            code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            assert code != 2, "the reader failed in a way of its own"
            return code == 0

        yield apart


def _look_through(path: Path) -> None:
    """All that report, export and replay ask of a recording."""
    with open_recording(path) as recording:
        rows = recording.rows(0, 1000)
        assert len(rows) <= len(recording) and set(rows.dtype.names or ()) == set(recording.channels)
        _ = recording.events, recording.changes, recording.units, recording.kinds, recording.meanings
        _ = recording.rig_files, recording.parameters_at_start, recording.law_state, recording.trip, recording.types
        _ = recording.readings(0, 1000), recording.taken, recording.known, recording.first, recording.row_of(3)
        recording.numbered(0, 10)
        recording.rows_before(5)


TARGETS = (
    Target("rigs", "rig files", _rigs, lambda: read_by(load, ".toml"), 20_000),
    Target("histories", "motions as CSV", _histories, _histories_read, 100_000),
    Target("points", "friction points as CSV", _points, lambda: read_by(read_points, ".csv"), 50_000),
    Target("drives", "learned drives", _drives, lambda: read_by(drive_file.opened, ".json"), 30_000),
    Target("arrays", "results that are kept as arrays", _arrays,
           lambda: read_by(lambda path: store.load(path, 1, "result", "measure"), ".npz"), 20_000),
    Target("recordings", "recordings", _recordings, _in_children, 2_000, apart=True),
)  # fmt: skip
