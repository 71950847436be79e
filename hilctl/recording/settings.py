"""The rig file's [recording]."""

from typing import Annotated

from hilctl.params import Params, note, number


class Recording(Params):
    """Where recordings go and how they are written."""

    folder: Annotated[str, note("folder of the recordings; empty: `recordings` in the rig's state directory")] = ""
    required: Annotated[bool, note("arming starts a recording, and is refused while none can be written")] = False
    flush_hz: Annotated[float, number(0.1, 20, "Hz", "how often what was recorded is made safe")] = 2.0
    queue_s: Annotated[float, number(1, 120, "s", "samples that may wait for a slow disk before some are lost")] = 20.0
