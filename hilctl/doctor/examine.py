"""All that is looked at, in the order of what it brings."""

from hilctl.doctor import kernel, machine, rights, wake
from hilctl.doctor.finding import Finding, Tree, Wish


def examine(tree: Tree, wish: Wish, granted: rights.Rights, waking: wake.Waking) -> list[Finding]:
    """Every finding."""
    return [
        rights.priority(granted, wish),
        rights.memory(granted, wish),
        machine.virtual_machine(tree, wish),
        machine.count(tree, wish),
        machine.isolation(tree, wish),
        machine.sleep_states(tree, wish, granted.awake),
        machine.governor(tree, wish),
        machine.threads(tree, wish),
        kernel.preemption(tree, wish),
        kernel.throttling(tree, wish),
        kernel.clock(tree, wish),
        kernel.huge_pages(tree, wish),
        kernel.swap(tree, wish),
        kernel.timer_slack(tree, wish),
        wake.judged(waking, wish),
    ]


def fit(findings: list[Finding]) -> bool:
    """Whether nothing speaks against a rig on this host."""
    return not any(finding.verdict == "bad" for finding in findings)
