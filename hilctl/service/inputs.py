"""What a replay needs beside the rows: what the loop took from outside, and the controller's whole state now and then.

Both are kept for a while: a recording begins with the newest state, and with what was taken since. A state is asked for
again every ten seconds, and after rows were lost: from there on a replay is exact again.
"""

from collections import deque

from firmware_bridge.driver import READINGS
from hilctl.law.requests import REQUEST
from hilctl.law.settings import SETTINGS
from hilctl.loop.layout import CARRIED, SNAPSHOT
from hilctl.loop.link import Link
from hilctl.recording.layout import Known, Taken, types_of

EVERY_S = 10.0
_KNOWN = 16  # kept: more than a minute's
_BYTES = 1 << 26  # kept of what was taken: some thirty of the longest waveforms
TYPES = types_of(readings=READINGS, state=SNAPSHOT["state"], carried=CARRIED, settings=SETTINGS, request=REQUEST)


class Inputs:
    """Of one core."""

    def __init__(self, link: Link, rate_hz: float) -> None:
        self._link, self._every = link, int(EVERY_S * rate_hz)
        self._taken: deque[Taken] = deque()
        self._bytes = 0
        self._known: deque[Known] = deque(maxlen=_KNOWN)
        self._asked, self._lost, self._told = False, 0, 0
        self.states = 0  # how many have come

    @property
    def known(self) -> Known | None:
        """The newest state."""
        return self._known[-1] if self._known else None

    def ask(self) -> None:
        """A state, soon."""
        self._asked = True
        self._link.snapshot()

    @property
    def pressing(self) -> bool:
        """Whether to look at once, and not just now and then: something has come, or a state is to come."""
        return self._asked or self._link.intakes_told != self._told

    def look(self, end: int) -> list[Taken | Known]:
        """What has come, with the rows up to the number `end`; asks for a state when one is due."""
        self._told = self._link.intakes_told
        fresh: list[Taken | Known] = [Taken(*intake) for intake in self._link.intakes()]
        for one in fresh:
            self._keep(one)
        if self._asked:
            ready = self._link.snapshot_ready()
            if ready is not None:
                self._asked = False
                self.states += 1
                self._known.append(Known(*ready))
                fresh.append(self._known[-1])
        elif self._due(end):
            self.ask()
        return fresh

    def states_from(self, row: int) -> list[Known]:
        """The states that are kept from this row on."""
        return [one for one in self._known if one.row >= row]

    def since(self, number: int) -> list[Taken]:
        """What was taken from this number on, as far as it is kept."""
        return [one for one in self._taken if one.number >= number]

    def _keep(self, one: Taken | Known) -> None:
        assert isinstance(one, Taken)
        self._taken.append(one)
        self._bytes += len(one.data) + 128
        while self._bytes > _BYTES:
            self._bytes -= len(self._taken.popleft().data) + 128

    def _due(self, end: int) -> bool:
        lost = self._link.rows_lost
        if lost != self._lost:
            self._lost = lost
            return True
        return end > 0 and (not self._known or end - self._known[-1].row >= self._every)
