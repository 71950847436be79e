"""Every fault that can be commanded, as data: what it is called, what it takes, where it exists, what it stands for.

`rows` are those of the fault matrix (docs/faults.md). An argument in brackets may be left out.
"""

import difflib
from typing import NamedTuple

from hilctl.errors import HilctlError
from hilctl.signals import ALARMS, SENSORS

TCP, RTU, SERIAL = "modbus-tcp", "modbus-rtu", "serial"
TRANSPORTS = (TCP, RTU, SERIAL)
_MODBUS = (TCP, RTU)
_BYTES = (RTU, SERIAL)  # where no lower layer mends or checks bytes
_WHOLE = ("COUNT", "BITS", "BYTES", "EVERY", "CODE")


class FaultError(HilctlError):
    """A command that cannot be obeyed. The message says what to write instead."""


class Fault(NamedTuple):
    """One command."""

    name: str
    takes: str
    rows: str
    meaning: str
    where: tuple[str, ...] = TRANSPORTS


FAULTS: tuple[Fault, ...] = (
    Fault("nan", "SENSOR", "1", "it says no number: NaN where the register is a float, its lowest count elsewhere"),
    Fault("sentinel", "SENSOR", "1", "it says the lowest count that there is"),
    Fault("stuck", "SENSOR", "2", "it stands still at what it says"),
    Fault("stale", "", "3", "the sample and its counter are repeated for ever"),
    Fault("range", "SENSOR VALUE", "4", "it says this value, in SI units"),
    Fault("drift", "SENSOR RATE", "5", "it moves away, by so many SI units a second"),
    Fault("sign", "SENSOR", "6, 61", "its sign is reversed"),
    Fault("swap", "", "6, 61", "the two pressures are exchanged"),
    Fault("reversed", "", "6, 61", "the valve's command is reversed"),
    Fault("valve_dead", "", "6, 61", "the valve does not follow its command"),
    Fault("dead", "SENSOR", "2, 61", "it says 0, whatever is"),
    Fault("spike", "SENSOR VALUE", "7", "one sample is off by so much, in SI units"),
    Fault("supply", "SHARE", "8", "the supply pressure reads this share of itself: 0.3 is low, 1.5 is high"),
    Fault("timeout", "SECONDS", "9", "no request is heard for so long"),
    Fault("delay", "SECONDS [EVERY=1]", "9", "every n-th answer comes so late"),
    Fault("flip", "BITS [COUNT=1]", "10", "so many bits are wrong in each of the next answers", _BYTES),
    Fault("truncate", "BYTES [COUNT=1]", "11", "the next answers end after so many bytes"),
    Fault("oversize", "BYTES [COUNT=1]", "12", "the next answers go on for so many bytes more, without delimiter"),
    Fault("unit", "[COUNT=1]", "13", "the next answers are of another unit", _MODBUS),
    Fault("exception", "CODE [COUNT=1]", "14", "the next requests are answered with an exception, 1 to 11", _MODBUS),
    Fault("half_open", "", "15", "the connection stays, and nothing is ever said on it again"),
    Fault("close", "", "16", "the connection is cut; who comes again is served again", (TCP,)),
    Fault("unplug", "SECONDS", "16, 17", "connection and server are gone for so long, and the device boots"),
    Fault("duplicate", "[COUNT=1]", "18", "the next answers come twenty times over"),
    Fault("old", "[COUNT=1]", "19", "instead of the next answers, the ones before come again"),
    Fault("lose", "EVERY", "20", "every n-th request is not heard"),
    Fault("babble", "SECONDS", "21", "noise on the line, all the time", _BYTES),
    Fault("watchdog", "", "24", "the time-to-live trips now"),
    Fault("slow_watchdog", "FACTOR", "24", "its watchdog takes so many times as long as it says", _MODBUS),
    Fault("emergency_stop", "", "26", "the emergency stop is opened"),
    Fault("enable_lost", "", "26", "the amplifier drops its enable, latched", _MODBUS),
    *(Fault(name, "", "26", alarm.meaning) for name, alarm in ALARMS.items() if name != "emergency_stop"),
    Fault("read_back", "OFFSET", "27", "the spool reads so much beside what it is"),
    Fault("hang", "SECONDS", "28", "the firmware hangs; its hardware watchdog acts after 20 ms"),
    Fault("reboot", "", "29", "as after switching on"),
    Fault("other_master", "", "42, 68", "somebody else writes the heartbeat", _MODBUS),
)  # fmt: skip

