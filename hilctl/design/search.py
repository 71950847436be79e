"""Gains with margins: pole placement for the start, then as much position gain as the corners of the machine allow.

The search is that of tuning.py with three more conditions at every corner of the machine's ranges, the table
sliding: gain margin, phase margin and modulus margin. The sensitivity also keeps its peak where friction falls with
speed, and in pre-sliding. Few corners decide: the search starts with the nominal machine and adds the corner at which
the gains so far are worst, until no corner fails.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from hilctl.design.known import SHARE, Known
from hilctl.design.loop import Plant, about_peaks, gains_of, is_stable, open_loop, rubbing, with_mode
from hilctl.design.margins import Margins, Wanted, margins_of, worst_of
from hilctl.design.predict import Prediction, frequencies, predict, transfer_of, with_gains
from hilctl.design.resting import SLIDING
from hilctl.design.tuning import INTEGRAL_HZ, Demand, tune
from hilctl.friction import Friction
from hilctl.law.settings import Controller
from hilctl.machine import Machine
from hilctl.params import BadValues, Problem
from hilctl.results.response import Complexes, Reals

INTEGRALS_HZ = (INTEGRAL_HZ, 2.0, 1.0)  # a slower integral if phase is short
ROUNDS = 5
LINES = 700  # frequencies of the search
CORNER_LINES = 400  # for each corner, when all are checked
ROOM = 0.02  # reserve in the search: gains are rounded, and it uses few frequencies
ENOUGH = 0.985  # of a wanted margin counts as met
NEAR = 1.1  # of a wanted margin: below it, more frequencies are added around each peak


class Design(NamedTuple):
    """Gains, as dotted keys of the rig file, and their predictions."""

    feedback: str
    values: dict[str, float]
    wanted: Wanted
    predicted: Prediction
    before: Prediction  # of the active gains
    decided: tuple[str, ...]  # corners that decided


def design(known: Known, friction: Friction, dt_s: float, feedback: str, wanted: Wanted | None = None,
           tell: Callable[[str], None] = lambda text: None) -> Design:  # fmt: skip
    """The gains. BadValues, with what limits them, if no gains have these margins."""
    wanted = wanted or Wanted()
    before = predict(known, friction, dt_s, feedback)
    if feedback == "pid":
        found = tune(known.controller, friction, dt_s, "pid")
        return Design("pid", found.values, wanted, predict(with_gains(known, found.values), friction, dt_s, "pid"),
                      before, ())  # fmt: skip
    limits = ""
    for integral_hz in INTEGRALS_HZ:
        tell(f"searching gains, integral {integral_hz:g} Hz")
        values, decided, limits = _held(known, friction, dt_s, wanted, integral_hz, before.corner)
        if not limits:
            made = predict(with_gains(known, values), friction, dt_s, feedback)
            return Design(feedback, values, wanted, made, before, decided)
    raise BadValues([Problem("law.three_state", "the best gains found", limits, _remedy(known, dt_s))])


def _held(known: Known, friction: Friction, dt_s: float, wanted: Wanted, integral_hz: float, worst_now: str) -> tuple[
    dict[str, float], tuple[str, ...], str
]:
    """Gains, the corners that decided, and in words the margin that is still missed."""
    corners = list(known.corners())
    chosen = corners[:1] + [corner for corner in corners[1:] if corner[0] == worst_now]
    values: dict[str, float] = {}
    worst = ""
    for _ in range(ROUNDS):
        demand = Demand(
            [plant for _, machine in chosen for plant in rubbing(machine, friction)],
            [_sliding(machine, friction) for _, machine in chosen], shortfall(wanted), 1 / wanted.modulus, integral_hz,
            values or None, np.geomspace(2.0, 0.97 * np.pi / dt_s, LINES),
        )  # fmt: skip
        try:
            values = tune(known.controller, friction, dt_s, "three_state", demand).values
        except BadValues as refused:
            return values, tuple(text for text, _ in chosen), refused.problems[0].limit
        worst, corner = _worst(with_gains(known, values), friction, dt_s, wanted, corners)
        if not worst or corner in chosen:
            break
        chosen.append(corner)
    return values, tuple(text for text, _ in chosen), worst


def shortfall(wanted: Wanted) -> Callable[[Complexes], float]:
    """How far loops are from the wanted gain and phase margins, as a logarithm; 0 where they meet them."""

    def short(loops: Complexes) -> float:
        gain_db, phase_deg = worst_of(loops)
        gain = (1 + ROOM) * wanted.gain_db - float(gain_db.min())
        phase = (1 + ROOM) * wanted.phase_deg - float(phase_deg.min())
        return max(gain, 0.0) / 8.7 + max(phase, 0.0) / 57.3

    return short


def _sliding(machine: Machine, friction: Friction) -> Plant:
    return Plant(machine, friction.params.viscous, 0.0)


def _worst(known: Known, friction: Friction, dt_s: float, wanted: Wanted, corners: list[tuple[str, Machine]]) -> tuple[
    str, Any
]:
    """The margin missed by most, in words, and its corner; empty where all are met."""
    w = frequencies(dt_s, CORNER_LINES)
    eased = Wanted(ENOUGH * wanted.gain_db, ENOUGH * wanted.phase_deg, ENOUGH * wanted.modulus)
    worst, at, least = "", corners[0], 1.0
    for corner in corners:
        for plant in rubbing(corner[1], friction):
            asked = eased if plant.where == SLIDING else Wanted(0.0, 0.0, eased.modulus)
            found = _kept(plant, known.controller, dt_s, w, asked)
            if found is None:
                return f"unstable ({_place(corner[0], plant)})", corner
            share = asked.share(found)
            if share < least:
                worst, at, least = f"{asked.short(found)} ({_place(corner[0], plant)})", corner, share
    return worst, at


def _kept(plant: Plant, controller: Controller, dt_s: float, w: Reals, asked: Wanted) -> Margins | None:
    """The margins on one plant, also at peaks between two frequencies; None if the loop is unstable."""
    gains = gains_of(controller, "three_state")
    loop = open_loop(plant, controller, dt_s, "three_state", with_mode(w, plant, dt_s))
    if not is_stable(loop, gains):
        return None
    found = margins_of(loop.w / (2 * np.pi), transfer_of(loop, gains))
    if asked.share(found) < NEAR and len(closer := about_peaks(loop, gains)):
        loop = open_loop(plant, controller, dt_s, "three_state", np.sort([*loop.w, *closer]))
        found = margins_of(loop.w / (2 * np.pi), transfer_of(loop, gains))
    return found


def _place(corner: str, plant: Plant) -> str:
    return f"{corner}, {plant.where}" if plant.where else corner


def _remedy(known: Known, dt_s: float) -> str:
    """The lags that cost most phase, and what to do."""
    controller, machine = known.controller, known.controller.machine
    late = max(controller.sensors.displacement.delay_s, controller.sensors.acceleration.delay_s)
    lags = {
        f"loop.rate_hz: {1.5e3 * dt_s:.3g} ms of hold and tick": 1.5 * dt_s,
        f"sensors.*.delay_s: {1e3 * late:.3g} ms": late,
        f"machine.wv: the valve's {2e3 * machine.zv / machine.wv:.3g} ms": 2 * machine.zv / machine.wv,
    }
    most = sorted(lags, key=lambda text: -lags[text])
    open_ended = f"; identify {' and '.join(known.assumed)}, now assumed {SHARE:.0%} off" if known.assumed else ""
    return f"most phase is lost to {most[0]}, then {most[1]}{open_ended}; or ask for smaller margins"
