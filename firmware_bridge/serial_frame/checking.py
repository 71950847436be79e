"""Differences between a device and the rig file, each with its calculation."""

import math
from collections.abc import Iterator
from typing import Any

from firmware_bridge.driver import RigFacts
from firmware_bridge.serial_frame.frames import CHECK
from firmware_bridge.serial_frame.messages import ANSWERS, COMMANDS, HEAD, NARROW, SCALED, WIDE, Identity, Type
from hilctl.params import Problem
from hilctl.signals import INPUTS

BITS_A_BYTE = 10  # one start, eight data, one stop
AROUND = 1 + CHECK + 1  # COBS, check, delimiter
COMMAND_BYTES = HEAD.size + COMMANDS[Type.CYCLIC].size + AROUND
ANSWER_BYTES = HEAD.size + ANSWERS[Type.CYCLIC].size + AROUND
_COUNTS = (2**31,) * len(WIDE) + (2**15,) * len(NARROW)


def line_s(baud: int) -> float:
    """How long both frames of one exchange are on the line."""
    return (COMMAND_BYTES + ANSWER_BYTES) * BITS_A_BYTE / baud


def refusals(baud: int, rate_hz: float, share: float, at: str = "driver") -> Iterator[Problem]:
    """A rate that the line cannot carry in this share of a period."""
    takes_s = line_s(baud)
    most_hz = share / takes_s
    if rate_hz > most_hz:
        needed = math.ceil(baud * rate_hz / most_hz)
        yield Problem(
            "loop.rate_hz", rate_hz,
            f"{COMMAND_BYTES} + {ANSWER_BYTES} bytes of {BITS_A_BYTE} bits take {1e3 * takes_s:.3g} ms at {at}.baud = "
            f"{baud}, and {share:.0%} of a period must hold them: at most {most_hz:.4g} Hz, or {needed} Bd",
            f"lower loop.rate_hz, or raise {at}.baud",
        )  # fmt: skip


def problems(identity: Identity, rig: RigFacts, baud: int) -> Iterator[str]:
    """Everything in the rig file that this device cannot do."""
    if rig.virtual:
        yield "a device needs the real clock: do not run it with --clock virtual, or use --twin"
    yield from _rate(identity, rig, baud)
    yield from _time_to_live(identity, rig)
    yield from _ends(identity, rig)
    yield from _slew(identity, rig)
    yield from _sensors(identity, rig)


def _rate(identity: Identity, rig: RigFacts, baud: int) -> Iterator[str]:
    yield from (str(problem) for problem in refusals(baud, rig.rate_hz, rig.exchange_share))
    if rig.rate_hz > identity.tick_hz:
        yield f"loop.rate_hz = {rig.rate_hz:g}: the device ticks at {identity.tick_hz} Hz; lower the rate to that"


def _time_to_live(identity: Identity, rig: RigFacts) -> Iterator[str]:
    asked_s = rig.tables["loop"].time_to_live_s
    if not identity.shortest_us <= round(1e6 * asked_s) <= identity.longest_us:
        yield (
            f"loop.time_to_live_s = {asked_s:g}: the device accepts {1e-6 * identity.shortest_us:g} to "
            f"{1e-6 * identity.longest_us:g} s"
        )
    if asked_s * identity.tick_hz < 2:
        yield f"loop.time_to_live_s = {asked_s:g}: less than two of the device's ticks, {identity.tick_hz} a second"
    limits, stroke_m = rig.tables["limits"], rig.tables["machine"].stroke_m
    margin_m = stroke_m - max(abs(limits.position.min_m), abs(limits.position.max_m))
    fastest = limits.velocity.max_m_s
    if asked_s * fastest > margin_m * (1 + 1e-9):
        yield (
            f"loop.time_to_live_s = {asked_s:g}: at limits.velocity.max_m_s = {fastest:g} the table travels "
            f"{1e3 * asked_s * fastest:.3g} mm meanwhile, and the margin beyond limits.position is "
            f"{1e3 * margin_m:.3g} mm"
        )


def _ends(identity: Identity, rig: RigFacts) -> Iterator[str]:
    scale, stroke_m, position = identity.scales[0], rig.tables["machine"].stroke_m, rig.tables["limits"].position
    low_m, high_m = identity.end_low * scale, identity.end_high * scale
    if scale and not (-stroke_m <= low_m <= position.min_m and position.max_m <= high_m <= stroke_m):
        yield (
            f"the device's end stops at {low_m:g} and {high_m:g} m: must lie between limits.position "
            f"({position.min_m:g}, {position.max_m:g}) and the ends of the stroke of ±{stroke_m:g} m; set up the board"
        )


def _slew(identity: Identity, rig: RigFacts) -> Iterator[str]:
    machine, stopping = rig.tables["machine"], rig.tables["limits"].stopping
    most_per_s = stopping.deceleration_m_s2 * machine.A / machine.Qn
    slew_per_s = 1e-3 * identity.slew_milli
    if not 0 < slew_per_s <= most_per_s:
        yield (
            f"the device ramps to null at {slew_per_s:g} openings a second: must be above 0 and at most "
            f"{most_per_s:.4g}, limits.stopping.deceleration_m_s2 · A / Qn; set up the board, or raise that limit"
        )


def _sensors(identity: Identity, rig: RigFacts) -> Iterator[str]:
    for name, scale, counts in zip(SCALED, identity.scales, _COUNTS, strict=True):
        sensor = getattr(rig.tables["sensors"], name)
        if not sensor.present:
            continue
        if scale == 0:
            yield f"sensors.{name}: the device has none; set present = false, or set up the board"
            continue
        reach, wanted = counts * scale, max(abs(sensor.low), abs(sensor.high)) / sensor.gain + abs(sensor.offset)
        if reach < wanted:
            yield (
                f"sensors.{name}: the device's counts end at ±{reach:g}, the range in the rig file at ±{wanted:g}; "
                "narrow low and high, or change the board's scale"
            )
    for k, name in enumerate(INPUTS):
        if getattr(rig.tables["sensors"], name).present and not identity.inputs >> k & 1:
            yield f"sensors.{name}: the device has no such input; set present = false, or set up the board"


def implausible(values: Any, rig: RigFacts) -> Iterator[str]:
    """Readings of a rig at rest outside their ranges in the rig file."""
    for name, value in zip(SCALED, values, strict=False):
        sensor = getattr(rig.tables["sensors"], name)
        shown = sensor.gain * (value - sensor.offset)
        if sensor.present and not sensor.low <= shown <= sensor.high:
            yield (
                f"sensors.{name}: reads {shown:g}, outside {sensor.low:g} to {sensor.high:g}; check the sensor, its "
                "wiring, and the board's scale"
            )
