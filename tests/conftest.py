"""What all tests share: those on the real clock run last, so that nothing the others started is left beside them.

Of the others the files whose tests may take longest come first, so that no worker is left with one when the others have
ended. An example has no deadline: a test counts and compares, and never measures time. Of the slow cases of a long list
(`many`), HILCTL_SLOW_SHARE run, and at least one of each test: those marked `many(first=True)` before the others; of a
list that is marked `many(quick=3)` every third case is not slow. Of the other slow cases those run whose turn it is,
where HILCTL_SLOW_TURN says one: 2/12 is the third of twelve, that take about as long each. The summary says how much
processor time other machines on this host took, and which tests waited for a quieter moment. One on the real clock that
failed while this host stood still is run again when it no longer does, twice at most, and named there as well.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the command line does; numpy reads it when it is loaded
os.environ.setdefault("LANGUAGE", "C")  # argparse else looks for translations of each word of each verb, at each start

import faulthandler
import gc
import signal
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from hypothesis import settings

from hilctl.bench.host import Stolen, stolen
from tests import timings, waits
from tests.stalls import LONG_S, Watch
from tests.system import forked_service

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


_taken = pytest.StashKey[tuple[ExitStack, Stolen]]()
_watch = pytest.StashKey[Watch]()
_stderr = pytest.StashKey[int]()  # where a captured test does not write
_LISTED = timings.kept(timings.FILE.read_text(encoding="utf-8"))


def pytest_configure(config: pytest.Config) -> None:
    gc.disable()  # until all is collected, of which nothing becomes garbage
    stack = ExitStack()
    config.stash[_stderr] = os.dup(2)
    config.stash[_taken] = (stack, stack.enter_context(stolen()))
    # A shell without job control starts what it puts into the background deaf to Ctrl-C, and so would be every
    # program that the tests start and end by it.
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_unconfigure(config: pytest.Config) -> None:
    if _watch in config.stash:
        config.stash[_watch].end()


def pytest_itemcollected(item: pytest.Item) -> None:
    if (item.nodeid in _LISTED or _left_to_ci(item)) and not item.get_closest_marker("always"):
        item.add_marker("slow")


def _left_to_ci(item: pytest.Item) -> bool:
    """One case in so many is quick: of a grid of several parameters, some with each value of each."""
    quick = next((mark.kwargs["quick"] for mark in item.iter_markers("many") if "quick" in mark.kwargs), 1)
    return bool(sum(item.callspec.indices.values()) % quick) if quick > 1 else False


@pytest.hookimpl(trylast=True)  # of those that run
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    _thin_out(config, items, float(os.environ.get("HILCTL_SLOW_SHARE", "1")), os.environ.get("HILCTL_SLOW_TURN", "0/1"))
    _longest_files_first(items)
    items.sort(key=lambda item: item.get_closest_marker("realtime") is not None)
    on_the_real_clock = [item for item in items if item.get_closest_marker("realtime")]
    if on_the_real_clock and not config.option.collectonly and not _only_hands_out(config):
        config.stash[_watch] = Watch()
        again = pytest.mark.flaky(reruns=2, condition=lambda: _stood_still(config.stash[_watch]))
        for item in on_the_real_clock:
            item.add_marker(again)


def pytest_collection_finish() -> None:
    """What was collected, with all that it imported, is looked through once and never again."""
    gc.collect()  # by what it leaves, later ones are rarer
    gc.freeze()
    gc.enable()


def _only_hands_out(config: pytest.Config) -> bool:
    """The process that gives others their tests; it runs none."""
    return bool(config.getoption("dist", "no") != "no" and not hasattr(config, "workerinput"))


def _stood_still(watch: Watch) -> bool:
    stalled_s = watch.longest_s()
    if stalled_s > LONG_S:
        waits.note(f"failed while this host stood still for {1e3 * stalled_s:.0f} ms, and was run again")
        watch.wait_quiet()
    return stalled_s > LONG_S


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Compiled code hears no signal: a test that never leaves it ends with its process, later than if it ran thrice."""
    mark = item.get_closest_marker("timeout")
    allowed_s = mark.args[0] if mark else float(item.config.getini("timeout"))
    if allowed_s > 0:
        faulthandler.dump_traceback_later(4 * allowed_s, exit=True, file=item.config.stash[_stderr])
    try:
        return (yield)
    finally:
        faulthandler.cancel_dump_traceback_later()


def pytest_runtest_setup(item: pytest.Item) -> None:
    waits.enter(item)
    if _watch in item.config.stash:
        item.config.stash[_watch].begin()
    forked_service.choose(item)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    stack, taken = config.stash[_taken]
    stack.close()
    load = f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors"
    terminalreporter.write_line(f"host: {load}, {taken.share:.1%} of their time taken by the hypervisor")
    reports = [report for group in ("passed", "failed") for report in terminalreporter.stats.get(group, [])]
    for line in waits.lines(reports):
        terminalreporter.write_line(f"waited: {line}")
    for line in timings.look(report for report in reports if report.when == "call"):
        terminalreporter.write_line(line)
    for report in terminalreporter.stats.get("rerun", []):
        crash = getattr(report.longrepr, "reprcrash", None)
        why = crash.message.partition("\n")[0] if crash else str(report.longrepr).strip().rpartition("\n")[2]
        terminalreporter.write_line(f"run again: {report.nodeid}: {why}")


def _longest_files_first(items: list[pytest.Item]) -> None:
    """By what the tests of a file are allowed; then those that start processes."""
    allowed_s: dict[Path, float] = {}
    for item in items:
        mark = item.get_closest_marker("timeout")
        allowed_s[item.path] = max(allowed_s.get(item.path, 0.0), mark.args[0] if mark else 0.0)
    items.sort(key=lambda item: (-allowed_s[item.path], "system" not in item.path.parts))


def _thin_out(config: pytest.Config, items: list[pytest.Item], share: float, turn: str) -> None:
    """Leaves a share of each long list of slow cases, and of the other slow cases those whose turn it is."""
    now, of = map(int, turn.split("/"))
    turn_of = timings.turns(_LISTED, of)
    lists: dict[str, list[pytest.Item]] = {}
    left_out = set()
    for item in items:
        if not item.get_closest_marker("slow"):
            continue
        if share < 1 and item.get_closest_marker("many"):
            lists.setdefault(item.nodeid.partition("[")[0], []).append(item)
        elif turn_of.get(item.nodeid, timings.checksum(item.nodeid) % of) != now % of:
            left_out.add(item.nodeid)
    for cases in lists.values():
        cases.sort(key=_rank)
        left_out |= {item.nodeid for item in cases[max(1, round(share * len(cases))) :]}
    if left_out:
        config.hook.pytest_deselected(items=[item for item in items if item.nodeid in left_out])
        items[:] = [item for item in items if item.nodeid not in left_out]


def _rank(item: pytest.Item) -> tuple[bool, int]:
    """Those that say so come first."""
    first = any(mark.kwargs.get("first") for mark in item.iter_markers("many"))
    return not first, timings.checksum(item.nodeid)
