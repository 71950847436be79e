"""The exchange of a mixed rig: its parts' exchanges, one after another, the one with the valve first.

Every part is called by its address, so that this is compiled once for whatever drivers there are. The status is that
of the part with the valve, or of one with displacement or acceleration: their last values are no readings of this tick.
Another part that fails shows in the ages of what it gives; only while nothing is enabled is its failure the rig's, so
that nobody arms a rig that is not whole, and a lost part can be reached again. Outputs that another master overwrote
are the rig's matter on every part.
"""

from typing import Any

from firmware_bridge.driver import exchange_signature
from firmware_bridge.mixed.state import COUNT, STATE
from hilctl.rt.calls import bytes_at, call_at
from hilctl.rt.jit import jit
from hilctl.rt.libc import monotonic_ns
from hilctl.rt.records import as_record, words_of
from hilctl.signals import SENSORS, Status

OK, LATE, CLOSED, STATUSES = Status.OK.value, Status.LATE.value, Status.CLOSED.value, len(Status)
OVERWRITTEN = Status.OVERWRITTEN.value
DISPLACEMENT, ACCELERATION = SENSORS.index("displacement"), SENSORS.index("acceleration")
VALVE, ENABLE, SUPPLY = 0, 1, 2  # of OUTPUTS


@jit(exchange_signature, cached=True)
def rt_mixed_exchange(state: Any, command: Any, readings: Any) -> int:
    """Every part hears its share of the command and gives its share of the readings."""
    own = as_record(state, STATE)
    outcome, others, motion, overwritten, waiting = CLOSED, OK, OK, False, own.waiting
    for p in range(own.parts):
        part = own.part[p]
        rt_tell_part(part, command)
        if part.waits != 0:
            part.command.deadline_ns = rt_share(command.deadline_ns, waiting)
            waiting -= 1
        memory = bytes_at(part.memory_at, part.memory_bytes)
        status = int(call_at(part.exchange_at, memory, part.command, part.readings))
        rt_count_part(part, status, command.periods)
        rt_merge(own, part, readings)
        if p == 0:
            outcome = status
            readings.device_tick, readings.lost = part.readings.device_tick, part.readings.lost
        elif status == OVERWRITTEN:
            overwritten = True
        elif others == OK and status != LATE:
            others = status
        if (part.gives[DISPLACEMENT] != 0 or part.gives[ACCELERATION] != 0) and motion == OK and status != OVERWRITTEN:
            motion = status
    if outcome == OK:
        outcome = motion
    if outcome == OK and command.enable == 0 and others != OK:
        return others
    return OVERWRITTEN if outcome == OK and overwritten else outcome


@jit()
def rt_tell_part(part: Any, command: Any) -> None:
    """What this part hears: outputs that it does not take are off."""
    part.command.valve = command.valve if part.takes[VALVE] != 0 else 0.0
    part.command.enable = command.enable if part.takes[ENABLE] != 0 else 0
    part.command.supply = command.supply if part.takes[SUPPLY] != 0 else 0
    part.command.tick, part.command.periods = command.tick, command.periods
    part.command.deadline_ns = command.deadline_ns


@jit()
def rt_share(deadline_ns: int, waiting: int) -> int:
    """Until when the next of so many may wait: what one needs less than its share is there for those after it."""
    if waiting <= 1:
        return deadline_ns
    now_ns = monotonic_ns()
    return now_ns + (deadline_ns - now_ns) // waiting


@jit()
def rt_count_part(part: Any, status: int, periods: int) -> None:
    """How it went, and for how long nothing good has come."""
    part.outcomes[status if 0 <= status < STATUSES else CLOSED] += 1
    part.unheard = 0 if status in (OK, LATE, OVERWRITTEN) else part.unheard + periods


@jit()
def rt_merge(own: Any, part: Any, readings: Any) -> None:
    """The readings that this part gives, each at least as old as the last good exchange."""
    words, given = words_of(readings), words_of(part.readings)
    silent_ns = part.unheard * own.period_ns
    for k in range(COUNT):
        if part.gives[k] != 0:
            words[k] = given[k]
            readings.age_ns[k] = max(part.readings.age_ns[k], silent_ns)
