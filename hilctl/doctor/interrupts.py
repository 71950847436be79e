"""Which devices may interrupt the loop's processor: each takes it for some microseconds, whatever the priority."""

from typing import NamedTuple

from hilctl.doctor.finding import Finding, Tree, Wish, Write, listed, processors

_SHOWN = 3


class Interrupt(NamedTuple):
    """A line of /proc/interrupts that a device has, and where it may be delivered."""

    number: int
    name: str
    fired: int  # since the start of the host, on all processors
    here: int  # of these on the loop's processor
    allowed: set[int]

    @property
    def path(self) -> str:
        """Where its processors are set."""
        return f"/proc/irq/{self.number}/smp_affinity_list"


def on_the_loop(tree: Tree, wish: Wish) -> Finding:
    """Every device's interrupts may be kept away; those of the processor itself (timer, rescheduling) may not."""
    wanted = "no device interrupts the processor of the loop"
    if wish.cpu < 0:
        return Finding("interrupts", "good", "not judged: loop.cpu = -1 gives the loop no processor of its own", wanted)
    if tree.text("/proc/interrupts") is None:
        return Finding("interrupts", "unknown", "/proc/interrupts is not readable", wanted)
    others = processors(tree.text("/sys/devices/system/cpu/online") or "") - {wish.cpu}
    here = [one for one in interrupts(tree, wish.cpu) if wish.cpu in one.allowed and one.fired > 0]
    if not here:
        return Finding("interrupts", "good", f"none on processor {wish.cpu}", wanted)
    here.sort(key=lambda one: -one.here)
    told = ", ".join(f"{one.number} {one.name}" for one in here[:_SHOWN]) + ", …" * (len(here) > _SHOWN)
    found = f"{len(here)} may come to processor {wish.cpu}, {sum(one.here for one in here)} did: {told}"
    if not others:
        return Finding("interrupts", "better", found, wanted, "they have nowhere else to go: a second processor")
    writes = tuple(Write(one.path, listed(one.allowed - {wish.cpu} or others)) for one in here)
    how = f"{writes[0].command}" + f" and {len(writes) - 1} more" * (len(writes) > 1)
    how += f"; for good: irqaffinity={listed(others)} on the kernel's command line, and no irqbalance"
    return Finding("interrupts", "better", found, wanted, how, writes)


def interrupts(tree: Tree, cpu: int) -> list[Interrupt]:
    """Those of devices, which have a number."""
    lines = (tree.text("/proc/interrupts") or "").splitlines()
    head = [int(word.removeprefix("CPU")) for word in (lines or [""])[0].split() if word.startswith("CPU")]
    found = []
    for line in lines[1:]:
        number, _, rest = line.partition(":")
        words = rest.split()
        if not number.strip().isdigit() or len(words) <= len(head):
            continue
        counts = dict(zip(head, (int(word) if word.isdigit() else 0 for word in words), strict=False))
        allowed = processors(tree.text(f"/proc/irq/{number.strip()}/smp_affinity_list") or "")
        found.append(Interrupt(int(number), words[-1], sum(counts.values()), counts.get(cpu, 0), allowed))
    return found
