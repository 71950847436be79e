"""A recording of another process, run again: not a bit differs, and what is altered, lost or unknown is named."""

import shutil
import signal
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

from hilctl.client import private_service
from hilctl.client.client import Client
from hilctl.errors import WrongUse
from hilctl.recording.reader import open_recording
from hilctl.replay.altered import altered as with_values
from hilctl.replay.build import TOLERANCE
from hilctl.replay.run import Replay, Replayed
from hilctl.signals import NAMES, Mode
from tests.system.cli_parts import Shell
from tests.system.replay_altered import TERMS
from tests.system.replay_parts import altered, record_all, record_terms
from tests.system.service_parts import ARMS_FAST, RIG, arms, until

pytestmark = pytest.mark.timeout(300)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory) -> Path:
    return record_all(tmp_path_factory.mktemp("recordings"))


@pytest.fixture
def copy(recorded, tmp_path) -> Path:
    return Path(shutil.copy(recorded, tmp_path / "copy.h5"))


def run(file: Path, **changes: float) -> Replayed:
    with open_recording(file) as recording:
        return Replay(recording, with_values(recording, changes) if changes else None).run()


def test_every_tick_of_another_process_comes_out_bit_for_bit(recorded):
    found = run(recorded)
    with open_recording(recorded) as recording:
        rows, taken = recording.rows(), recording.taken
    assert found.ticks == len(rows) > 10_000
    assert (found.differ, found.first, found.gaps, found.exact) == (0, None, [], True)
    assert found.commands.largest == 0.0
    assert set(rows["mode"]) == set(range(6))  # every mode, a trip, both feedback laws, blends: all of it was there
    assert (rows["supply"][rows["mode"] == Mode.TRACK] == 1).any()  # a motion at low pressure as well
    assert {0, 1} <= set(rows["pid_share"]) and rows["trip"].any() and rows["u_inverse"].any()
    assert rows["learned_null"][0] != 0.0 and rows["learned_gain"].any(), "replay begins with what has been learned"
    assert {one.kind for one in taken} == {1, 2, 5} and {one.between for one in taken} == {0, 1}


@pytest.mark.realtime
def test_on_the_real_clock_late_ticks_and_all(tmp_path):
    changes = {**ARMS_FAST, "limits.late.ticks": 100_000, "loop.rate_hz": 500.0}
    with (
        private_service(RIG, clock="real", changes=changes, recordings=tmp_path) as service,
        Client(service.commands) as rig,
        rig.record("real") as path,
    ):
        until(lambda: arms(rig), "arming")
        rig.wait(rig.track("sine", amplitude_m=0.002, frequency_hz=4.0, cycles=2))
        rig.off()
        rig.wait_mode("off")
    found = run(Path(path))
    assert found.differ == 0 and found.ticks > 500
    assert not [gap for gap in found.gaps if "missing" not in gap.why]


@pytest.mark.realtime
def test_whenever_it_is_begun_a_recordings_first_row_is_the_one_behind_its_state(tmp_path):
    changes = {"loop.rate_hz": 5000, "limits.late.ticks": 100_000}
    with (
        private_service(RIG, clock="real", changes=changes, recordings=tmp_path) as service,
        Client(service.commands) as rig,
    ):
        for _ in range(25):
            with rig.record() as path:
                rig.status()
            with open_recording(path) as recording:
                assert recording.known[0].row == recording.first


def test_a_recording_cut_by_the_death_of_the_service_is_replayed_as_far_as_it_goes(tmp_path):
    with private_service(RIG, changes=ARMS_FAST, recordings=tmp_path) as service, Client(service.commands) as rig:
        rig.take()
        path = rig.ask("record", action="start", name="cut")["path"]
        rig.arm()
        rig.track("sine", amplitude_m=0.002, frequency_hz=2.0, cycles=20)
        until(lambda: rig.status()["recording"]["flushed"] > 2000, "what is on the disk")
        service.process.send_signal(signal.SIGKILL)
        service.process.wait(20)
    found = run(Path(path))
    assert found.ticks > 2000 and (found.differ, found.exact) == (0, True)


