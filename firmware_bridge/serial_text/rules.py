"""What a rig file may not say of serial devices, each with its key: what contradicts itself, the rig, or its line."""

from collections.abc import Iterator
from typing import Any

from firmware_bridge.described.signals import OUTPUTS, READINGS, UNITS
from firmware_bridge.driver import RigFacts
from firmware_bridge.serial_text.budget import lines, oldest_s, refusals, sum_text
from firmware_bridge.serial_text.fill import Tables
from firmware_bridge.serial_text.settings import (
    MOST_LINES,
    SENT,
    TIME_TO_LIVE,
    Described,
    Device,
    Told,
)
from hilctl.params import Problem, nearest
from hilctl.signals import SENSORS

_LINE = ("baud", "data_bits", "parity", "stop_bits", "flow", "echo")


def problems(own: Described, at: str) -> Iterator[Problem]:
    """What contradicts itself."""
    yield from _devices(own.devices, at)
    for told in own.messages.values():
        yield from _message(told, f"{at}.messages.{told.name}")
    yield from _outputs(own, at)
    yield from _readings(own, at)
    yield from _lines(own, at)
    yield from _watchdog(own, at)
    yield from Tables(own).too_much(at)


def against_the_rig(own: Described, rig: RigFacts, at: str) -> Iterator[Problem]:
    """What its lines cannot carry at this rate, and what the rig has and the table has not."""
    yield from refusals(own, rig.rate_hz, rig.exchange_share, at)
    if "valve" in rig.takes and own.sent_in("valve") is None:
        yield Problem(f"{at}.messages", "no {valve}", "every rig has a valve", "put {valve} into a request")
    sensors = rig.tables["sensors"]
    fields = sorted({name for told in own.of_tick() for name in told.answer.names})
    for name in SENSORS:
        if getattr(sensors, name).present and own.read_in(name) is None:
            yield Problem(f"{at}.messages", f"no {{{name}}}", f"sensors.{name}.present is true",
                          f"put {{{name}}} into an answer, or set present = false; fields of answers: "
                          f"{', '.join(fields) or 'none'}")  # fmt: skip
    yield from _ages(own, rig, at)


def _devices(devices: dict[str, Device], at: str) -> Iterator[Problem]:
    first: dict[str, str] = {}
    addresses: dict[tuple[str, int], str] = {}
    for name, device in devices.items():
        other = first.setdefault(device.port, name)
        for key in _LINE:
            value, wanted = getattr(device, key), getattr(devices[other], key)
            if value != wanted:
                yield Problem(f"{at}.devices.{name}.{key}", value, f"must be {wanted}, as {at}.devices.{other}.{key}: "
                              "one line")  # fmt: skip
        there = addresses.setdefault((device.port, device.address), name)
        if there != name:
            yield Problem(f"{at}.devices.{name}.address", device.address, f"is also that of {at}.devices.{there} on "
                          "the same line", "give each device its own")  # fmt: skip
    if len(first) > MOST_LINES:
        yield Problem(f"{at}.devices", len(first), f"have more than {MOST_LINES} ports", "divide them among the parts "
                      "of a mixed rig")  # fmt: skip


def _message(told: Told, key: str) -> Iterator[Problem]:
    own = told.own
    for name in told.request.names:
        if name not in SENT:
            yield Problem(f"{key}.request", own.request, f"{{{name}}} cannot be sent", nearest(name, SENT))
    if not own.request and not own.answer:
        yield Problem(f"{key}.request", "", "says nothing, and nothing comes back",
                      "give a request, an answer, or both")  # fmt: skip
    if told.streams:
        if own.when != "tick":
            yield Problem(f"{key}.when", own.when, "what a device sends by itself comes in ticks", 'set when = "tick"')
        if not own.period_s:
            yield Problem(f"{key}.period_s", own.period_s, "is missing: the device sends it by itself",
                          "give the time between two messages")  # fmt: skip
    elif own.period_s:
        yield Problem(f"{key}.period_s", own.period_s, "is of what a device sends by itself, and this has a request",
                      "give every, or leave the request empty")  # fmt: skip
    if told.outputs and own.when not in ("tick", "reset"):
        yield Problem(f"{key}.request", own.request, f"sends {{{told.outputs[0]}}}, which only a tick does",
                      'set when = "tick", or write the bytes themselves')  # fmt: skip
    answer = told.answer
    if own.answer and not answer.terminator and answer.least != answer.most and not _ends_known(told):
        yield Problem(f"{key}.answer", own.answer, "has any length and no terminator",
                      r"end it with the device's terminator, such as \r\n")  # fmt: skip


