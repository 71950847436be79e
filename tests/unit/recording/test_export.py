"""Every format holds exactly what was recorded: all files of a recording, each row once; whole, or nothing."""

import csv
import json
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest

from hilctl.cli.main import main
from hilctl.errors import DONE, RIG_SAID_NO, WRONG_USE, HilctlError, WrongUse
from hilctl.recording import chain as chains
from hilctl.recording.chain import Chain
from hilctl.recording.export import formats
from hilctl.recording.export.formats import FORMATS
from hilctl.recording.export.write import Choice, export
from hilctl.recording.layout import Change, Event, Header
from hilctl.recording.recorder import Recorder
from hilctl.signals import NAMES, SAMPLE

RATE_HZ = 1000.0
PARTS = (70, 1, 0, 90, 30)  # rows of each file
WALL = {"offset_ns": 1_700_000_000_000_000_000, "uncertainty_ns": 5, "since_ns": 0}
HEADER = Header("table", "schema = 1\n", "run", "abc", RATE_HZ, "real", 3, {"machine.m": 500.0}, 41, b"s", wall=WALL)


def rows(first: int, count: int) -> np.ndarray:
    words = np.random.default_rng(first).normal(size=(count, len(NAMES)))
    made = words.view(SAMPLE).reshape(count)
    made["tick"] = np.arange(first, first + count) + 50
    made["time_ns"] = made["tick"] * 1_000_000
    made["mode"] = made["tick"] % 5 - (1 << 62)
    return made


@pytest.fixture(scope="module")
def recorded(tmp_path_factory) -> tuple[Path, np.ndarray]:
    """The first file of a rotated recording, and its rows."""
    folder = tmp_path_factory.mktemp("recordings")
    recorder, first, given = Recorder(3600.0, 100_000), 0, []
    recorder.start(folder / "a.h5", HEADER, 0).result(10)
    for number, count in enumerate(PARTS):
        if number:
            name = Path(recorder.state.path).name
            recorder.rotate(None, HEADER._replace(continues=name), -1).result(10)
        given.append(rows(first, count))
        if count:
            recorder.rows(first, given[-1])
        first += count
        recorder.event(Event(number, "mode", first + 49, 99, {"mode": "hold"}))
    recorder.change(Change(4, first + 49, 98, "me", "test", "machine.m", 500.0, 501.0))
    recorder.close()
    return folder / "a.h5", np.concatenate(given)


def read_csv(path: Path) -> dict[str, np.ndarray]:
    with path.open(newline="") as file:
        head, *lines = csv.reader(file)
    kinds = {name: SAMPLE[name] for name in NAMES} | {"time_s": "f8"}
    return {
        name: np.array([int(v) if kinds[name] == "i8" else float(v) for v in column], kinds[name])
        for name, column in zip(head, zip(*lines, strict=True), strict=True)
    }


def read_parquet(path: Path) -> dict[str, np.ndarray]:
    from pyarrow import parquet

    table = parquet.read_table(path)
    assert table.schema.field("position_m").metadata[b"unit"] == b"m"
    assert json.loads(table.schema.metadata[b"hilctl"])["parameters_at_start"] == {"machine.m": 500.0}
    return {name: table[name].to_numpy() for name in table.column_names}


def read_mat(path: Path) -> dict[str, np.ndarray]:
    assert path.read_bytes()[:20] == b"MATLAB 7.3 MAT-file," and path.read_bytes()[124:128] == b"\x00\x02IM"
    with h5py.File(path) as file:
        classes = {name: made.attrs["MATLAB_class"] for name, made in file.items()}
        assert classes["position_m"] == b"double" and classes["mode"] == b"int64"
        assert classes.pop("hilctl_about") == b"char"
        about = file["hilctl_about"][:].ravel().tobytes().decode("utf-16-le")
        assert json.loads(about)["changes"][0]["author"] == "me"
        assert {file[name].shape[0] for name in classes} == {1}  # column vectors, as MATLAB counts
        return {name: file[name][0] for name in classes}


