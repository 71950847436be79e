"""A rig's own machine, set up as the documents say: a stand-in for /proc, /sys and /dev, and what is measured on it."""

from pathlib import Path

from hilctl.doctor.cache import Compiled
from hilctl.doctor.disk import Disk
from hilctl.doctor.ethtool import Coalescing
from hilctl.doctor.examine import Seen
from hilctl.doctor.finding import Tree, Wish
from hilctl.doctor.late import Outcome
from hilctl.doctor.rights import Rights
from hilctl.doctor.versions import Versions
from hilctl.doctor.wake import Lateness, Waking

CPU = "sys/devices/system/cpu"
TIMER = "sys/bus/usb-serial/devices/ttyUSB0/latency_timer"
ROUTES = """Iface Destination Gateway Flags RefCnt Use Metric Mask MTU Window IRTT
eth0 00000000 010200C0 0003 0 0 0 00000000 0 0 0
eth1 0005A8C0 00000000 0001 0 0 0 00FFFFFF 0 0 0"""  # the default; 192.168.5.0/24
INTERRUPTS = """           CPU0       CPU1       CPU2       CPU3
  0:         36          0          0          0  IO-APIC    2-edge      timer
 44:        500        400          0          7  PCI-MSI  524288-edge      eth1
 45:          9          0          0          0  PCI-MSI  524289-edge      nvme0q0
LOC:     120398     988239     122312     989898   Local timer interrupts
ERR:          0"""
FIT = {
    "proc/version": "Linux version 6.1.0-rt (gcc) #1 SMP PREEMPT_RT Debian",
    "proc/sys/kernel/osrelease": "6.1.0-18-rt-amd64",
    "proc/sys/kernel/sched_rt_runtime_us": "950000",
    "proc/sys/kernel/sched_rt_period_us": "1000000",
    "proc/swaps": "Filename\tType\tSize\tUsed\tPriority",
    "proc/self/timerslack_ns": "50000",
    "proc/cpuinfo": "processor : 0\nflags\t\t: fpu vme tsc constant_tsc",
    "proc/interrupts": INTERRUPTS,
    **{f"proc/irq/{n}/smp_affinity_list": "0-2" for n in (0, 44, 45)},
    "proc/net/route": ROUTES,
    "sys/kernel/realtime": "1",
    "sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never",
    "sys/devices/system/clocksource/clocksource0/current_clocksource": "tsc",
    "sys/devices/system/clocksource/clocksource0/available_clocksource": "tsc hpet acpi_pm",
    "sys/class/dmi/id/sys_vendor": "Dell Inc.",
    f"{CPU}/online": "0-3",
    f"{CPU}/isolated": "3",
    f"{CPU}/smt/active": "0",
    **{f"{CPU}/cpu{k}/cpufreq/scaling_governor": "performance" for k in range(4)},
    f"{CPU}/cpu0/cpuidle/state0/latency": "0",
    f"{CPU}/cpu0/cpuidle/state1/latency": "890",
    "dev/ttyUSB0": "",
    TIMER: "1",
}
WISH = Wish(cpu=3, driver="mixed", rig="mine", ports=("/dev/serial/by-id/amplifier",), hosts=("192.168.5.9",))
ALL = Rights(fifo=True, locked=True, awake=True, priority_limit=95, memory_limit=-1)
_OUTCOME = Outcome(1000, 0, 0, 1090.0, 0)
QUIET = Waking(Lateness(1000, 5, 20, 60, (), _OUTCOME), Lateness(1000, 6, 30, 90, (), _OUTCOME))
DISK = Disk("/var/lib/hilctl/mine/recordings", 500 * 10**9, (0.01,) * 8)
VERSIONS = Versions(
    "3.12.1", ">=3.11", {"numba": ">=0.63,<0.69", "pymodbus": "~=3.16"}, {"numba": "0.66.0", "pymodbus": "3.17.1"},
    {"numba": ("0.66.0", "0.68.1")}, "4.3.5", True,
)  # fmt: skip
COMPILED = Compiled("/var/cache/hilctl", True, True, 7, ())


def card(interface: str) -> Coalescing | None:
    """Reports for one card only."""
    return Coalescing(0, 1, False) if interface == "eth1" else None


SEEN = Seen(ALL, QUIET, DISK, VERSIONS, COMPILED, card)


def fill(root: Path, changes: dict[str, str | None] | None = None) -> Tree:
    """The fit host's files, with changes; None leaves a file out."""
    for name, text in {**FIT, **(changes or {})}.items():
        if text is not None:
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text + "\n")
    link = root / "dev/serial/by-id/amplifier"
    link.parent.mkdir(parents=True, exist_ok=True)
    if not link.is_symlink():
        link.symlink_to("../../ttyUSB0")
    return Tree(root)
