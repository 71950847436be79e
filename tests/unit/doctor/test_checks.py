"""Every property of a host, as Linux tells it in /proc and /sys, is judged as it should be."""

from pathlib import Path
from typing import Any

import pytest

from hilctl.doctor import kernel, machine, rights
from hilctl.doctor.examine import examine, fit
from hilctl.doctor.finding import Finding, Tree, Wish, listed, processors
from hilctl.doctor.wake import Lateness, Waking, judged, lateness
from tests.unit.doctor.host import ALL, CPU, SEEN, WISH, fill


@pytest.fixture
def tree(tmp_path: Path) -> Any:
    """Makes a tree: the fit host's files, with changes; None takes a file away."""

    def make(changes: dict[str, str | None]) -> Tree:
        return fill(tmp_path, changes)

    return make


def test_a_host_that_is_set_up_as_the_documents_say_is_fit_and_needs_nothing(tree: Any) -> None:
    findings = examine(tree({}), WISH, SEEN)
    assert [f for f in findings if f.verdict != "good"] == []
    assert fit(findings)
    assert len({f.what for f in findings}) == len(findings)


def test_a_kernel_that_tells_nothing_makes_no_host_unfit(tmp_path: Path) -> None:
    findings = examine(Tree(tmp_path), Wish(), SEEN)
    assert fit(findings)
    assert {f.verdict for f in findings} == {"good", "better", "unknown"}


@pytest.mark.parametrize(
    ("check", "changes", "verdict", "found", "how"),
    [
        (kernel.preemption, {"sys/kernel/realtime": None}, "good", "PREEMPT_RT", ""),
        (kernel.preemption, {"sys/kernel/realtime": None, "proc/version": "#1 SMP PREEMPT_DYNAMIC x",
                             "sys/kernel/debug/sched/preempt": "none (voluntary) full"},
         "better", "voluntary", "preempt=full"),
        (kernel.preemption, {"sys/kernel/realtime": None, "proc/version": "#1 SMP PREEMPT_DYNAMIC x",
                             "proc/cmdline": "quiet preempt=full"}, "better", "full", "linux-image-rt"),
        (kernel.preemption, {"sys/kernel/realtime": None, "proc/version": "#1 SMP PREEMPT x"}, "better", "PREEMPT", ""),
        (kernel.preemption, {"sys/kernel/realtime": None, "proc/version": "#1 SMP Debian"}, "better", "none", ""),
        (kernel.throttling, {"proc/sys/kernel/sched_rt_runtime_us": "-1"}, "better", "no limit", "950000"),
        (kernel.throttling, {"proc/sys/kernel/sched_rt_runtime_us": "700000"}, "better", "70 %", "950000"),
        (kernel.throttling, {"proc/sys/kernel/sched_rt_runtime_us": "0"}, "bad", "0 %", "950000"),
        (kernel.throttling, {"proc/sys/kernel/sched_rt_runtime_us": "rubbish"}, "unknown", "not reported", ""),
        (kernel.huge_pages, {"sys/kernel/mm/transparent_hugepage/enabled": "[always] madvise never"},
         "better", "always", "madvise"),
        (kernel.huge_pages, {"sys/kernel/mm/transparent_hugepage/enabled": "always madvise [never]"},
         "good", "never", ""),
        (kernel.clock, {"sys/devices/system/clocksource/clocksource0/current_clocksource": "hpet"},
         "better", "hpet", "echo tsc"),
        (kernel.clock, {"sys/devices/system/clocksource/clocksource0/current_clocksource": "hpet",
                        "sys/devices/system/clocksource/clocksource0/available_clocksource": "hpet acpi_pm"},
         "better", "hpet", "dmesg"),
        (kernel.clock, {"sys/devices/system/clocksource/clocksource0/current_clocksource": "jiffies"},
         "bad", "jiffies", ""),
        (kernel.swap, {"proc/swaps": "Filename Type\n/dev/sda2 partition 8388604 0 -2\n/swap file 1 0 -3"},
         "better", "/dev/sda2, /swap", "swapoff"),
        (kernel.timer_slack, {"proc/self/timerslack_ns": "5000000"}, "better", "5000 µs", "TimerSlackNSec"),
        (machine.count, {f"{CPU}/online": "0-2"}, "bad", "no processor 3", "loop.cpu"),
        (machine.isolation, {f"{CPU}/isolated": ""}, "better", "none", "isolcpus=managed_irq,domain,3"),
        (machine.isolation, {f"{CPU}/isolated": "1-2"}, "better", "1-2, but loop.cpu is 3", "isolcpus"),
        (machine.governor, {f"{CPU}/cpu3/cpufreq/scaling_governor": "powersave"}, "better", "powersave", "cpupower"),
        (machine.governor, {f"{CPU}/cpu0/cpufreq/scaling_governor": "powersave"}, "good", "performance", ""),
        (machine.threads, {f"{CPU}/smt/active": "1"}, "better", "on", "smt/control"),
        (machine.virtual_machine, {"proc/cpuinfo": "flags : fpu hypervisor"}, "bad", "not say its name", "machine"),
        (machine.virtual_machine, {"proc/cpuinfo": "flags : fpu hypervisor", "sys/class/dmi/id/sys_vendor": "QEMU"},
         "bad", "QEMU", ""),
        (machine.virtual_machine, {"proc/cpuinfo": "Features : fp asimd",
                                   "sys/class/dmi/id/product_name": "KVM Virtual Machine"}, "bad", "KVM", ""),
        (machine.virtual_machine, {"sys/class/dmi/id/sys_vendor": "Amazon EC2"}, "good", "none", ""),  # its own metal
        (machine.virtual_machine, {"sys/hypervisor/type": "xen"}, "bad", "xen", ""),
        (machine.virtual_machine, {"proc/device-tree/hypervisor/compatible": "linux,kvm"}, "bad", "hypervisor", ""),
    ],
)  # fmt: skip
def test_what_is_not_as_it_should_be_is_found_with_its_remedy(
    tree: Any, check: Any, changes: dict[str, str | None], verdict: str, found: str, how: str
) -> None:
    seen: Finding = check(tree(changes), WISH)
    assert seen.verdict == verdict
    assert found in seen.found
    assert how in seen.how
    if verdict in ("better", "bad"):
        assert seen.how and seen.wanted