def _ends_known(told: Told) -> bool:
    """Whether a message of any length ends with something that shows its end."""
    last = told.answer.pieces[-1]
    return bool(last.text) or (last.width > 0 and any(piece.text for piece in told.answer.pieces))


def _outputs(own: Described, at: str) -> Iterator[Problem]:
    sent: dict[str, str] = {}
    for told in own.of_tick():
        for name in told.outputs:
            other = sent.setdefault(name, told.name)
            if other != told.name:
                yield Problem(f"{at}.messages.{told.name}.request", told.own.request, f"{at}.messages.{other} also "
                              f"sends {{{name}}}", "send each output in one message")  # fmt: skip
    valve = own.sent_in("valve")
    if valve is not None and valve.own.every != 1:
        yield Problem(f"{at}.messages.{valve.name}.every", valve.own.every, "it has the valve, which moves in every "
                      "tick", "set every = 1")  # fmt: skip
    if "enable" in sent and "valve" not in sent:
        yield Problem(f"{at}.messages.{sent['enable']}.request", "{enable}", "is sent, and no message sends {valve}",
                      "put {valve} into a request")  # fmt: skip


def _readings(own: Described, at: str) -> Iterator[Problem]:
    fields = {name for told in own.of_tick() for name in told.answer.names}
    known = tuple(sorted(fields | {f"{told.name}.{name}" for told in own.of_tick() for name in told.answer.names}))
    for name in READINGS:
        reading, key = getattr(own.reading, name), f"{at}.reading.{name}"
        if reading.unit not in UNITS[name]:
            allowed = ", ".join(repr(unit) for unit in UNITS[name])
            yield Problem(f"{key}.unit", reading.unit, f"must be one of {allowed}")
        place = own.read_in(name)
        if place is None:
            if reading != type(reading)():
                yield Problem(f"{key}.field", reading.field or name, "stands in no answer of a tick",
                              nearest(reading.field or name, known))  # fmt: skip
            continue
        there = [told.name for told in own.of_tick() if place[1] in told.answer.names]
        if len(there) > 1 and "." not in reading.field:
            yield Problem(f"{key}.field", reading.field or name, f"stands in the answers of {' and '.join(there)}",
                          f'set field = "{there[0]}.{place[1]}"')  # fmt: skip


def _lines(own: Described, at: str) -> Iterator[Problem]:
    for line in lines(own):
        if not line.streams:
            continue
        for told in (*line.fast, *line.slow):
            if told.own.answer:
                yield Problem(f"{at}.messages.{told.name}.answer", told.own.answer, f"comes on the line of what "
                              f"{line.streams[0].own.device} sends by itself: nobody knows which is which",
                              "switch that off in the device, or ask for it")  # fmt: skip
        if len({told.answer.terminator for told in line.streams}) > 1:
            yield Problem(f"{at}.messages.{line.streams[1].name}.answer", line.streams[1].own.answer,
                          f"does not end as {at}.messages.{line.streams[0].name}.answer on the same line",
                          "end both in the same way")  # fmt: skip


def _watchdog(own: Described, at: str) -> Iterator[Problem]:
    """What makes the outputs safe when this program falls silent."""
    valve, takes = own.sent_in("valve"), own.sent_in(TIME_TO_LIVE)
    key = f"{at}.watchdog"
    resets, faults = own.sent_in("reset"), own.read_in("fault")
    if takes is not None:
        if takes.own.when != "arm":
            yield Problem(f"{at}.messages.{takes.name}.when", takes.own.when, "{time_to_live} is sent when the rig is "
                          "armed", 'set when = "arm"')  # fmt: skip
        if not any(TIME_TO_LIVE in told.answer.names for told in own.at("arm")):
            yield Problem(f"{at}.messages.{takes.name}.answer", takes.own.answer, "the device must confirm the time "
                          "that it keeps", "put {time_to_live} into its answer, or into that of another message with "
                          'when = "arm"')  # fmt: skip
        if valve is not None and takes.own.device != valve.own.device:
            yield Problem(f"{at}.messages.{takes.name}.device", takes.own.device, f"must be {valve.own.device}, which "
                          "has the valve", "for another device's watchdog set watchdog.separate")  # fmt: skip
    if resets is not None and faults is None:
        yield Problem(f"{at}.messages.{resets.name}.request", resets.own.request, "resets a fault, and no answer shows "
                      "one", "put {fault} into an answer")  # fmt: skip
    if any(own.sent_in(name) for name in OUTPUTS) and takes is None and own.watchdog.fixed_s is None:
        yield Problem(f"{key}.fixed_s", None, "is missing: the device must make its outputs safe when the host falls "
                      "silent", 'send {time_to_live} in a message with when = "arm"; or set watchdog.fixed_s, the '
                      "fixed time of its watchdog; or use a separate one: watchdog.separate")  # fmt: skip
    if own.watchdog.separate:
        yield from _separate(own, key, valve)