def read_mcap(path: Path) -> dict[str, np.ndarray]:
    from mcap.reader import make_reader

    found: dict[str, list[object]] = {}
    others, times = [], []
    with path.open("rb") as file:
        for _, channel, message in make_reader(file).iter_messages():
            body = json.loads(message.data)
            times.append(message.log_time)
            if channel.topic != "/samples":
                others.append(body)
                continue
            assert message.log_time == WALL["offset_ns"] + round(body["time_s"] * 1e9)
            for name, value in body.items():
                found.setdefault(name, []).append(value)
    assert times == sorted(times) and any(o.get("author") == "me" for o in others)
    return {name: np.array(column, "f8" if name == "time_s" else SAMPLE[name]) for name, column in found.items()}


def read_mdf4(path: Path) -> dict[str, np.ndarray]:
    from asammdf import MDF

    with MDF(path) as file:
        found = {}
        for signal_ in file.iter_channels():
            found[signal_.name] = signal_.samples
            found["time_s"] = signal_.timestamps
        assert file.get("position_m").unit == "m"
    return found


def read_tdms(path: Path) -> dict[str, np.ndarray]:
    from nptdms import TdmsFile

    file = TdmsFile.read(path)
    assert file.properties["run"] == "run"
    assert file["samples"]["position_m"].properties["unit_string"] == "m"
    return {channel.name: channel[:] for channel in file["samples"].channels()}


