"""How far `hilctl identify dynamics` is: the rig's time, then what this host takes to evaluate."""

from collections.abc import Callable
from typing import Any

from hilctl.experiment.stages import Progress, Stages

# Seconds on a busy host, by `hilctl identify dynamics table-500 --twin --events`, 2026-11-27; on another host, and with
# other motions, an estimate. Each stage is announced by these words.
DRIVING_S = 157.0
EVALUATING_S = {
    "judging the records": 1.0, "estimating frequency responses": 1.0, "fitting transfer functions": 2.0,
    "fitting the grey box": 17.0, "validating the models": 1.0, "searching gains": 4.0, "writing": 3.0,
}  # fmt: skip


class Study(Stages):
    """What is announced while a study is made, as stages."""

    def __init__(self, preparing_s: float | None, tell: Callable[[str, Progress], None]) -> None:
        """`preparing_s`: None where recordings are read, and nothing is driven."""
        driven = {} if preparing_s is None else {"preparing": preparing_s, "driving": DRIVING_S}
        super().__init__({**driven, **EVALUATING_S}, tell)
        self._whole_s = 0.0  # of the motions

    def hear(self, text: str, *, seconds_left: float | None = None, **_: Any) -> None:
        """A motion, with the rig's time that is left; or what is evaluated."""
        if seconds_left is not None:
            if not self._whole_s:
                self._whole_s = seconds_left or 1.0
                self.expect("driving", seconds_left)
                self.begin("driving", text)
            else:
                self.say(text, 1 - seconds_left / self._whole_s)
            return
        stage = next((stage for stage in EVALUATING_S if text.startswith(stage)), self.stage)
        if stage != self.stage:
            self.begin(stage, text)
        else:
            self.say(text)
