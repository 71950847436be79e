"""All that is looked at, in the order of what it brings."""

from typing import NamedTuple

from hilctl.doctor import cache, disk, interrupts, kernel, links, machine, rights, versions, wake
from hilctl.doctor.ethtool import coalescing
from hilctl.doctor.finding import Finding, Tree, Wish

_RANK = {"bad": 0, "better": 1, "unknown": 2, "good": 3}


class Seen(NamedTuple):
    """What was tried and measured, beside what the files say."""

    rights: rights.Rights
    waking: wake.Waking
    disk: disk.Disk
    versions: versions.Versions
    compiled: cache.Compiled
    coalescing: links.Ask = coalescing


def examine(tree: Tree, wish: Wish, seen: Seen) -> list[Finding]:
    """Every finding."""
    return [
        rights.priority(seen.rights, wish),
        rights.memory(seen.rights, wish),
        wake.ticks(seen.waking, wish),
        wake.judged(seen.waking, wish),
        machine.virtual_machine(tree, wish),
        *settings(tree, wish, awake=seen.rights.awake, placed=seen.rights.placed),
        links.network(tree, wish, seen.coalescing),
        disk.speed(seen.disk, wish),
        disk.space(seen.disk, wish),
        versions.python(seen.versions),
        versions.numba(seen.versions),
        versions.libzmq(seen.versions),
        versions.kernel(tree),
        cache.judged(seen.compiled, wish.rig),
    ]


def settings(tree: Tree, wish: Wish, *, awake: bool = True, placed: bool = True) -> list[Finding]:
    """Those that stand in files of the kernel; among them all that `--fix` may change."""
    return [
        machine.count(tree, wish, placed),
        machine.isolation(tree, wish),
        interrupts.on_the_loop(tree, wish),
        machine.sleep_states(tree, wish, awake),
        machine.governor(tree, wish),
        machine.threads(tree, wish),
        kernel.preemption(tree, wish),
        kernel.throttling(tree, wish),
        kernel.clock(tree, wish),
        kernel.huge_pages(tree, wish),
        kernel.swap(tree, wish),
        kernel.timer_slack(tree, wish),
        links.serial(tree, wish),
    ]


def worst_first(findings: list[Finding]) -> list[Finding]:
    """In each verdict the order stays."""
    return sorted(findings, key=lambda finding: _RANK[finding.verdict])


def fit(findings: list[Finding]) -> bool:
    """Whether nothing speaks against a rig on this host."""
    return not any(finding.verdict == "bad" for finding in findings)