READERS = {
    "csv": read_csv, "parquet": read_parquet, "mat": read_mat, "mcap": read_mcap, "mdf4": read_mdf4, "tdms": read_tdms,
}  # fmt: skip


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that there are many."""
    monkeypatch.setattr(chains, "BLOCK_ROWS", 32)


@pytest.mark.parametrize("name", FORMATS)
def test_every_bit_of_every_file_of_the_recording_comes_back(recorded, tmp_path, name):
    path, given = recorded
    target = tmp_path / f"out{FORMATS[name].suffix}"
    with Chain(path) as chain:
        assert len(chain.paths) == len(PARTS)
        assert export(chain, name, target) == len(given)
    back = READERS[name](target)
    assert set(back) == {"time_s", *NAMES}
    for channel in NAMES:
        assert np.asarray(back[channel]).astype(SAMPLE[channel]).tobytes() == given[channel].tobytes(), channel
    assert np.array_equal(back["time_s"], given["tick"] / RATE_HZ)
    assert [p.name for p in tmp_path.iterdir()] == [target.name]


@pytest.mark.parametrize("name", ["csv", "parquet"])
def test_channels_a_span_and_one_of_every_few_are_chosen(recorded, tmp_path, name):
    path, given = recorded
    target = tmp_path / f"out{FORMATS[name].suffix}"
    wanted = given[(given["tick"] >= 70) & (given["tick"] <= 150)][::7]
    with Chain(path.with_name("a-4.h5")) as chain:  # any of its files
        choice = Choice(["position_m", "mode"], 7, 0.07, 0.15)
        assert export(chain, name, target, choice) == len(wanted)
    if name == "parquet":
        from pyarrow import parquet

        assert parquet.read_table(target)["position_m"].to_numpy().tolist() == wanted["position_m"].tolist()
    else:
        back = read_csv(target)
        assert list(back) == ["time_s", "position_m", "mode"]
        assert back["mode"].tolist() == wanted["mode"].tolist()


def test_one_file_alone_and_a_chain_whose_beginning_is_gone(recorded, tmp_path):
    path, given = recorded
    with Chain(path.with_name("a-4.h5"), alone=True) as chain:
        assert export(chain, "csv", tmp_path / "a.csv") == PARTS[3]
    for part in path.parent.iterdir():
        if part.name != "a.h5":
            (tmp_path / part.name).write_bytes(part.read_bytes())
    (tmp_path / "other.h5").write_bytes(b"no recording")
    with Chain(tmp_path / "a-5.h5") as chain:
        assert chain.missing == "a.h5"
        assert export(chain, "csv", tmp_path / "b.csv") == len(given) - PARTS[0]


def test_rows_that_two_files_have_are_written_once(tmp_path):
    recorder = Recorder(3600.0, 1000)
    recorder.start(tmp_path / "a.h5", HEADER, 0).result(10)
    recorder.rows(0, rows(0, 30))
    recorder.close()
    recorder = Recorder(3600.0, 1000)
    recorder.start(tmp_path / "b.h5", HEADER._replace(continues="a.h5"), 20).result(10)
    recorder.rows(20, rows(20, 30))
    recorder.close()
    with Chain(tmp_path / "a.h5") as chain:
        assert export(chain, "csv", tmp_path / "a.csv") == 50
    assert read_csv(tmp_path / "a.csv")["tick"].tolist() == list(range(50, 100))


@pytest.mark.parametrize("name", [name for name, format in FORMATS.items() if format.package])
def test_a_missing_package_is_named_with_its_extra(recorded, tmp_path, name, monkeypatch):
    monkeypatch.setitem(sys.modules, FORMATS[name].package, None)
    with Chain(recorded[0]) as chain, pytest.raises(HilctlError) as told:
        export(chain, name, tmp_path / "x")
    assert FORMATS[name].package in told.value.text and "pip install 'hilctl[export]'" in told.value.text
    assert not list(tmp_path.iterdir())


def test_the_extra_holds_every_package_that_a_format_needs():
    import tomllib

    project = tomllib.loads((Path(__file__).resolve().parents[3] / "pyproject.toml").read_text())["project"]
    named = {word.split(">")[0].lower() for word in project["optional-dependencies"][formats.EXTRA]}
    assert named == {format.package for format in FORMATS.values() if format.package}


def test_what_is_not_there_is_said(recorded, tmp_path):
    with Chain(recorded[0]) as chain:
        with pytest.raises(WrongUse, match="error_m"):
            export(chain, "csv", tmp_path / "x", Choice(["eror_m"]))
        with pytest.raises(WrongUse, match=r"the recording has 0\.05 to 0\.24 s"):
            export(chain, "csv", tmp_path / "x", Choice(from_s=3.0))


_TINY = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))
from hilctl.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


_FIRST = ("mat",)  # the one whose library a full disk takes down


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=() if n in _FIRST else (pytest.mark.slow, pytest.mark.many)) for n in FORMATS],
)
def test_an_export_that_the_disk_does_not_take_leaves_nothing_and_says_so(recorded, tmp_path, name):
    target = tmp_path / f"out{FORMATS[name].suffix}"
    command = [sys.executable, "-c", _TINY, "export", str(recorded[0]), "--out", str(target)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, cwd=Path.cwd(), check=False)
    assert done.returncode == RIG_SAID_NO, done.stderr
    assert "no part of it is kept" in done.stderr and str(target) in done.stderr and "File too large" in done.stderr
    assert not list(tmp_path.iterdir())


def test_the_command_line_says_what_it_wrote(recorded, tmp_path, capsys):
    path, given = recorded
    assert main(["export", str(path), "--json", "--out", str(tmp_path / "a.csv")]) == DONE
    told = json.loads(capsys.readouterr().out)
    assert (told["rows"], len(told["files"])) == (len(given), len(PARTS))
    assert main(["export", str(path)]) == WRONG_USE
    assert "--parquet" in capsys.readouterr().err
    assert main(["export", str(path), "--csv", "--out", str(path)]) == WRONG_USE
    (tmp_path / "b.h5").write_bytes(b"nothing")
    assert main(["export", str(tmp_path / "b.h5"), "--csv"]) == WRONG_USE
    assert "is no recording" in capsys.readouterr().err
