"""The tick against the same tick in C, and what each of its blocks costs.

A controller on the twin tracks a triangle; its readings are kept, and both run the same ticks from the same state:
command, readings, estimate, guards, reference, three-variable control, valve stage, sample. They are timed in
alternating rounds; the ratio is the median of the rounds' ratios. Their samples must agree; over a longer course, with
arming, blends, stops and every kind of motion, tests hold that they do.
"""

import statistics
import tempfile
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from firmware_bridge.driver import COMMAND
from hilctl.bench import tick_course
from hilctl.bench.host import host
from hilctl.bench.tick_blocks import BLOCKS, rt_repeat
from hilctl.bench.tick_course import ROWS, Course, Stretch, rt_play
from hilctl.bench.tick_yardstick import Yardstick
from hilctl.errors import HilctlError
from hilctl.law.guards import GUARD
from hilctl.law.state import STATE
from hilctl.signals import NAMES, SAMPLE

PERIOD_NS = 100_000.0  # 10 kHz
_TICKS = 1000  # of a round: more than a period of the triangle, and short enough that few rounds are interrupted
AGREE = 1e-9  # of a channel's range: rounding that a closed loop's filters carry on


class _Player:
    """Runs a stretch from its beginning, in either language; the samples stay in a ring."""

    def __init__(self, course: Course, yardstick: Yardstick) -> None:
        self.bank, self.yardstick = course.bank, yardstick
        self.state, self.command = np.zeros(1, STATE), np.zeros(1, COMMAND)[0]
        self.samples = np.zeros(ROWS, SAMPLE)

    def ours(self, stretch: Stretch) -> float:
        """Seconds."""
        self.state[:] = stretch.state
        begin = time.perf_counter()
        rt_play(self.state, self.command, stretch.readings, stretch.turns, self.samples, self.bank)
        return time.perf_counter() - begin

    def in_c(self, stretch: Stretch) -> float:
        """Seconds."""
        self.state[:] = stretch.state
        begin = time.perf_counter()
        self.yardstick.play(self.state, self.command, stretch.readings, stretch.turns, self.samples, self.bank)
        return time.perf_counter() - begin


def _rows(play: Callable[[Stretch], float], player: _Player, stretch: Stretch) -> Any:
    """The samples of a stretch, all of them, as words."""
    out = []
    for at in range(0, len(stretch.readings), ROWS):
        part = stretch.part(at, at + ROWS)
        play(part)
        out.append(player.samples[: len(part.readings)].copy())
        stretch = stretch._replace(state=player.state.copy())
    return np.concatenate(out)


def _cause(player: _Player) -> list[float]:
    """What is latched."""
    guard = player.state[0].guard
    return [float(guard[name]) for name in GUARD.names or () if name.startswith("trip")]


def difference(course: Course, yardstick: Yardstick) -> tuple[float, str, int]:
    """The greatest difference of any channel from C's, relative to the channel's range; which; over how many ticks.

    Codes and counters must be equal, and what is latched. Each stretch begins from our state, and is played to its end.
    """
    player = _Player(course, yardstick)
    worst, where, ticks = 0.0, "", 0
    for stretch in course.stretches:
        ours, cause = _rows(player.ours, player, stretch), _cause(player)
        theirs, cause_in_c = _rows(player.in_c, player, stretch), _cause(player)
        ticks += len(ours)
        if not np.allclose(cause, cause_in_c, rtol=AGREE, atol=0.0):
            worst, where = np.inf, f"what tripped in {stretch.name}: {cause_in_c} instead of {cause}"
        for name in NAMES:
            a, b = ours[name], theirs[name]
            if a.dtype.kind == "i":
                off = 0.0 if np.array_equal(a, b) else np.inf
            elif not np.array_equal(np.isnan(a), np.isnan(b)):
                off = np.inf
            else:
                off = float(np.nanmax(np.abs(a - b), initial=0.0) / max(np.nanmax(np.abs(a), initial=0.0), 1e-30))
            if off > worst:
                worst, where = off, f"{name} in {stretch.name}"
    return worst, where, ticks


def _blocks(course: Course, stretch: Stretch, rounds: int) -> dict[str, float]:
    """ns of each block, on a few states in the middle of the stretch, what the loop around it costs taken off."""
    player_state, command = stretch.state.copy(), np.zeros(1, COMMAND)[0]
    states = np.zeros(8, STATE)
    samples = np.zeros(ROWS, SAMPLE)
    each = len(stretch.readings) // len(states)
    for k in range(len(states)):
        part = stretch.part(k * each, (k + 1) * each)
        rt_play(player_state, command, part.readings, part.turns, samples, course.bank)
        states[k] = player_state[0]

    def once(block: int) -> float:
        work = states.copy()
        begin = time.perf_counter()
        rt_repeat(block, work, command, stretch.readings, samples, course.bank, _TICKS)
        return (time.perf_counter() - begin) / _TICKS * 1e9

    once(0)
    seen = [[once(block) for block in range(len(BLOCKS) + 1)] for _ in range(rounds)]
    return {name: max(0.0, statistics.median(row[k + 1] - row[0] for row in seen)) for k, name in enumerate(BLOCKS)}


def _pair(player: _Player, stretch: Stretch, *, ours_first: bool) -> tuple[float, float]:
    """Ours and C's, one after the other; in turn one of them finds the readings cold."""
    if ours_first:
        return player.ours(stretch), player.in_c(stretch)
    theirs = player.in_c(stretch)
    return player.ours(stretch), theirs


def run(quick: bool) -> dict[str, Any]:
    """Figures and the ratio to C."""
    rounds = 201 if quick else 2001
    course = Course()
    tick_course.arm(course)
    course.track("triangle", speed_m_s=0.1, amplitude_m=0.02)
    course.run("lead", 1000)
    stretch = course.run("triangle", _TICKS)
    with tempfile.TemporaryDirectory() as folder:
        yardstick = Yardstick(folder)
        off, where, compared = difference(course, yardstick)
        if not off < AGREE:
            raise HilctlError(f"tick.c: {where} differs from ours by {off:.2g} of its range")
        player = _Player(course, yardstick)
        pairs = [_pair(player, stretch, ours_first=k % 2 == 0) for k in range(rounds)]
    blocks = _blocks(course, stretch, rounds // 4)
    ours_ns = statistics.median(p[0] for p in pairs) / _TICKS * 1e9
    return {
        "bench": "tick",
        "figures": {
            "tick_ns": ours_ns,
            "c_tick_ns": statistics.median(p[1] for p in pairs) / _TICKS * 1e9,
            "share_of_period_10khz": ours_ns / PERIOD_NS,
            "blocks_ns": blocks,
            "difference_from_c": off,
            "ticks_compared": compared,
        },
        "ratio": {"tick_vs_c": statistics.median(ours / theirs for ours, theirs in pairs)},
        "host": host(),
    }
