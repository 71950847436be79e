"""Interrupts, disk, versions and the cache: how each is read."""

import pytest

from hilctl.doctor import cache, disk, interrupts, versions
from hilctl.doctor.finding import Wish
from hilctl.doctor.rights import limits
from hilctl.signals import SAMPLE
from tests.unit.doctor.host import WISH, fill


def test_interrupts_of_devices_have_a_number_a_name_and_counts(tmp_path):
    found = interrupts.interrupts(fill(tmp_path), 3)
    assert [(one.number, one.name, one.fired, one.here) for one in found] == [
        (0, "timer", 36, 0), (44, "eth1", 907, 7), (45, "nvme0q0", 9, 0),
    ]  # fmt: skip
    assert found[0].allowed == {0, 1, 2}


def test_an_interrupt_that_never_came_is_left_where_it_is(tmp_path):
    quiet = "           CPU0       CPU1       CPU2       CPU3\n 44:  0  0  0  0  PCI-MSI  1-edge  eth1"
    tree = fill(tmp_path, {"proc/irq/44/smp_affinity_list": "0-3", "proc/interrupts": quiet})
    assert interrupts.on_the_loop(tree, WISH).verdict == "good"


def test_an_interrupt_that_had_the_loops_processor_alone_goes_to_all_others(tmp_path):
    tree = fill(tmp_path, {"proc/irq/44/smp_affinity_list": "3", "proc/irq/45/smp_affinity_list": "1,3"})
    assert [write.value for write in interrupts.on_the_loop(tree, WISH).writes] == ["0-2", "1"]


def test_a_loop_without_a_processor_of_its_own_is_not_judged_by_interrupts(tmp_path):
    tree = fill(tmp_path, {"proc/irq/44/smp_affinity_list": "0-3"})
    assert interrupts.on_the_loop(tree, WISH._replace(cpu=-1)).verdict == "good"


def test_the_disk_is_measured_where_recordings_will_be_and_nothing_stays(tmp_path):
    found = disk.measure(tmp_path / "not" / "yet", Wish(flush_hz=20.0))
    assert not found.problem and len(found.flushes_s) >= 1 and found.free_bytes > 0
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_is_a_problem_with_the_systems_words():
    assert disk.measure(disk.Path("/proc/none"), Wish()).problem


def test_hours_of_recording_are_those_of_every_channel_at_the_rate():
    wish = Wish(rate_hz=2000.0, free_mb=100.0)
    found = disk.space(disk.Disk("/r", int(100e6 + 10 * 3600 * 2000 * SAMPLE.itemsize), (0.01,)), wish)
    assert "10 h of recording" in found.found and found.verdict == "good"


@pytest.mark.parametrize(
    ("version", "clauses", "holds"),
    [
        ("3.11.0", ">=3.11", True), ("3.10.9", ">=3.11", False), ("0.68.1", "<0.69,>=0.63", True),
        ("0.69.0", "<0.69,>=0.63", False), ("0.69", ">=0.63,<0.69", False), ("3.17.1", "~=3.16", True),
        ("4.0", "~=3.16", False), ("3.15.9", "~=3.16", False), ("2.0.0", "==2.0", True), ("2.0.0rc1", "!=2.0", False),
        ("26.1", ">=26", True), ("26", ">26", False), ("1", "<=1.0", True), ("1.0", "", True),
    ],
)  # fmt: skip
def test_a_version_is_in_a_range_or_not(version, clauses, holds):
    assert versions.within(version, clauses) is holds


def test_what_is_installed_here_is_what_the_project_asks_for():
    found = versions.installed()
    assert {"numba", "numpy", "pyzmq"} <= set(found.asked) and all(found.packages.values())
    assert found.python_asked and found.locked
    assert versions.python(found).verdict == "good"
    assert versions.numba(found).verdict == versions.libzmq(found).verdict == "good"


def test_a_checkout_that_is_not_installed_has_no_ranges_and_is_examined_all_the_same(monkeypatch):
    def requires(name):
        raise versions.importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(versions.importlib.metadata, "requires", requires)
    found = versions.installed()
    assert (found.asked, found.python_asked) == ({"numba": ""}, "")
    assert versions.python(found).verdict == versions.numba(found).verdict == "good"


def test_a_cache_below_a_folder_that_is_not_there_yet_can_be_made_and_below_a_file_cannot(tmp_path):
    assert cache.writable(tmp_path / "a" / "b")
    (tmp_path / "file").write_text("")
    assert not cache.writable(tmp_path / "file" / "b")


def test_limits_are_read():
    assert len(limits()) == 2