def _separate(own: Described, key: str, valve: Told | None) -> Iterator[Problem]:
    """Another device's watchdog is proved at arming: the amplifier itself must show that it was switched off."""
    heart, resets, faults = own.sent_in("heartbeat"), own.sent_in("reset"), own.read_in("fault")
    if own.watchdog.fixed_s is None:
        yield Problem(f"{key}.fixed_s", None, "is required of a separate watchdog", "give its time")
    if heart is None or (valve is not None and heart.own.device == valve.own.device):
        yield Problem(f"{key}.separate", True, "needs a {heartbeat} that is sent to the watchdog's own device",
                      "describe that device and a message with {heartbeat}")  # fmt: skip
    if faults is None or resets is None or (valve is not None and faults[0].own.device != valve.own.device):
        yield Problem(f"{key}.separate", True, "is proved at arming: the amplifier's own answer must show that it was "
                      "switched off, and a message must reset that", "put {fault} into an answer of the amplifier, and "
                      "describe the reset")  # fmt: skip


def _ages(own: Described, rig: RigFacts, at: str) -> Iterator[Problem]:
    """Readings that are older than what uses them allows, while nothing fails."""
    sensors, limits = rig.tables["sensors"], rig.tables["limits"]
    ages: dict[str, tuple[float, str]] = {}
    for name in SENSORS:
        place = own.read_in(name)
        if place is None or not getattr(sensors, name).present:
            continue
        age_s = oldest_s(own, place[0], rig.rate_hz)
        ages[name] = age_s, _why(own, place[0], rig.rate_hz)
        reading, sensor = getattr(own.reading, name), getattr(sensors, name)
        rule = ("limits.stale.max_s", limits.stale.max_s) if sensor.stale_s is None else (
            f"sensors.{name}.stale_s", sensor.stale_s)  # fmt: skip
        for key, allowed_s in ((f"{at}.reading.{name}.stale_s", reading.stale_s), rule):
            if age_s > allowed_s:
                yield Problem(key, allowed_s, f"{name} is up to {1e3 * age_s:.3g} ms old: {ages[name][1]}",
                              "raise it, or read more often")  # fmt: skip
    yield from _pressures(rig.tables["law"], {n: ages[n] for n in ("pressure_a", "pressure_b") if n in ages})


def _pressures(law: Any, ages: dict[str, tuple[float, str]]) -> Iterator[Problem]:
    three = law.three_state
    if law.feedback != "three_state" or three.kp_per_mpa == 0.0 or not ages:
        return
    name, (age_s, why) = max(ages.items(), key=lambda item: item[1][0])
    if age_s > three.pressure_age_s:
        needs = f"needs pressures that are at most pressure_age_s = {three.pressure_age_s:g} s old, and {name} is up to"
        yield Problem("law.three_state.kp_per_mpa", three.kp_per_mpa, f"{needs} {1e3 * age_s:.3g} ms old: {why}",
                      "read it in every tick on a faster line, or set kp_per_mpa = 0 and compute gains without it: "
                      "`hilctl tune`")  # fmt: skip


def _why(own: Described, told: Told, rate_hz: float) -> str:
    """What its age is made of."""
    if told.streams:
        return f"sent every {1e3 * told.own.period_s:.3g} ms; {sum_text(told)}"
    if own.waits(told):
        return sum_text(told)
    line = next(one for one in lines(own) if told in one.slow or told in one.fast)
    others = "; ".join(sum_text(one) for one in line.slow)
    return f"asked every {told.own.every} ticks of {1e3 / rate_hz:.3g} ms; {others}"
