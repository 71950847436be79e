"""`python -m hilctl.bench.page_from_file FILE [SPEED]`: the operator's page, fed by blocks of a file, not a service.

SPEED: how many times faster than they came; frames are then sent as fast as a screen shows them.
"""

import pickle
import sys
import time
from pathlib import Path
from typing import Any

from hilctl.client import Client
from hilctl.client.telemetry import Block
from hilctl.panel.feed import Feed, Run, Where
from hilctl.panel.samples import Samples
from hilctl.panel.server import Address, serve

_SCREEN_S = 1 / 70  # a screen shows 60 pictures a second


def keep(rig: Client, file: Path, seconds: float) -> Path:
    """Some seconds of blocks, and what a page asks for at first. The file is this benchmark's own."""
    until_s, blocks = time.monotonic() + seconds, []
    for message in rig.subscribe("block", timeout_s=5.0):
        if isinstance(message, Block):
            blocks.append(message)
        if time.monotonic() > until_s:
            break
    file.write_bytes(pickle.dumps((rig.hello, rig.describe(), rig.status(), blocks)))
    return file


class FromFile(Feed):
    """The same blocks again and again, in their own time or faster."""

    def __init__(self, file: Path, speed: float = 1.0) -> None:
        super().__init__(Where())
        self._speed = speed
        if speed > 1:
            self.frame_s = _SCREEN_S
        self._kept: Any = pickle.loads(file.read_bytes())

    def _work(self) -> None:
        hello, describe, status, blocks = self._kept
        names = [name for name in hello["channels"] if name not in ("tick", "time_ns", "device_tick")]
        self.run = Run(hello, describe, Samples(names, hello["rate_hz"]))
        self.status, self.gone, self.changed = status, "", 1
        rate_hz, begun_s, sent = hello["rate_hz"] * self._speed, time.monotonic(), 0
        while not self._ending.is_set():
            for block in blocks:
                columns = {**block.columns, "tick": sent + block.columns["tick"] - block.columns["tick"][0]}
                sent = int(columns["tick"][-1]) + 1
                self._ending.wait(max(0.0, begun_s + sent / rate_hz - time.monotonic()))
                self._take(Block(sent, block.count, columns, hello["run"]))
                if sent + block.count > rate_hz * (time.monotonic() - begun_s):
                    self._rest()
            self.changed += 1


if __name__ == "__main__":
    feed = FromFile(Path(sys.argv[1]), *map(float, sys.argv[2:]))
    serve(Where(), Address(port=0), lambda text: print(text, flush=True), feed)
