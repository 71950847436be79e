"""The core's process is started before anything heavy is imported, and hears the service all the time."""

import subprocess
import sys
from concurrent.futures import Future
from types import SimpleNamespace

from hilctl.service.run import _heard


def test_what_starts_the_core_imports_nothing_heavy() -> None:
    code = (
        "import sys, hilctl.service.run; "
        "print({'numba', 'numpy', 'scipy', 'h5py', 'zmq', 'msgspec', 'hilctl.rig'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


class SlowlyJudged:
    """A service whose loop comes round some times before the gains are judged; or whose core ends meanwhile."""

    def __init__(self, rounds: int, *, core_ends: bool = False) -> None:
        self.judged: Future[str] = Future()
        self.cycles, self._rounds, self._core_ends = 0, rounds, core_ends
        self.service = SimpleNamespace(core=SimpleNamespace(ended=None))

    def cycle(self) -> None:
        self.cycles += 1
        if self.cycles == self._rounds:
            if self._core_ends:
                self.service.core.ended = "ended"
            else:
                self.judged.set_result("unstable")


def test_while_the_gains_are_judged_the_service_goes_on_living() -> None:
    app = SlowlyJudged(5)
    assert (_heard(app, app.judged), app.cycles) == ("unstable", 5)


def test_a_core_that_ends_meanwhile_ends_the_wait() -> None:
    app = SlowlyJudged(3, core_ends=True)
    assert (_heard(app, app.judged), app.cycles) == (None, 3)