def test_without_a_processor_of_its_own_the_rig_file_is_told_which_to_name(tree: Any) -> None:
    anywhere = Wish(cpu=-1)
    assert "loop.cpu = 3" in machine.isolation(tree({}), anywhere).how
    assert machine.governor(tree({f"{CPU}/cpu1/cpufreq/scaling_governor": "schedutil"}), anywhere).verdict == "better"
    assert machine.count(tree({f"{CPU}/online": "0"}), anywhere).verdict == "better"


def test_deep_sleep_matters_where_the_loop_may_not_forbid_it(tree: Any) -> None:
    assert machine.sleep_states(tree({}), WISH, held_awake=True).verdict == "good"
    forbidden = machine.sleep_states(tree({}), WISH, held_awake=False)
    assert (forbidden.verdict, "890" in forbidden.found, "udev" in forbidden.how) == ("better", True, True)
    shallow = tree({f"{CPU}/cpu0/cpuidle/state1/latency": "10"})
    assert machine.sleep_states(shallow, WISH, held_awake=False).verdict == "good"


@pytest.mark.parametrize(
    ("limit", "found", "how"), [(0, "RLIMIT_RTPRIO is 0", "limits/hilctl.conf"), (95, "is 95", "SYS_NICE")]
)
def test_no_right_to_real_time_makes_a_host_unfit_and_says_whose_doing_it_is(limit: int, found: str, how: str) -> None:
    seen = rights.priority(ALL._replace(fifo=False, priority_limit=limit), WISH)
    assert seen.verdict == "bad"
    assert found in seen.found
    assert how in seen.how


def test_a_rig_that_asks_for_no_priority_is_told_to() -> None:
    assert rights.priority(ALL, Wish(priority=0)).verdict == "bad"


def test_memory_that_may_not_be_locked_makes_a_host_unfit() -> None:
    seen = rights.memory(ALL._replace(locked=False, memory_limit=8 << 20), WISH)
    assert seen.verdict == "bad"
    assert "8192 KiB" in seen.found


@pytest.mark.parametrize(
    ("idle", "busy", "rate_hz", "verdict"),
    [
        ((5, 99, 900), (5, 99, 900), 1000.0, "good"),
        ((5, 101, 900), (5, 20, 90), 1000.0, "bad"),
        ((5, 20, 90), (5, 101, 1000), 1000.0, "bad"),
        ((5, 20, 60), (5, 20, 60), 10_000.0, "bad"),
    ],
)
def test_waking_is_judged_by_the_period(idle: Any, busy: Any, rate_hz: float, verdict: str) -> None:
    waking = Waking(Lateness(1000, *idle), Lateness(1000, *busy))
    assert judged(waking, Wish(rate_hz=rate_hz)).verdict == verdict


def test_quantiles_are_of_what_was_seen() -> None:
    assert lateness([1000 * k for k in range(1, 101)], WISH)[:4] == (100, 51.0, 100.0, 100.0)
    assert lateness([7000], WISH)[:4] == (1, 7.0, 7.0, 7.0)


@pytest.mark.parametrize(
    ("text", "found"), [("0-2,5", {0, 1, 2, 5}), ("7", {7}), ("", set()), ("\n", set()), ("0,2-3", {0, 2, 3})]
)
def test_the_kernels_lists_of_processors_are_read(text: str, found: set[int]) -> None:
    assert processors(text) == found


@pytest.mark.parametrize(("cpus", "text"), [({0, 1, 2, 5}, "0-2,5"), ({7}, "7"), (set(), "none"), ({3, 1}, "1,3")])
def test_processors_are_listed_as_the_kernel_lists_them(cpus: set[int], text: str) -> None:
    assert listed(cpus) == text
