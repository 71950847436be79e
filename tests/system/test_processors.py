"""Where the threads of a running service may run: the loop's processor is the loop's."""

import os
from pathlib import Path

import pytest

from hilctl.client import private_service
from hilctl.loop.realtime import keep_off
from tests.system.service_parts import core_of

pytestmark = [pytest.mark.realtime, pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two processors")]


def threads_of(pid: int) -> dict[str, set[int]]:
    """The processors that each thread may use, by its number and name."""
    tasks = {task.name: (task / "comm").read_text().strip() for task in Path(f"/proc/{pid}/task").iterdir()}
    return {f"{number} {name}": os.sched_getaffinity(int(number)) for number, name in tasks.items()}


def test_service_and_core_keep_off_the_processor_that_the_rig_file_gives_the_loop():
    own = os.sched_getaffinity(0)
    cpu = max(own)
    with private_service("table-500", clock="real", changes={"loop.cpu": cpu}) as service:
        served, core = threads_of(service.pid), threads_of(core_of(service))
    assert served and set(map(frozenset, served.values())) == {frozenset(own - {cpu})}, served
    loops = [name for name, allowed in core.items() if allowed == {cpu}]
    assert len(loops) == 1 and loops[0].endswith("hilctl-loop"), core
    assert [name for name, allowed in core.items() if cpu in allowed] == loops, core


def test_without_a_processor_of_its_own_the_kernel_decides():
    own = os.sched_getaffinity(0)
    with private_service("table-500", clock="real") as service:
        assert set(map(frozenset, threads_of(service.pid).values())) == {frozenset(own)}


def test_who_has_no_other_processor_stays():
    own = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(own)})
    try:
        keep_off(min(own))
        assert os.sched_getaffinity(0) == {min(own)}
    finally:
        os.sched_setaffinity(0, own)
