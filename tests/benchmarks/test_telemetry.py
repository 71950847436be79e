"""What telemetry takes of a processor, beside raw pyzmq that sends as many bytes in the same run; and what is lost.

The whole benchmark gives 1.7 to 2, by host (`hilctl bench telemetry`). Its quick form, which runs here, has a third of
its rounds and scatters more; what it finds too dear is measured again by the whole, and held to its bound.
"""

import json

import pytest

from hilctl.bench import telemetry

pytestmark = [pytest.mark.bench, pytest.mark.timeout(600)]

_QUICK, _WHOLE = 2.4, 2.0  # with a listener
_WITH_NONE = 2.5 / 1.8  # 2.5 % of a core where raw pyzmq took 1.8 %


def test_telemetry_takes_little_more_than_twice_what_raw_pyzmq_takes_and_loses_nothing(told):
    result = told("telemetry")
    print(json.dumps(result))
    most = {"over_raw": _QUICK, "no_listener_over_raw": _WITH_NONE}
    dear = {name for name, bound in most.items() if result["ratio"][name] > bound}
    if dear:
        result, most = telemetry.run(quick=False), most | {"over_raw": _WHOLE}
        print(json.dumps(result))
    assert all(result["ratio"][name] <= most[name] for name in dear), result["ratio"]
    figures = result["figures"]
    assert figures["lost"] == figures["lost_stalled"] == figures["rows_lost_by_loop"] == 0
