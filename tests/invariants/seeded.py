"""The defects, as edits of the program: what stands there, and what stood there, or might.

Where two things protect, both are taken away.
"""

from typing import NamedTuple


class Edit(NamedTuple):
    """Some lines of a file, which stand there once, and what takes their place."""

    file: str
    good: str
    bad: str


_TICK, _CORE = "hilctl/law/tick.py", "hilctl/loop/core.py"
_OFF_ONLY = "hilctl/service/off_only.py"
_NO_ESCALATION = Edit("hilctl/law/escalation.py", "    s.held_s += step_s\n", "    if True:\n        return False\n")

DEFECTS: dict[str, tuple[Edit, ...]] = {
    # The supply comes back to a loop that has wound up meanwhile.
    "supply_lost_and_back": (
        _NO_ESCALATION,
        Edit(
            "hilctl/law/escalation.py",
            "return bool(s.guard.trip == 0 and acts)",
            "return True",
        ),
        Edit("hilctl/law/guards.py", "if e.beyond <= rule.opening:", "if True:"),
    ),
    # The same in a motion, where nobody measures the supply.
    "open_for_a_motion_that_does_not_come": (
        Edit("hilctl/law/guards.py", "if e.beyond <= rule.opening:", "if True:"),
    ),
    # A measured position is shifted, and the held table follows.
    "zero_while_held": (
        Edit(
            _OFF_ONLY,
            'SHIFTS = ("sensors.displacement.gain", "sensors.displacement.offset", "sensors.displacement.delay_s")',
            "SHIFTS = ()",
        ),
        Edit(_TICK, "new.offset, new.gain, new.delay_s = old.offset, old.gain, old.delay_s", "pass"),
    ),
    # Another device, or another wiring, behind the same plug.
    "signs_not_proved_again": (
        Edit(
            "hilctl/loop/lost.py", "    rt_arming_unknown(state.now.law.valve.null_bias, state.arm)  # who", "    # who"
        ),
    ),
    # Of the pressures only what the motion explains is looked at, and not its sign.
    "pressures_of_either_sign": (
        Edit(
            "hilctl/law/pressure_signs.py",
            "s.found[k] = -math.sqrt(wrong / whole) if wrong > right else math.sqrt(right / whole)",
            "s.found[k] = math.sqrt(max(wrong, right) / whole)",
        ),
    ),
    # A trip while holding leaves the loop closed.
    "no_escalation": (_NO_ESCALATION,),
    # Many short stalls.
    "no_bucket_of_late_ticks": (Edit(_CORE, "elif rt_full(loop.late, rule.share, dt_s):", "elif False:"),),
    # A limit that is accepted and not used.
    "late_ticks_of_the_start": (Edit(_CORE, "if late >= rule.ticks:", "if late >= 50:"),),
    # The null of an arming that failed.
    "false_null_kept": (Edit("hilctl/law/arming.py", "        a.null = a.kept\n", "        pass\n"),),
    # What protects is taken away from an armed rig.
    "protection_off_live": (
        Edit(_OFF_ONLY, "            found.append(Bound(key, was[key], now[key], why))\n", "            pass\n"),
    ),
    # A pressed emergency stop that the rig file is told not to have.
    "emergency_stop_taken_away": (Edit(_OFF_ONLY, "problem = _fault(s, name)", 'problem = ""'),),
    # Several of them, each before the motion is rejoined, and none of them long.
    "stalls_counted_one_by_one": (
        Edit(
            "hilctl/law/catch_up.py",
            "    s.rejoin.missed_s = stall_s = stall_s + before_s\n",
            "",
        ),
        Edit("hilctl/law/catch_up.py", "return float(off_s - 2.0 * dt_s)", "return 0.0"),
        Edit(_CORE, "elif rt_full(loop.late, rule.share, dt_s):", "elif False:"),
    ),
    # What leads back to a motion keeps the acceleration that its corner had when the stall ended.
    "rejoined_from_far_astray": (
        Edit(
            "hilctl/law/reference/rejoin.py",
            "U = max(least_s, 1.5 * abs(a) / max(most_m_s3, abs(j)))",
            "U = max(0.3, 1.5 * abs(a) / max(most_m_s3, abs(j)))",
        ),
    ),
    # After a stall the reference has gone on, and the command follows at once.
    "catching_up_at_once": (
        Edit(
            "hilctl/law/catch_up.py",
            '    """By as many ticks as have passed."""\n',
            "    _rt_advance(s, knots, min(s.periods, LENGTH))\n    if True:\n        return\n",
        ),
        Edit("hilctl/law/output.py", "step = slew_per_s * dt_s\n", "step = slew_per_s * dt_s * periods\n"),
    ),
}