ORDERS: tuple[Fault, ...] = (
    Fault("clear", "", "", "no fault from now on; what has tripped stays tripped"),
    Fault("begin", "", "", "the plant is again where it was at first, at rest; for a device that is off"),
    Fault("mark", "", "", "`travelled_m` of the status begins again: how far the table went, truly, from here"),
    Fault("reset", "", "", "the device's own reset key: forgets the trip, once null and not commanded", _MODBUS),
    Fault("status", "", "", "what the device is, as one JSON object"),
    Fault("witness", "TEXT", "", "a command to the firmware's witness line, with its answer", (SERIAL,)),
    Fault("help", "", "", "this list"),
    Fault("quit", "", "", "ends the emulation"),
)


class Command(NamedTuple):
    """What was said."""

    name: str
    values: tuple[object, ...]


def known(transport: str) -> dict[str, Fault]:
    """What can be commanded there."""
    return {f.name: f for f in (*FAULTS, *ORDERS) if transport in f.where}


def parse(text: str, transport: str) -> Command:
    """The command that a line says. FaultError when it says none."""
    word, _, rest = text.strip().partition(" ")
    there = known(transport)
    if word not in there:
        elsewhere = next((f.where for f in FAULTS if f.name == word), None)
        if elsewhere:
            raise FaultError(f"{word}: {transport} has no such fault, only {' and '.join(elsewhere)}")
        close = difflib.get_close_matches(word, there, n=1, cutoff=0.5)
        raise FaultError(f"no fault {word!r}; " + (f"did you mean {close[0]!r}?" if close else "`help` lists them"))
    if there[word].takes == "TEXT":
        return Command(word, (rest.strip(),))
    return Command(word, tuple(_values(there[word], rest.split())))


def _values(fault: Fault, words: list[str]) -> list[object]:
    usage = f"{fault.name} {fault.takes}".strip()
    places = fault.takes.split()
    if len(words) > len(places):
        raise FaultError(f"{words[len(places)]!r} is too much: say {usage}")
    found: list[object] = []
    for k, place in enumerate(places):
        name, _, default = place.strip("[]").partition("=")
        if k >= len(words) and not default:
            raise FaultError(f"{name} is missing: say {usage}")
        found.append(_value(name, words[k] if k < len(words) else default, usage))
    return found


def _value(name: str, word: str, usage: str) -> object:
    if name == "SENSOR":
        if word not in SENSORS:
            close = difflib.get_close_matches(word, SENSORS, n=1, cutoff=0.4)
            raise FaultError(f"no sensor {word!r}; " + (f"did you mean {close[0]!r}?" if close else ", ".join(SENSORS)))
        return word
    try:
        value = int(word) if name in _WHOLE else float(word)
    except ValueError:
        raise FaultError(f"{name} = {word!r} is not a number: say {usage}") from None
    if name == "CODE" and not 1 <= value <= 11:
        raise FaultError(f"CODE = {value}: must be 1 to 11")
    if name in (*_WHOLE, "SECONDS") and not 0 < value <= 1e9:
        raise FaultError(f"{name} = {word}: must be more than 0")
    return value


def rows(faults: tuple[Fault, ...] = FAULTS) -> str:
    """The commands as a markdown table."""
    lines = ["| command | row | where | what it does |", "|---|---|---|---|"]
    for fault in faults:
        where = "all" if fault.where == TRANSPORTS else ", ".join(fault.where)
        lines.append(f"| `{f'{fault.name} {fault.takes}'.strip()}` | {fault.rows} | {where} | {fault.meaning} |")
    return "\n".join(lines)


def help_text(transport: str) -> str:
    """The commands for a person."""
    there = known(transport).values()
    width = max(len(f"{f.name} {f.takes}") for f in there)
    return "\n".join(f"{f'{f.name} {f.takes}':<{width}}  {f.meaning}" for f in there)
