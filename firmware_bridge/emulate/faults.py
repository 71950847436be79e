"""Every fault that can be commanded, as data: name, arguments, transports, meaning.

`rows` are those of the fault matrix (docs/faults.md). An argument in brackets is optional.
"""

import difflib
from typing import NamedTuple

from hilctl.errors import HilctlError
from hilctl.signals import ALARMS, SENSORS

TCP, RTU, SERIAL, TEXT = "modbus-tcp", "modbus-rtu", "serial", "text"
TRANSPORTS = (TCP, RTU, SERIAL, TEXT)
MIXED = "mixed"  # what is on a serial line and has its faults, beside transducers on Modbus RTU
_MODBUS = (TCP, RTU)
_ADDRESSED = (TCP, RTU, TEXT)  # devices that an address tells apart
_AMPLIFIER = (TCP, RTU, TEXT)  # emulated in Python, with everything that an amplifier has
_BYTES = (RTU, SERIAL, TEXT)  # where no lower layer checks or corrects bytes
_WHOLE = ("COUNT", "BITS", "BYTES", "EVERY", "CODE")


class FaultError(HilctlError):
    """A command that is refused. The message says what to write instead."""


class Fault(NamedTuple):
    """One command."""

    name: str
    takes: str
    rows: str
    meaning: str
    where: tuple[str, ...] = TRANSPORTS


FAULTS: tuple[Fault, ...] = (
    Fault("nan", "SENSOR", "1", "it gives no number: NaN in a float register, the lowest count in any other"),
    Fault("sentinel", "SENSOR", "1", "it reads the lowest count of its type"),
    Fault("stuck", "SENSOR", "2", "its reading no longer changes"),
    Fault("stale", "", "3", "the same sample with the same counter is repeated"),
    Fault("range", "SENSOR VALUE", "4", "it reads this value, in SI units"),
    Fault("drift", "SENSOR RATE", "5", "it drifts by this rate, in SI units a second"),
    Fault("sign", "SENSOR", "6, 61", "its sign is reversed"),
    Fault("swap", "", "6, 61", "the two pressures are exchanged"),
    Fault("reversed", "", "6, 61", "the valve's command is reversed"),
    Fault("valve_dead", "", "6, 61", "the valve does not follow its command"),
    Fault("dead", "SENSOR", "2, 61", "it always reads 0"),
    Fault("spike", "SENSOR VALUE", "7", "one sample is off by this value, in SI units"),
    Fault("supply", "SHARE", "8", "the supply pressure reads this share of itself: 0.3 is low, 1.5 is high"),
    Fault("timeout", "SECONDS", "9", "requests are ignored for this time"),
    Fault("delay", "SECONDS [EVERY=1]", "9", "every n-th answer is late by this time"),
    Fault("flip", "BITS [COUNT=1]", "10", "this number of bits is wrong in each of the next answers", _BYTES),
    Fault("truncate", "BYTES [COUNT=1]", "11", "the next answers end after this number of bytes"),
    Fault("oversize", "BYTES [COUNT=1]", "12", "the next answers have so many bytes more, without delimiter"),
    Fault("unit", "[COUNT=1]", "13", "the next answers are of another unit, or address", _ADDRESSED),
    Fault("exception", "CODE [COUNT=1]", "14", "the next requests are answered with an exception, 1 to 11", _MODBUS),
    Fault("half_open", "", "15", "the connection stays open, and no answer is sent on it any more"),
    Fault("close", "", "16", "the connection is closed; a new one is accepted", (TCP,)),
    Fault("unplug", "SECONDS", "16, 17", "no connection and no server for this time, then the device boots"),
    Fault("duplicate", "[COUNT=1]", "18", "the next answers are sent twenty times each"),
    Fault("old", "[COUNT=1]", "19", "instead of the next answers, the previous ones are sent again"),
    Fault("lose", "EVERY", "20", "every n-th request is lost"),
    Fault("babble", "SECONDS", "21", "continuous noise on the line for this time", _BYTES),
    Fault("watchdog", "", "24", "the time-to-live trips now"),
    Fault("slow_watchdog", "FACTOR", "24", "its watchdog takes this many times as long as set", _AMPLIFIER),
    Fault("emergency_stop", "", "26", "the emergency stop is opened"),
    Fault("enable_lost", "", "26", "the amplifier drops its enable, latched", _AMPLIFIER),
    *(Fault(name, "", "26", alarm.meaning) for name, alarm in ALARMS.items() if name != "emergency_stop"),
    Fault("read_back", "OFFSET", "27", "the spool position reads this much off"),
    Fault("hang", "SECONDS", "28", "the firmware hangs for this time; its hardware watchdog acts after 20 ms"),
    Fault("reboot", "", "29", "as after switching on"),
    Fault("echo", "", "13", "the line returns what is sent on it, in front of the answer", (TEXT,)),
    Fault("other_unit", "", "13", "the device shows another unit: psi for bar, in for mm, degF for degC", (TEXT,)),
    Fault("other_master", "", "42, 68", "another master writes the heartbeat", _MODBUS),
)  # fmt: skip

ORDERS: tuple[Fault, ...] = (
    Fault("clear", "", "", "ends all faults; a trip stays latched"),
    Fault("begin", "", "", "puts the plant back to its initial position, at rest; for a device that is off"),
    Fault("mark", "", "", "sets `travelled_m` of the status to 0: the true travel from here on"),
    Fault("reset", "", "", "the device's reset key: clears the trip at null, when nothing is commanded", _AMPLIFIER),
    Fault("status", "", "", "the state of the device, as one JSON object"),
    Fault("witness", "TEXT", "", "sends a command to the firmware's witness line and prints its answer", (SERIAL,)),
    Fault("help", "", "", "this list"),
    Fault("quit", "", "", "ends the emulation"),
)


class Command(NamedTuple):
    """A command with its arguments."""

    name: str
    values: tuple[object, ...]


def known(transport: str) -> dict[str, Fault]:
    """The commands of this transport."""
    transport = SERIAL if transport == MIXED else transport
    return {f.name: f for f in (*FAULTS, *ORDERS) if transport in f.where}


def parse(text: str, transport: str) -> Command:
    """The command of a line. FaultError if it is none."""
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
        raise FaultError(f"{words[len(places)]!r} is one argument too many; usage: {usage}")
    found: list[object] = []
    for k, place in enumerate(places):
        name, _, default = place.strip("[]").partition("=")
        if k >= len(words) and not default:
            raise FaultError(f"{name} is missing; usage: {usage}")
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
        raise FaultError(f"{name} = {word!r} is not a number; usage: {usage}") from None
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
