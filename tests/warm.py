"""Compiles what several benchmarks and tests run, each in a process of its own: `python -m tests.warm`.

Types are inferred once for whatever a process compiles. So the first of these functions takes twenty seconds and each
further one two; compiled apart, each takes twenty.
"""

import time
from collections.abc import Iterator
from typing import Any

from firmware_bridge.driver import rt_null_exchange
from firmware_bridge.emulate.arrivals import rt_date
from firmware_bridge.mixed.exchange import rt_mixed_exchange
from firmware_bridge.modbus.exchange import rt_modbus_exchange
from firmware_bridge.serial_frame.exchange import rt_serial_exchange
from firmware_bridge.serial_text.desk import rt_desk
from firmware_bridge.serial_text.exchange import rt_text_exchange
from hilctl.bench import closed, tick_blocks, tick_course, twin
from hilctl.cli.doctor_warm import needed
from hilctl.replay.tick import rt_replay
from hilctl.rt.jit import PLAIN, compile_now, is_warm
from sim.random import rt_seed
from sim.servo import rt_servo_exchange
from sim.specimens.record import Kind
from sim.twin import exchange_under
from tests.unit.law import conftest


def shared() -> Iterator[Any]:
    """Entry functions with a signature, which the cache keeps."""
    yield from needed(None)  # by a service; a test on the real clock else waits for it, or is disturbed by it
    yield from (rt_replay, rt_seed, rt_date)
    yield from (tick_course.rt_play, tick_blocks.rt_repeat, closed.rt_ticks, twin.rt_run, conftest._rt_ticks)
    yield from (rt_modbus_exchange, rt_text_exchange, rt_desk, rt_serial_exchange, rt_mixed_exchange)
    yield from (rt_null_exchange, rt_servo_exchange)
    yield from (exchange_under(model, Kind.NONE) for model in ("karnopp", "lugre"))


if __name__ == "__main__":
    begun_s = time.monotonic()
    missing = [] if PLAIN else [one for one in shared() if not is_warm(one)]
    for one in missing:
        compile_now(one)
    print(f"compiled: {len(missing)} functions in {time.monotonic() - begun_s:.0f} s")
