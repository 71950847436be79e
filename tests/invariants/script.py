"""A sequence as lines of text, and what each line does to a session.

rig plain                     which rig (rigs.py); first line
A take | takeover | release   clients A and B hold attended leases and beat twice a second of the rig's time
A dies | lives                its beats end; come again
A arm | off | stop | reset | undo
A move position_m=0.03 duration_s=1
A track sine amplitude_m=0.02 frequency_hz=1
A set limits.late.ticks=20
A zero displacement samples=200
A supply level=low             in hold; `supply lost` is the pump
wait 1.5                      seconds of the rig's time
sensor displacement nan 5     ticks; stuck, stale, alternating; spike 0.001; offset 0.001 50; drift 0.1 50, a second
status timeout 2              ticks; `status timeout 20 7`: in every seventh of them
mute timeout 2                likewise, and the command does not arrive either
supply lost | back            the pump
stop pressed | released       the emergency stop
push 4000 0.2                 newtons on the table, seconds
unplug | plug                 the link to the device
wire valve reversed           while it is off: valve or SENSOR reversed, dead, right; pressures exchanged, right
stall 45                      periods that the host misses at once
stalls 35 6 50                missed, run, how often
service gone                  the run ends as when the service falls silent; last line
"""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from hilctl.signals import SENSORS, Mode, Status, Trip
from sim.plant import PRESSURE_A, PRESSURE_B
from sim.twin import EMERGENCY_STOP
from tests.invariants.driver import ALTERNATING, DRIFT, NAN, OFFSET, SPIKE, STALE, STUCK
from tests.invariants.session import CHUNK, Session

_KINDS = {
    "nan": NAN,
    "stuck": STUCK,
    "stale": STALE,
    "alternating": ALTERNATING,
    "spike": SPIKE,
    "offset": OFFSET,
    "drift": DRIFT,
}
_NEVER = 1e18
CLIENTS = ("A", "B", "C", "K")  # C has no lease unless it takes one
_BEAT_S = 0.5


class Note(NamedTuple):
    """What was done to the rig or asked of it, and the ticks between which it happened."""

    first: int  # the newest tick before it
    last: int  # the newest tick when it was done
    line: str
    ok: bool = True
    reply: Any = None


