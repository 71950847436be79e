"""Recordings of ours: the samples while something was tracked, with what the rig was."""

from pathlib import Path

import numpy as np

from hilctl.errors import WrongUse
from hilctl.experiment.facts import Facts
from hilctl.identify.dynamics.intake.foreign import Foreign, IntakeFault
from hilctl.params.tables import flat
from hilctl.recording.reader import open_recording
from hilctl.signals import Mode

REST_S = 0.3  # before and behind


def read_recording(path: Path) -> Foreign:
    """From the first tracked sample to the last, and a little rest around."""
    try:
        opened = open_recording(path)
    except (WrongUse, KeyError):
        raise IntakeFault(
            f"{path} is HDF5, and no recording of ours (`hilctl record`); export its channels as CSV with a header"
        ) from None
    except OSError as error:
        raise IntakeFault(f"{path} is HDF5, and cut off or damaged: {error}; copy it again") from None
    with opened as recording:
        rows = recording.columns()
        rate_hz, rig = recording.rate_hz, recording.rig
        declared = flat(recording.parameters_at_start)
        believed = {key: value for key, value in declared.items() if not key.startswith("twin.")}
        facts = Facts(rig, rate_hz, recording.epoch, believed)
        changed = [str(one["key"]) for one in recording.changes]
        complete = recording.complete
    tracked = np.flatnonzero(rows["mode"] == Mode.TRACK)
    if not len(tracked):
        raise IntakeFault(f"{path}: nothing was tracked while it was recorded; record a motion (`hilctl track`)")
    rest = round(REST_S * rate_hz)
    at = slice(max(0, int(tracked[0]) - rest), int(tracked[-1]) + 1 + rest)
    notes = [] if complete else [f"{path.name} is not complete; what it holds is taken"]
    if changed:
        notes.append(f"{path.name}: {', '.join(dict.fromkeys(changed))} changed while it was recorded")
    channels = {name: np.asarray(values[at], np.float64) for name, values in rows.items()}
    return Foreign(path.name, channels, rate_hz, None, facts, tuple(notes))
