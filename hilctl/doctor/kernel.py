"""How the kernel is built and set."""

from hilctl.doctor.finding import Finding, Tree, Wish, Write

_PV_CLOCKS = ("kvm-clock", "hyperv_clocksource_tsc_page", "xen")
_OWN_CLOCKS = ("tsc", "arch_sys_counter", "timebase", "riscv_clocksource")


def preemption(tree: Tree, wish: Wish) -> Finding:
    """How soon the kernel lets go of what it does for others."""
    wanted = "PREEMPT_RT"
    how = "install the distribution's real-time kernel (Debian: linux-image-rt-amd64)"
    version = tree.text("/proc/version") or ""
    if tree.text("/sys/kernel/realtime") == "1" or "PREEMPT_RT" in version:
        return Finding("preemption", "good", "PREEMPT_RT", wanted)
    if "PREEMPT_DYNAMIC" in version:
        mode = tree.chosen("/sys/kernel/debug/sched/preempt", "()") or _of_command_line(tree, "preempt")
        found = f"PREEMPT_DYNAMIC, {mode or 'in a mode that it does not report'}"
        if mode != "full":
            how += "; or at least preempt=full on the kernel's command line"
        return Finding("preemption", "better", found, wanted, how)
    if "PREEMPT" in version:
        return Finding("preemption", "better", "PREEMPT", wanted, how)
    if version:
        return Finding("preemption", "better", "none", wanted, how)
    return Finding("preemption", "unknown", "/proc/version does not say", wanted, how)


def _of_command_line(tree: Tree, key: str) -> str:
    words = (tree.text("/proc/cmdline") or "").split()
    return next((word.partition("=")[2] for word in reversed(words) if word.startswith(f"{key}=")), "")


def throttling(tree: Tree, wish: Wish) -> Finding:
    """What share of a processor real-time threads may take before the kernel stops them."""
    wanted = "95 % of each second, the kernel's own default"
    how = "sysctl kernel.sched_rt_runtime_us=950000 kernel.sched_rt_period_us=1000000"
    share_us = tree.number("/proc/sys/kernel/sched_rt_runtime_us")
    period_us = tree.number("/proc/sys/kernel/sched_rt_period_us")
    if share_us is None or not period_us:
        return Finding("throttling", "unknown", "not reported by this kernel", wanted)
    if share_us < 0:
        found = "no limit: a loop that never sleeps takes its processor for good"
        return Finding("throttling", "better", found, wanted, how)
    share = share_us / period_us
    found = f"{100 * share:.0f} % of each {period_us / 1e6:g} s"
    if share >= 0.9:
        return Finding("throttling", "good", found, wanted)
    # Above half a period nothing is ever spun, and a tick takes a few percent.
    return Finding("throttling", "bad" if share < 0.5 else "better", found, wanted, how)


def huge_pages(tree: Tree, wish: Wish) -> Finding:
    """Whether the kernel moves memory about to make large pages of small ones."""
    set_to = Write("/sys/kernel/mm/transparent_hugepage/enabled", "madvise")
    found, wanted = tree.active(set_to.path), "madvise or never: what is being moved keeps its user waiting"
    if found is None:
        return Finding("huge pages", "good", "this kernel has none", wanted)
    if found != "always":
        return Finding("huge pages", "good", found, wanted)
    how = f"{set_to.command}; for good: transparent_hugepage=madvise on the kernel's command line"
    return Finding("huge pages", "better", found, wanted, how, (set_to,))


def clock(tree: Tree, wish: Wish) -> Finding:
    """What the time is read from, several times a tick."""
    folder = "/sys/devices/system/clocksource/clocksource0"
    found, wanted = tree.text(f"{folder}/current_clocksource"), "the processor's own counter (tsc, arch_sys_counter)"
    available = (tree.text(f"{folder}/available_clocksource") or "").split()
    if found is None:
        return Finding("clock", "unknown", "not reported by this kernel", wanted)
    if found in _OWN_CLOCKS or found in _PV_CLOCKS:
        return Finding("clock", "good", found, wanted)
    own = next((name for name in available if name in _OWN_CLOCKS), "")
    how = f"echo {own} > {folder}/current_clocksource" if own else "the kernel's log says why (dmesg | grep -i tsc)"
    return Finding("clock", "bad" if "jiffies" in found else "better", found, wanted, how)


def swap(tree: Tree, wish: Wish) -> Finding:
    """Where memory goes that was not used for long."""
    listed = (tree.text("/proc/swaps") or "").splitlines()[1:]
    names = ", ".join(line.split()[0] for line in listed if line.split())
    wanted = "none: the loop's memory is locked, the service's is not"
    if not names:
        return Finding("swap", "good", "none", wanted)
    return Finding("swap", "better", names, wanted, "swapoff -a; for good: remove it from /etc/fstab")


def timer_slack(tree: Tree, wish: Wish) -> Finding:
    """By how much the sleep of an ordinary thread may be stretched; the loop's own thread asks for 1 ns."""
    found_ns, wanted = tree.number("/proc/self/timerslack_ns"), "at most 50 µs for what is not the loop"
    if found_ns is None:
        return Finding("timer slack", "unknown", "not reported by this kernel", wanted)
    found = f"{found_ns / 1000:g} µs"
    if found_ns <= 50_000:
        return Finding("timer slack", "good", found, wanted)
    return Finding("timer slack", "better", found, wanted, "TimerSlackNSec=50us in the unit, or in the login's slice")
