"""The processors, and whether they are real."""

from hilctl.doctor.finding import Finding, Tree, Wish, Write, listed, processors

_CPU = "/sys/devices/system/cpu"
_DEEP_US = 50  # to wake from: beyond it, sleep shows in the loop at 1 kHz
_MAKERS = {
    "qemu": "QEMU", "kvm": "KVM", "vmware": "VMware", "virtualbox": "VirtualBox", "innotek": "VirtualBox",
    "xen": "Xen", "microsoft corporation virtual": "Hyper-V", "bochs": "Bochs", "parallels": "Parallels",
    "amazon ec2": "Amazon EC2", "google compute": "Google Compute Engine", "firecracker": "Firecracker",
}  # fmt: skip


def virtual_machine(tree: Tree, wish: Wish) -> Finding:
    """A guest runs when its host lets it."""
    wanted = "none: a guest stalls for milliseconds now and then, whatever is set in it"
    found = _guest_of(tree)
    if not found:
        return Finding("virtual machine", "good", "none", wanted)
    return Finding("virtual machine", "bad", found, wanted,
                   "run the rig from a machine of its own; the twin may run here")


def _guest_of(tree: Tree) -> str:
    """The hypervisor's name; empty on real hardware, which clouds rent out too under their makers' names."""
    names = ("sys_vendor", "product_name", "board_vendor", "bios_vendor")
    told = " ".join(tree.text(f"/sys/class/dmi/id/{name}") or "" for name in names).lower()
    maker = next((name for mark, name in _MAKERS.items() if mark in told), "")
    kind = tree.text("/sys/hypervisor/type")
    flags = next((line for line in (tree.text("/proc/cpuinfo") or "").splitlines() if line.startswith("flags")), "")
    if maker and ("hypervisor" in flags.split() or not flags):
        return maker
    if kind:
        return kind
    hidden = "hypervisor" in flags.split() or tree.text("/proc/device-tree/hypervisor/compatible") is not None
    return "a hypervisor that does not say its name" if hidden else ""


def count(tree: Tree, wish: Wish, placed: bool = True) -> Finding:
    """One for the loop, one for the service and the rest of the host."""
    online = processors(tree.text(f"{_CPU}/online") or "")
    wanted = "at least two: the loop's, and one for all else"
    if not online:
        return Finding("processors", "unknown", "not reported by this kernel", wanted)
    if wish.cpu >= 0 and wish.cpu not in online:
        return Finding("processors", "bad", f"there is no processor {wish.cpu}", f"loop.cpu in {listed(online)}",
                       "change loop.cpu in the rig file")
    if not placed:
        how = f"let this user's programs use processor {wish.cpu}: the container's cpuset, AllowedCPUs= of a slice"
        return Finding("processors", "bad", f"the loop may not run on processor {wish.cpu}", wanted, how)
    if len(online) < 2:
        return Finding("processors", "better", "1", wanted, "the service and everything else share it with the loop")
    return Finding("processors", "good", str(len(online)), wanted)


def isolation(tree: Tree, wish: Wish) -> Finding:
    """A processor on which nothing else runs."""
    isolated = processors(tree.text(f"{_CPU}/isolated") or "")
    online = processors(tree.text(f"{_CPU}/online") or "")
    wanted = "one isolated processor, named by loop.cpu in the rig file"
    last = wish.cpu if wish.cpu >= 0 else max(online, default=1)
    how = f"isolcpus=managed_irq,domain,{last} nohz_full={last} rcu_nocbs={last} on the kernel's command line"
    if wish.cpu >= 0:
        if wish.cpu in isolated:
            return Finding("isolation", "good", f"processor {wish.cpu} is", wanted)
        found = f"{listed(isolated)}, but loop.cpu is {wish.cpu}" if isolated else "none"
        return Finding("isolation", "better", found, wanted, how)
    if isolated:
        return Finding("isolation", "better", f"{listed(isolated)}, and the loop is not set to use it", wanted,
                       f"loop.cpu = {max(isolated)} in the rig file")
    return Finding("isolation", "better", "none", wanted, f"{how}; loop.cpu = {last} in the rig file")


def governor(tree: Tree, wish: Wish) -> Finding:
    """Who decides how fast a processor is clocked."""
    which = f"cpu{wish.cpu}" if wish.cpu >= 0 else "cpu[0-9]*"
    at = tree.texts(f"{_CPU}/{which}/cpufreq/scaling_governor")
    found = set(at.values())
    wanted = "performance: a processor that must first speed up is late"
    if not found:
        return Finding("governor", "good", "the kernel does not change the frequency here", wanted)
    if found == {"performance"}:
        return Finding("governor", "good", "performance", wanted)
    writes = tuple(Write(path, "performance") for path, text in at.items() if text != "performance")
    how = "cpupower frequency-set -g performance"
    return Finding("governor", "better", ", ".join(sorted(found)), wanted, how, writes)


def threads(tree: Tree, wish: Wish) -> Finding:
    """Two threads on one core take each other's time, and no priority helps."""
    active, wanted = tree.text(f"{_CPU}/smt/active"), "off: the neighbour on the same core slows the loop"
    if active != "1":
        return Finding("hyper-threading", "good", "off" if active == "0" else "none", wanted)
    how = f"echo off > {_CPU}/smt/control; or off in the firmware's set-up"
    return Finding("hyper-threading", "better", "on", wanted, how)


def sleep_states(tree: Tree, wish: Wish, held_awake: bool) -> Finding:
    """How long an idle processor takes to wake, unless it is kept from sleeping deeply."""
    latencies = [int(text) for text in tree.texts(f"{_CPU}/cpu0/cpuidle/state*/latency").values() if text.isdigit()]
    deepest_us = max(latencies, default=0)
    wanted = "the loop may hold /dev/cpu_dma_latency open, which forbids deep sleep while it runs"
    if held_awake:
        return Finding("sleep", "good", "the loop may forbid it", wanted)
    if deepest_us <= _DEEP_US:
        found = f"the deepest takes {deepest_us} µs to leave" if latencies else "the kernel knows none here"
        return Finding("sleep", "good", found, wanted)
    found = f"the deepest takes {deepest_us} µs to leave, and the loop may not forbid it"
    return Finding("sleep", "better", found, wanted,
                   "deploy/udev/60-hilctl.rules; or processor.max_cstate=1 on the kernel's command line")