def test_an_altered_term_is_named_at_its_first_tick(tmp_path):
    _altered_terms(record_terms(tmp_path), ["", "u_position", "u_linear", "u_pid_d", "velocity_m_s", "u_cmd"])


@pytest.mark.slow
def test_each_of_all_altered_terms_is_named_at_its_first_tick(tmp_path):
    assert len(TERMS) >= 20
    _altered_terms(record_terms(tmp_path), ["", *TERMS])


def all_act(row: Any) -> bool:
    """A motion runs, away from its middle, and both feedback laws have a share."""
    return bool(len(row) and row["mode"][0] == Mode.TRACK and 0.05 < row["pid_share"][0] < 0.95
                and min(abs(row["xr_m"][0]), abs(row["vr_m_s"][0])) > 1e-4)  # fmt: skip


def _altered_terms(file: Path, names: list[str]) -> None:
    with open_recording(file) as recording:
        rows = [recording.row_of(known.row) for known in recording.known]
        acts = [row is not None and all_act(recording.rows(row, row + 1)) for row in rows]
        tick = recording.known[acts.index(True)].tick + 1
    unaltered, *found = altered(file, acts.index(True), *names)
    assert (unaltered["ticks"], unaltered["differ"]) == (1, 0)
    assert found == [{"name": n, "ticks": 1, "differ": 1, "first": [tick, n]} for n in names[1:]]


def test_what_it_would_have_commanded_with_another_gain(recorded):
    found = run(recorded, **{"law.three_state.kd_per_m": 14.5})
    assert found.differ > 1000 and found.first is not None
    assert found.first.term == "u_position"
    with open_recording(recorded) as recording:
        row = recording.rows()[found.first.tick - int(recording.rows(0, 1)["tick"][0])]
        assert row["u_position"] == found.first.recorded
    gains = 14.5 / recorded_gain(recorded)
    assert found.first.replayed == pytest.approx(found.first.recorded * gains)
    assert 0.0 < found.commands.rms < found.commands.largest < 0.1
    assert run(recorded, **{"law.blend_s": 0.5}).differ == 0  # as it was


def recorded_gain(file: Path) -> float:
    with open_recording(file) as recording:
        return float(recording.parameters_at_start["law.three_state.kd_per_m"])


def test_lost_rows_end_it_until_a_state_is_known_again(copy):
    with h5py.File(copy, "r+") as file:
        for name in ("samples", "readings"):
            rows = file[name][:]
            kept = np.concatenate((rows[:3000], rows[3200:]))
            file[name].resize((len(kept),))
            file[name][:] = kept
        begin = int(file["segments"][0]["sequence"])
        file["segments"].resize((2,))
        file["segments"][1] = (3000, begin + 3200)
        del file["flushes"]  # which says how long they were
        until_tick = int(file["known"][1]["tick"]) + 1
    found = run(copy)
    assert (found.differ, found.exact) == (0, False)
    assert [gap.until for gap in found.gaps] == [until_tick] and found.gaps[0].why == "200 samples are missing"


def test_an_input_that_was_lost_ends_it_there_as_well(copy):
    with h5py.File(copy, "r+") as file:
        taken = file["taken"][:]
        lost = taken[3]
        file["taken"].resize((len(taken) - 1,))
        file["taken"][:] = np.delete(taken, 3)
    found = run(copy)
    assert (found.differ, len(found.gaps)) == (0, 1)
    assert found.gaps[0].first <= lost["tick"] + 1 and "was not recorded" in found.gaps[0].why


