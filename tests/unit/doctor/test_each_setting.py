"""One wrong setting on a host that is fit: exactly its own finding turns, and says how to correct it."""

from typing import Any

import pytest

from hilctl.doctor.cache import Compiled
from hilctl.doctor.disk import Disk
from hilctl.doctor.ethtool import Coalescing
from hilctl.doctor.examine import examine, fit, worst_first
from hilctl.doctor.finding import Wish
from hilctl.doctor.late import Outcome
from hilctl.doctor.wake import Lateness
from tests.unit.doctor.host import ALL, CPU, DISK, FIT, QUIET, SEEN, TIMER, VERSIONS, WISH, fill

CLOCK = "sys/devices/system/clocksource/clocksource0"


def tree(**changes: str | None) -> dict[str, Any]:
    return {"tree": changes}


def busy(lateness: Lateness) -> dict[str, Any]:
    return {"waking": QUIET._replace(busy=lateness)}


WRONG: list[tuple[str, str, dict[str, Any]]] = [
    ("priority", "bad", {"rights": ALL._replace(fifo=False, priority_limit=0)}),
    ("memory", "bad", {"rights": ALL._replace(locked=False, memory_limit=65536)}),
    ("sleep", "better", {"rights": ALL._replace(awake=False)}),
    ("late ticks", "better", busy(Lateness(999, 5, 20, 1500, (), Outcome(1000, 1, 1, 2400.0, 0)))),
    ("late ticks", "bad", busy(Lateness(900, 5, 20, 60e3, (), Outcome(1000, 60, 60, 61e3, 0, "the loop, 60 late")))),
    ("late ticks", "bad", busy(Lateness(999, 5, 20, 900, (), Outcome(1000, 0, 0, 1900.0, 11)))),
    ("wake-up", "bad", busy(Lateness(1000, 5, 101, 900, (), Outcome(1000, 0, 0, 1900.0, 0)))),
    ("virtual machine", "bad", tree(**{"proc/cpuinfo": "flags : fpu hypervisor"})),
    ("processors", "bad", tree(**{f"{CPU}/online": "0-2"})),
    ("processors", "bad", {"rights": ALL._replace(placed=False)}),
    ("isolation", "better", tree(**{f"{CPU}/isolated": ""})),
    ("interrupts", "better", tree(**{"proc/irq/44/smp_affinity_list": "0-3"})),
    ("governor", "better", tree(**{f"{CPU}/cpu3/cpufreq/scaling_governor": "powersave"})),
    ("hyper-threading", "better", tree(**{f"{CPU}/smt/active": "1"})),
    ("preemption", "better", tree(**{"sys/kernel/realtime": None, "proc/version": "Linux 6.1.0 #1 SMP Debian"})),
    ("throttling", "better", tree(**{"proc/sys/kernel/sched_rt_runtime_us": "-1"})),
    ("throttling", "bad", tree(**{"proc/sys/kernel/sched_rt_runtime_us": "100000"})),
    ("clock", "better", tree(**{f"{CLOCK}/current_clocksource": "hpet"})),
    ("huge pages", "better", tree(**{"sys/kernel/mm/transparent_hugepage/enabled": "[always] madvise never"})),
    ("swap", "better", tree(**{"proc/swaps": "Filename Type\n/dev/sda2 partition 8388604 0 -2"})),
    ("timer slack", "better", tree(**{"proc/self/timerslack_ns": "5000000"})),
    ("serial adapters", "better", tree(**{TIMER: "16"})),
    ("serial adapters", "unknown", tree(**{"dev/ttyUSB0": None})),
    ("network card", "better", {"coalescing": lambda card: Coalescing(125, 1, False)}),
    ("network card", "better", {"coalescing": lambda card: Coalescing(3, 1, True)}),
    ("network card", "bad", {"coalescing": lambda card: Coalescing(1000, 1, False)}),
    ("network card", "unknown", {"coalescing": lambda card: None}),
    ("disk", "better", {"disk": DISK._replace(flushes_s=(0.3,) * 8)}),
    ("disk", "bad", {"disk": DISK._replace(flushes_s=(0.6,) * 4)}),
    ("disk", "bad", {"disk": DISK._replace(flushes_s=(0.01, 21.0) + (0.01,) * 60)}),
    ("disk", "bad", {"disk": DISK._replace(flushes_s=(), problem="No space left on device")}),
    ("disk space", "better", {"disk": DISK._replace(free_bytes=2 * 10**9)}),
    ("disk space", "bad", {"disk": DISK._replace(free_bytes=99 * 10**6)}),
    ("versions", "bad", {"versions": VERSIONS._replace(python="3.10.9")}),
    ("versions", "bad", {"versions": VERSIONS._replace(packages={"numba": "0.66.0", "pymodbus": "4.0"})}),
    ("versions", "bad", {"versions": VERSIONS._replace(packages={"numba": "0.66.0", "pymodbus": None})}),
    ("versions", "better", {"versions": VERSIONS._replace(locked={"pymodbus": ("3.16.0",)})}),
    ("numba", "bad", {"versions": VERSIONS._replace(asked={}, locked={}, packages={"numba": "0.69.0"})}),
    ("libzmq", "bad", {"versions": VERSIONS._replace(libzmq="4.2.5")}),
    ("libzmq", "better", {"versions": VERSIONS._replace(curve=False)}),
    ("kernel", "better", tree(**{"proc/sys/kernel/osrelease": "5.10.0-28-amd64"})),
    ("compiled code", "better", {"compiled": Compiled("/cache", True, True, 7, ("rt_run",))}),
    ("compiled code", "better", {"compiled": Compiled("/cache", False, False, 7, ("rt_run",))}),
]  # fmt: skip


