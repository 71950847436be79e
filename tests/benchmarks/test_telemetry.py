"""What telemetry takes of a processor, beside raw pyzmq that sends as many bytes in the same run; and what is lost.

The whole benchmark gives 1.7 to 3, by host: most where raw pyzmq is cheap and memory that was not touched for a while
is dear (`hilctl bench telemetry`). The bound is the same on each. Its quick form, which runs here, has a third of
its rounds and scatters more; what it finds too dear is measured again by the whole, and held to its bound.

A host that takes a processor away for a while says nothing of it to its guests, but a loop at 10 kHz on a processor of
its own misses ticks. So the whole is measured again while it does, and judged where it missed fewest: chosen by that
cause, never by the ratio. The bound is the same.
"""

import json

import pytest

from hilctl.bench import telemetry
from tests import waits

pytestmark = [pytest.mark.bench, pytest.mark.timeout(600)]

_QUICK, _WHOLE = 2.4, 2.0  # with a listener
_WITH_NONE = 2.5 / 1.8  # 2.5 % of a core where raw pyzmq took 1.8 %
_TRIES, _QUIET = 3, 0.002  # of the whole; share of the ticks that a loop misses on a quiet host


def test_telemetry_takes_little_more_than_twice_what_raw_pyzmq_takes_and_loses_nothing(told):
    result = told("telemetry")
    print(json.dumps(result))
    most = {"over_raw": _QUICK, "no_listener_over_raw": _WITH_NONE}
    dear = {name for name, bound in most.items() if result["ratio"][name] > bound}
    if dear:
        result, most = least_disturbed(), most | {"over_raw": _WHOLE}
        print(json.dumps(result))
    assert all(result["ratio"][name] <= most[name] for name in dear), result["ratio"]
    figures = result["figures"]
    assert 3 * figures["wakes_a_second"]["none"] <= figures["wakes_a_second"]["listener"]
    assert figures["lost"] == figures["lost_stalled"] == figures["rows_lost_by_loop"] == 0


def least_disturbed():
    """The whole benchmark, of some tries the one in which the loop missed fewest ticks."""
    tries = []
    while not tries or (len(tries) < _TRIES and missed(tries[-1]) > _QUIET):
        tries.append(telemetry.run(quick=False))
    if len(tries) > 1:
        shares = ", ".join(f"{missed(one):.1%}" for one in tries)
        waits.note(f"telemetry measured {len(tries)} times, while the loop missed {shares} of its ticks")
    return min(tries, key=missed)


def missed(result):
    """The share of ticks that the host did not leave to the loop."""
    figures = result["figures"]
    return figures["missed_ticks"] / (figures["missed_ticks"] + figures["rows"])