class Play:
    """A session and the lines that were played on it."""

    def __init__(self, rig: str, runtime: Path) -> None:
        self.rig, self.session = rig, Session(rig, runtime)
        self.notes: list[Note] = []
        self.sets = {1: self.session.service.store.rig}  # by epoch
        self._alive: set[str] = set()
        self._token = ""
        self._beat_s = 0.0
        self.over = False

    def line(self, text: str) -> None:
        """Plays one line."""
        words = text.split()
        if self.over or not words:
            return
        first = self.session.tick
        ok, reply = True, None
        if words[0] in CLIENTS:
            reply = self._client(words[0], words[1], words[2:])
            ok = bool(reply.get("ok", True))
            store = self.session.service.store
            self.sets[store.epoch] = store.rig
        else:
            ok = getattr(self, f"_{words[0]}")(*words[1:]) is not False
        self.notes.append(Note(first, self.session.tick, text, ok, reply))

    def end(self) -> None:
        """The orderly end, unless the run is over."""
        self.line("end")

    def _end(self) -> None:
        self.session.end()
        self.over = True

    # who asks

    def _client(self, who: str, verb: str, rest: list[str]) -> dict[str, Any]:
        if verb in ("dies", "lives"):
            (self._alive.discard if verb == "dies" else self._alive.add)(who)
            return {}
        ask = self.session.ask
        if who == "K":
            return self._console(verb, rest)
        if verb in ("take", "takeover", "release"):
            (self._alive.discard if verb == "release" else self._alive.add)(who)
            return ask(who, "lease", action=verb)
        op, args = _asked(verb, rest)
        return ask(who, op, **args)

    def _console(self, verb: str, rest: list[str]) -> dict[str, Any]:
        who = f"K{len(self.notes)}"
        if verb in ("take", "takeover"):
            reply = self.session.ask(who, "lease", action=verb, kind="console")
            self._token = reply["result"]["token"] if reply["ok"] else self._token
            return reply
        if verb == "release":
            return self.session.ask(who, "lease", self._token, action=verb)
        op, args = _asked(verb, rest)
        return self.session.ask(who, op, self._token, **args)

    # time and the host

    def _wait(self, seconds: str) -> None:
        left = max(1, round(float(seconds) / self.session.period_s))
        while left > 0:
            some = min(left, CHUNK)
            self.session.advance(some)
            left -= some
            self._beat()

    def _beat(self) -> None:
        now_s = self.session.tick * self.session.period_s
        if now_s - self._beat_s >= _BEAT_S and self.session.service.core.ended is None:
            self._beat_s = now_s
            for who in sorted(self._alive):
                self.session.ask(who, "lease", action="beat")

    def _stall(self, periods: str) -> None:
        self.session.stall(int(periods))

    def _stalls(self, missed: str, run: str, times: str) -> None:
        for _ in range(int(times)):
            self.session.stall(int(missed))
            if int(run) > 1:
                self.session.advance(int(run) - 1)
            self._beat()

    def _service(self, what: str) -> None:
        self.session.end(Trip.SERVICE_LOST)
        self.over = True

    # the rig

    def _sensor(self, name: str, what: str, *rest: str) -> bool | None:
        faults, k, kind = self.session.device.faults, SENSORS.index(name), _KINDS.get(what)
        if kind is None:
            faults.kind[k] = 0
            return None
        numbers = [float(word) for word in rest]
        faults.value[k] = numbers[0] if kind in (SPIKE, OFFSET, DRIFT) else math.nan
        ticks = numbers[-1] if kind != SPIKE else 1 << 30
        faults.begun[k] = self.session.tick
        faults.until[k] = self.session.tick + 1 + int(ticks)
        faults.kind[k] = kind
        return None

    def _cure(self) -> None:
        faults = self.session.device.faults
        faults.kind[:] = 0
        faults.status_until = 0

    def _status(self, name: str, ticks: str, every: str = "1") -> None:
        faults = self.session.device.faults
        faults.status, faults.status_every = Status[name.upper()].value, int(every)
        faults.status_until, faults.mute = self.session.tick + 1 + int(ticks), 0

    def _mute(self, name: str, ticks: str, every: str = "1") -> None:
        self._status(name, ticks, every)
        self.session.device.faults.mute = 1

    def _supply(self, what: str) -> None:
        twin = self.session.device.twin
        twin.supply_lost_from = twin.tick if what == "lost" else _NEVER

    def _stop(self, what: str) -> None:
        twin = self.session.device.twin
        twin.input_from[EMERGENCY_STOP] = twin.tick if what == "pressed" else _NEVER

    def _push(self, newtons: str, seconds: str) -> bool | None:
        if self.session.link_lost:  # what a rig does without a link is only known afterwards
            return False
        cylinder = self.session.device.twin.plant.cylinder
        rests = float(cylinder.weight)
        cylinder.weight = rests - float(newtons)
        self._wait(seconds)
        cylinder.weight = rests
        return None

    def _unplug(self) -> None:
        self.session.device.faults.unplugged = 1

    def _plug(self) -> None:
        """Back, and where the loop had lost it, found again."""
        self.session.device.faults.unplugged = 0
        if self.session.link_lost:
            self.session.follow_link()
            self.session.advance(1)  # what the rig did meanwhile is known before anything else is done to it

    def _wire(self, part: str, *rest: str) -> bool | None:
        """Who rewires a rig unplugs it, or has not armed it yet."""
        twin = self.session.device.twin
        lost = self.session.mode == Mode.OFF and self.session.link_lost
        if not lost and any(note.ok and note.line[1:] == " arm" for note in self.notes):
            return False
        if part == "valve":
            twin.plant.valve.polarity = {"right": 1.0, "reversed": -1.0, "dead": 0.0}[rest[0]]
        elif part == "pressures":
            pair = (PRESSURE_B, PRESSURE_A) if rest[0] == "exchanged" else (PRESSURE_A, PRESSURE_B)
            twin.senses[2:] = pair
        else:
            twin[part].gain = {"right": 1.0, "reversed": -1.0, "dead": 0.0}[rest[0]]
        return None


def _asked(verb: str, rest: list[str]) -> tuple[str, dict[str, Any]]:
    """The operation and its arguments."""
    values = {key: _value(value) for key, value in (word.split("=", 1) for word in rest if "=" in word)}
    if verb == "track":
        return "track", {"kind": rest[0], "parameters": values}
    if verb == "zero":
        return "zero", {"sensor": rest[0], **values}
    return verb, {"values": values} if verb == "set" else values


def _value(text: str) -> Any:
    if text in ("true", "false"):
        return text == "true"
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return text


def lines_of(text: str) -> list[str]:
    """The lines of a script without comments."""
    found = (line.split("#")[0].strip() for line in text.splitlines())
    return [line for line in found if line]


@contextmanager
def played(lines: list[str], runtime: Path) -> Iterator[Play]:
    """A script, played to its end."""
    play = Play(lines[0].split()[1], runtime)
    try:
        for line in lines[1:]:
            play.line(line)
        play.end()
    except BaseException:
        if not play.over:
            play.session.end()
        raise
    yield play