@pytest.mark.parametrize(("what", "verdict", "wrong"), WRONG, ids=[f"{k}-{w[0]}" for k, w in enumerate(WRONG)])
def test_exactly_the_finding_of_a_wrong_setting_turns_and_says_how_to_correct_it(what, verdict, wrong, tmp_path):
    files = wrong.pop("tree", {})
    findings = examine(fill(tmp_path, files), WISH, SEEN._replace(**wrong))
    turned = [one for one in findings if one.verdict != "good"]
    assert [(one.what, one.verdict) for one in turned] == [(what, verdict)]
    assert turned[0].wanted and turned[0].found
    assert turned[0].how or verdict == "unknown"
    assert fit(findings) == (verdict != "bad")
    assert worst_first(findings)[0] == turned[0]


def test_every_finding_of_a_host_is_turned_by_some_wrong_setting(tmp_path):
    names = {one.what for one in examine(fill(tmp_path), WISH, SEEN)}
    assert names == {what for what, _, _ in WRONG}


def test_every_file_of_the_stand_in_that_holds_a_setting_is_looked_at(tmp_path):
    """A file that no check reads would hide that its check is missing."""
    looked: set[str] = set()
    stand_in = fill(tmp_path)
    place = stand_in._place
    stand_in._place = lambda path: looked.add(path.lstrip("/")) or place(path)
    examine(stand_in, WISH, SEEN)
    unread = {name for name in FIT if name not in looked and not name.startswith("dev/")}
    other_cores = {f"{CPU}/cpu{k}/cpufreq/scaling_governor" for k in range(3)}
    assert unread <= other_cores | {f"{CLOCK}/available_clocksource"} | {"proc/version"}


def test_a_disk_that_cannot_be_written_names_its_owner_or_what_fills_it(tmp_path):
    from hilctl.doctor import disk

    denied = disk.speed(Disk("/srv/r", 10**12, (), "Permission denied"), Wish())
    assert denied.verdict == "bad" and "chown" in denied.how and "/srv/r" in denied.found
    full = disk.speed(Disk("/srv/r", 0, (), "No space left on device"), Wish())
    assert "remove old recordings" in full.how and "chown" not in full.how