def test_another_processor_is_compared_within_the_stated_tolerance(copy):
    with h5py.File(copy, "r+") as file:
        file.attrs["host"] = '{"processor": "another"}'
        position = NAMES.index("u_position")
        rows = file["samples"][:].view("f8").reshape(-1, len(NAMES))
        rows[500, position] *= 1 + 1e-12
        file["samples"][:] = rows.view(file["samples"].dtype).reshape(-1)
    found = run(copy)
    assert (found.tolerance, found.differ, found.exact) == (TOLERANCE, 0, False)
    assert found.build.others[0].startswith("processor another, now ")
    with h5py.File(copy, "r+") as file:
        rows[500, position] += 1e-3
        file["samples"][:] = rows.view(file["samples"].dtype).reshape(-1)
    found = run(copy)
    assert (found.differ, found.first.term) == (1, "u_position")


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (lambda file: file["known"].resize((0,)), "holds no state of the controller to begin from.*record again"),
        (lambda file: file.__delitem__("types"), "no readings as the driver gave them.*of this version or a later one"),
    ],
)
def test_without_what_it_needs_it_says_what_is_missing(copy, spoil, told):
    with h5py.File(copy, "r+") as file:
        spoil(file)
    with pytest.raises(WrongUse, match=told):
        run(copy)


def test_other_channels_are_refused_with_the_version_that_knows_them(copy):
    with h5py.File(copy, "r+") as file:
        rows = file["samples"][:10]
        del file["samples"]
        fields = [("ram" if name == "spool" else name, rows.dtype[name]) for name in rows.dtype.names]
        file["samples"] = rows.astype(fields)
    with pytest.raises(WrongUse, match=r"it has ram; it lacks spool\); replay it with hilctl \d"):
        run(copy)


def test_the_command_line_says_it_as_json_and_by_its_exit_code(recorded, copy, tmp_path):
    shell = Shell(tmp_path)
    told = shell.json("replay", str(recorded))
    assert (told["differ"], told["exact"], told["first_difference"], told["gaps"]) == (0, True, None, [])
    assert told["ticks"] > 10_000 and told["real_time"] > 0
    assert "none differs" in shell.run("replay", str(recorded)).stdout
    with h5py.File(copy, "r+") as file:
        rows = file["samples"][:]
        rows["u_integral"][777] += 1e-9
        tick = int(rows["tick"][777])
        file["samples"][:] = rows
    out = shell.run("replay", str(copy), code=1).stdout
    assert f"1 differ\nfirst at tick {tick} in u_integral: recorded " in out
    answer = shell.run("replay", str(recorded), "--set", "law.three_state.kd_per_m=15").stdout
    assert "what the table would have done with these commands, they do not show" in answer
    assert "did you mean" in shell.run("replay", str(recorded), "--set", "law.three_state.kd=15", code=2).stderr


def test_each_file_of_a_recording_that_rotates_is_replayed_from_its_first_row(tmp_path):
    changes = {**ARMS_FAST, "recording.rotate_s": 2.0}
    with private_service(RIG, changes=changes, recordings=tmp_path) as service, Client(service.commands) as rig:
        rig.take()
        with rig.record("part"):
            rig.arm()
            for gain in (14.0, 15.0, 16.0):
                motion = rig.track("sine", amplitude_m=0.002, frequency_hz=2.0, cycles=8)
                rig.set({"law.three_state.kd_per_m": gain})
                before = rig.status()["recording"]["path"]
                rig.wait(motion)
                until(lambda: rig.pass_time(0.5) and rig.status()["recording"]["path"] != before, "the next file")  # noqa: B023
    files = sorted(tmp_path.glob("part*.h5"))
    found = [run(file) for file in files]
    assert len(files) > 2 and sum(one.ticks for one in found) > 6000
    assert [(one.differ, one.exact) for one in found] == [(0, True)] * len(found)


def test_a_link_that_was_opened_again_and_signs_that_were_proved_again_come_out_alike(tmp_path):
    with (
        private_service(RIG, changes=ARMS_FAST, recordings=tmp_path) as service,
        Client(service.commands) as rig,
    ):
        rig.arm()
        rig.off()
        with rig.record("again") as path:
            rig.reconnect()
            rig.arm()
            rig.off()
            rig.arm(prove=True)
            assert rig.wait(rig.move(0.002)).why == "done"
    found = run(Path(path))
    with open_recording(Path(path)) as recording:
        assert {one.kind for one in recording.taken} >= {4, 6}
    assert found.ticks > 1000 and found.exact
