"""The rig file's [recording]."""

from collections.abc import Iterator
from typing import Annotated

from hilctl.params import Literal, Params, Problem, note, number

Lost = Literal["continue", "stop", "null"]
_LEAST_MB = 1.0  # a file has some 100 kB before its first sample


class Always(Params):
    """A recording that always runs and keeps what is newest: files `always-…`, of which the oldest are removed."""

    enabled: Annotated[bool, note("record whenever no other recording runs")] = False
    hours: Annotated[float, number(0, 8760, "h", "keep at least this much; 0: as far as `mb` allows")] = 24.0
    mb: Annotated[float, number(0, 1e8, "MB", "never keep more than this; 0: as far as the disk allows")] = 0.0


class BlackBox(Params):
    """What a trip leaves: files `trip-…`, written from memory."""

    before_s: Annotated[
        float, number(0, 600, "s", "of the time before a trip, as far as service.history_s holds it; 0: no file")
    ] = 60.0
    after_s: Annotated[float, number(0, 60, "s", "of the time after it")] = 10.0


class Recording(Params):
    """Where recordings go and how they are written."""

    folder: Annotated[str, note("folder of the recordings; empty: `recordings` in the rig's state directory")] = ""
    required: Annotated[bool, note("arming starts a recording, and is refused while none can be written")] = False
    flush_hz: Annotated[float, number(0.1, 20, "Hz", "how often what was recorded is made safe")] = 2.0
    rotate_mb: Annotated[
        float, number(0, 1e8, "MB", "a file of this size is followed by the next one, without a gap; 0: one file")
    ] = 0.0
    rotate_s: Annotated[
        float, number(0, 1e7, "s", "likewise a file of this length, in the rig's time; 0: one file")
    ] = 0.0
    free_mb: Annotated[
        float,
        number(0, 1e8, "MB", "free space on the disk below which old `always` files are removed, then recordings end"),
    ] = 100.0
    lost: Annotated[Lost, note("what happens to the rig when a recording that `required` asks for ends by itself")] = (
        "continue"
    )
    queue_s: Annotated[float, number(1, 120, "s", "samples that may wait for a slow disk before some are lost")] = 20.0
    always: Always = Always()
    black_box: BlackBox = BlackBox()

    def inconsistencies(self, at: str) -> Iterator[Problem]:
        """What always runs keeps a bounded part."""
        if self.always.enabled and not (self.always.hours or self.always.mb):
            yield Problem(f"{at}.always.hours", self.always.hours, "must be above 0 where always.mb is 0")
        if 0 < self.always.mb < 8 * _LEAST_MB:
            yield Problem(f"{at}.always.mb", self.always.mb, f"must be 0 or at least {8 * _LEAST_MB:g}")
        if 0 < self.rotate_mb < _LEAST_MB:
            yield Problem(f"{at}.rotate_mb", self.rotate_mb, f"must be 0 or at least {_LEAST_MB:g}")
        if 0 < self.rotate_s < 1:
            yield Problem(f"{at}.rotate_s", self.rotate_s, "must be 0 or at least 1")
