"""What a flood of parameter sets does to the tick that takes them: whole sets, as many as a processor makes."""

import json
import statistics

import numpy as np
import pytest

from hilctl.rt.jit import PLAIN
from tests.system.core_parts import running, table

pytestmark = [pytest.mark.bench, pytest.mark.skipif(PLAIN, reason="nothing is compiled")]

_ROUNDS, _TICKS = 9, 500
_MOST = 2.0  # times a quiet tick's 99th percentile: some kilobytes are copied, twice


def p99_us(link, ticks, between):
    """Of the controller in so many ticks, while something else is done."""
    link.drain(1_000_000)
    begun = link.status.tick
    while link.status.tick < begun + ticks:
        between()
        link.beat()
    return float(np.percentile(1e-3 * link.drain(1_000_000)["law_ns"], 99))


def test_a_flood_of_parameter_sets_makes_no_tick_much_longer():
    with running() as link:
        record, put = table().settings(1), [0]

        def flood():
            put[0] += 1
            record.epoch = put[0]
            link.put_settings(record)

        p99_us(link, _TICKS, flood)  # loads what it needs
        rounds = [(p99_us(link, _TICKS, lambda: None), p99_us(link, _TICKS, flood)) for _ in range(_ROUNDS)]
        taken = link.status.epoch
    quiet, flooded = (statistics.median(side) for side in zip(*rounds, strict=True))
    print(json.dumps({"quiet_us": quiet, "flooded_us": flooded, "put": put[0]}))
    assert put[0] > 4 * _ROUNDS * _TICKS and taken > 0
    assert statistics.median(flooded / quiet for quiet, flooded in rounds) <= _MOST
