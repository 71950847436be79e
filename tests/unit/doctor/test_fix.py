"""What `--fix` writes: the safe settings, only those that are wrong, and each can be taken back."""

from pathlib import Path

import pytest

from hilctl.doctor.examine import examine, settings
from hilctl.doctor.finding import Finding, Tree, Write
from hilctl.doctor.fix import carried_out, planned
from tests.unit.doctor.host import CPU, SEEN, TIMER, WISH, fill

HUGE = "sys/kernel/mm/transparent_hugepage/enabled"
WRONG = {
    f"{CPU}/cpu3/cpufreq/scaling_governor": "powersave",
    HUGE: "[always] madvise never",
    TIMER: "16",
    "proc/irq/44/smp_affinity_list": "0-3",
    "proc/irq/45/smp_affinity_list": "3",
}  # fmt: skip
UNSAFE = {
    "proc/swaps": "Filename Type\n/dev/sda2 partition 8388604 0 -2",
    "proc/sys/kernel/sched_rt_runtime_us": "-1",
    f"{CPU}/smt/active": "1",
    f"{CPU}/isolated": "",
}  # fmt: skip


def texts(root: Path) -> dict[str, str]:
    return {str(p.relative_to(root)): p.read_text().strip() for p in sorted(root.rglob("*")) if p.is_file()}


def test_exactly_the_wrong_safe_settings_are_written_once_and_can_be_taken_back(tmp_path):
    tree = fill(tmp_path, WRONG | UNSAFE)
    before = texts(tmp_path)
    steps = planned(settings(tree, WISH), tree)
    assert texts(tmp_path) == before, "a plan writes nothing"
    assert all(not one.problem for one in carried_out(steps, tree))
    after = texts(tmp_path)
    assert {name: text for name, text in after.items() if before[name] != text} == {
        f"{CPU}/cpu3/cpufreq/scaling_governor": "performance", HUGE: "madvise", TIMER: "1",
        "proc/irq/44/smp_affinity_list": "0-2", "proc/irq/45/smp_affinity_list": "0-2",
    }  # fmt: skip
    assert planned(settings(tree, WISH), tree) == []
    fixed = {"governor", "huge pages", "serial adapters", "interrupts"}
    assert not fixed & {one.what for one in examine(tree, WISH, SEEN) if one.verdict != "good"}
    for step in steps:
        assert step.undo.command == f"echo {step.before} > {step.write.path}"
        tree.write(step.undo)
    assert texts(tmp_path) == {**before, HUGE: "always"}  # a kernel lists its choices again


def test_a_host_that_is_set_up_has_nothing_to_change(tmp_path):
    tree = fill(tmp_path)
    assert planned(settings(tree, WISH), tree) == []


def test_a_setting_that_is_so_already_or_is_not_there_is_no_step(tmp_path):
    writes = (Write(f"/{TIMER}", "1"), Write("/sys/no/such/file", "1"))
    assert planned([Finding("serial adapters", "better", "", "", "", writes)], fill(tmp_path)) == []


def test_a_setting_that_the_kernel_refuses_is_named_and_the_others_are_written(tmp_path):
    tree = fill(tmp_path, WRONG)
    steps = planned(settings(tree, WISH), tree)
    managed = tmp_path / "proc/irq/44/smp_affinity_list"
    managed.unlink()
    managed.mkdir()
    done = {one.step.write.path: one.problem for one in carried_out(steps, tree)}
    assert done.pop("/proc/irq/44/smp_affinity_list") == "Is a directory"
    assert set(done.values()) == {""} and len(done) == 4


def test_a_file_that_is_not_there_is_never_made(tmp_path):
    with pytest.raises(FileNotFoundError):
        Tree(tmp_path).write(Write("/new", "1"))
    assert list(tmp_path.iterdir()) == []
