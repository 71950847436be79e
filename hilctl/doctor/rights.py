"""What this user may have of the host: tried, as the loop will try it, rather than read."""

import resource
from typing import NamedTuple

from hilctl.doctor.finding import Finding, Wish

_BY_HAND = "deploy/limits/hilctl.conf for logins, LimitRTPRIO=95 and LimitMEMLOCK=infinity for a unit; log in again"


class Rights(NamedTuple):
    """What was granted, and what the limits say."""

    fifo: bool
    locked: bool
    awake: bool  # /dev/cpu_dma_latency could be held open
    priority_limit: int  # RLIMIT_RTPRIO
    memory_limit: int  # RLIMIT_MEMLOCK, bytes
    placed: bool = True  # the thread could stay on loop.cpu


def limits() -> tuple[int, int]:
    """RLIMIT_RTPRIO and RLIMIT_MEMLOCK of this process; infinity is -1."""
    return resource.getrlimit(resource.RLIMIT_RTPRIO)[0], resource.getrlimit(resource.RLIMIT_MEMLOCK)[0]


def priority(rights: Rights, wish: Wish) -> Finding:
    """Before everything ordinary."""
    wanted = f"SCHED_FIFO {wish.priority}"
    if wish.priority == 0:
        found = "loop.priority = 0 asks for none"
        return Finding("priority", "bad", found, "SCHED_FIFO", "loop.priority = 80 in the rig file")
    if rights.fifo:
        return Finding("priority", "good", f"{wanted} is granted", wanted)
    limit = rights.priority_limit
    found = f"refused; RLIMIT_RTPRIO is {'unlimited' if limit < 0 else limit}"
    how = _BY_HAND
    if limit < 0 or limit >= wish.priority:
        how = "the limit allows it, so a container or a cgroup forbids it: --cap-add SYS_NICE, cpu.rt_runtime_us"
    return Finding("priority", "bad", found, wanted, how)


def memory(rights: Rights, wish: Wish) -> Finding:
    """What is locked is never fetched back from a disk while the loop waits."""
    wanted = "all of the loop's memory locked"
    if rights.locked:
        return Finding("memory", "good", "may be locked", wanted)
    limit = rights.memory_limit
    told = "unlimited" if limit < 0 else f"{limit / 1024:.0f} KiB"
    return Finding("memory", "bad", f"mlockall refused; RLIMIT_MEMLOCK is {told}", wanted, _BY_HAND)
