"""Other parameters than those recorded, for the question what the controller would have commanded with them."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from hilctl.errors import WrongUse
from hilctl.friction import check_friction
from hilctl.law.settings import Controller, pack_settings
from hilctl.params import BadValues, Problem, check, nearest
from hilctl.params.tables import nested
from hilctl.recording.reader import Recording
from hilctl.rt.records import words_of


def altered(recording: Recording, changes: Mapping[str, Any]) -> Callable[[Any], None]:
    """What lays these values over a parameter set of the recording, as the loop has it; BadValues where they are none.

    What the loop's record holds beside the values themselves follows from them: all words that differ are laid over.
    """
    values = recording.parameters_at_start
    unknown = [Problem(key, value, "no such key", nearest(key, tuple(values)))
               for key, value in changes.items() if key not in values]  # fmt: skip
    if unknown:
        raise BadValues(unknown)
    if "friction.model" in changes:
        raise WrongUse(f"friction.model={changes['friction.model']}: the model cannot be another one in a replay; "
                       "its parameters can")  # fmt: skip
    dt_s = 1.0 / recording.rate_hz
    before, after = _packed(values, dt_s), _packed({**values, **changes}, dt_s)
    words = np.flatnonzero(before != after)

    def alter(settings: Any) -> None:
        words_of(settings).view(np.int64)[words] = after[words]

    return alter


def _packed(values: Mapping[str, Any], dt_s: float) -> npt.NDArray[np.int64]:
    tables = nested({key: value for key, value in values.items() if value is not None})
    friction = check_friction(tables.pop("friction"))
    record = pack_settings(check(Controller, tables), friction, dt_s, 0)
    return np.frombuffer(record.tobytes(), np.int64)
