"""Files as measurement systems write them: each gives the numbers that stand in it, or is refused in one line."""

import gzip
from datetime import datetime, timedelta

import h5py
import numpy as np
import pytest

from hilctl.identify.frequency.intake import read_record
from hilctl.identify.frequency.intake_record import IntakeFault
from hilctl.identify.frequency.intake_table import lines_of, parted, table_of

RATE, COUNT = 1000.0, 400
T = np.arange(COUNT) / RATE
X = 0.01 * np.random.default_rng(1).standard_normal(COUNT)
U = 0.01 * np.random.default_rng(2).standard_normal(COUNT)
BEGIN = datetime(2024, 3, 1, 23, 59, 59, 900000)
NAMED = {"displacement": "Weg [mm]", "reference": "Soll [mm]"}


def rows(*columns, mark=",", comma=False, end=""):
    told = [[x if isinstance(x, str) else f"{x:.9g}" for x in row] for row in zip(*columns, strict=True)]
    text = "".join(mark.join(row) + end + "\n" for row in told)
    return text.replace(".", ",") if comma else text


def stamps(form):
    return [(BEGIN + timedelta(seconds=float(t))).strftime(form) for t in T]


MM = (T, 1e3 * U, 1e3 * X)
OURS = "time_s,xd_m,displacement_m\n" + rows(T, U, X)
TAKEN = {
    "a line of units": ("Zeit;Soll;Weg\ns;mm;mm\n" + rows(*MM, mark=";", comma=True),
                        {"time": "Zeit", "displacement": "Weg", "reference": "Soll"}),
    "a line of units in brackets": ("Time,Reference,Displacement\n[s],[mm],(mm)\n" + rows(*MM), {}),
    "text before": ("Messung 1\nGerät: X; 3\n\nRate: 1000 Hz\n50;60\nt [s];Soll [mm];Weg [mm]\n" + rows(*MM, mark=";"),
                    NAMED),
    "LabVIEW": ("LabVIEW\t\nWriter\t2\n***End_of_Header***\t\nX_Value\tSoll\tWeg\tComment\n"
                + rows(*MM, mark="\t", comma=True, end="\t"),
                {"time": "X_Value", "displacement": "Weg:mm", "reference": "Soll:mm"}),
    "signs of comments": ("% of Matlab\n// and C\n# and ours\n" + OURS, {}),
    "Greek mu": ("t [s],Reference [\N{GREEK SMALL LETTER MU}m],Displacement [\N{MICRO SIGN}m]\n"
                 + rows(T, 1e6 * U, 1e6 * X), {}),
    "quotes": ('"Time [s]";"Soll, roh [mm]";"Displacement [mm]"\n' + rows(*MM, mark=";", comma=True),
               {"reference": "Soll, roh"}),
    "separators at the end": ("time_s;xd_m;displacement_m\n" + rows(T, U, X, mark=";", end=";"), {}),
    "spaces": ("  time_s   xd_m  displacement_m\n" + rows(T, U, X, mark="   "), {}),
    "bars": ("time_s|xd_m|displacement_m\n" + rows(T, U, X, mark="|"), {}),
    "carriage returns": (OURS.replace("\n", "\r\n"), {}),
    "ISO times over midnight": ("time,xd_m,displacement_m\n" + rows(stamps("%Y-%m-%dT%H:%M:%S.%f"), U, X), {}),
    "German times": ("time;xd_m;displacement_m\n" + rows(stamps("%d.%m.%Y %H:%M:%S.%f"), U, X, mark=";"), {}),
    "times of day over midnight": ("time,xd_m,displacement_m\n" + rows(stamps("%H:%M:%S.%f"), U, X), {}),
    "Unix times": ("time_s,xd_m,displacement_m\n" + rows([f"{1.7e9 + t:.6f}" for t in T], U, X), {}),
    "volts": ("time_s,U_soll,U_weg\n" + rows(T, U / 0.02, X / 0.02),
              {"displacement": "U_weg:0.02", "reference": "U_soll:0.02"}),
    "a last line that was cut off": (OURS + "0.4,0.0", {}),
    "one that looks whole": (OURS + "0.4,0.01,7", {}),
}  # fmt: skip


def taken(path, mapping=None, **more):
    made = read_record(path, mapping, **more)
    assert made.rate_hz == pytest.approx(RATE, rel=1e-5)
    assert made.channels["displacement_m"] == pytest.approx(X, rel=1e-6)
    assert made.channels["xd_m"] == pytest.approx(U, rel=1e-6)
    return made


@pytest.mark.parametrize("form", TAKEN)
def test_what_others_write_is_taken_as_it_is_meant(form, tmp_path):
    text, mapping = TAKEN[form]
    (tmp_path / "r.csv").write_text(text, newline="")
    made = taken(tmp_path / "r.csv", mapping)
    assert bool(made.notes) == ("last line" in form or "looks whole" in form)


@pytest.mark.parametrize("packed", ["utf-8-sig", "utf-16", "latin-1", "gzip"])
def test_encodings_are_known(packed, tmp_path):
    text = "# Ø\n" + OURS
    (tmp_path / "r.csv").write_bytes(gzip.compress(text.encode()) if packed == "gzip" else text.encode(packed))
    taken(tmp_path / "r.csv")


def test_times_with_few_digits_tell_the_rate_all_the_same(tmp_path):
    t = np.arange(4096) / 2048
    for digits in (6, 4, 3):
        told = rows([f"{x:.{digits}f}" for x in t], t)
        (tmp_path / "r.csv").write_text("time_s,displacement_m\n" + told)
        made = read_record(tmp_path / "r.csv", rate_hz=2048.0 if digits == 3 else 0.0)
        assert made.rate_hz == pytest.approx(2048, rel=1e-5)
        assert (made.times_s is None) == (digits == 3) == bool(made.notes)
    with pytest.raises(IntakeFault, match=r"rounded to 0.001 s.*--rate HZ"):
        read_record(tmp_path / "r.csv")


@pytest.mark.parametrize(
    ("text", "mapping", "says"),
    [
        ("time,xd_m\n" + rows(1e3 * T, U), {}, r"say 1 Hz.*--map time=COLUMN:ms"),
        ("Zeit [s],xd_m\n" + rows(T, U), {}, r"it has Zeit \[s\], xd_m; say which.*--map time=COLUMN"),
        ("time_s,xd_m\n", {}, "line 1 and nothing below it"),
        ("time_s,xd_m\n0,1\n", {}, "one row of numbers"),
        ("time_s,xd_m\n0,1\nnan,1\n0.2,1\n", {}, "line 3 column 'time_s': the time is missing"),
        ("time_s,xd_m\n0,1 m\n0.1,1\n", {}, "line 2 column 'xd_m': '1 m' is not a number"),
        (OURS + "Ende\n", {}, "line 402 column 'time_s': 'Ende' is not a number"),
        (OURS, {"displacement": "xd_m", "reference": "xd_m"}, "the same column more than once"),
        (OURS, {"t": "xd_m", "time": "time_s"}, "the same channel more than once"),
        ("time_s,U\n" + rows(T, U), {"displacement": "U:V"}, "or the number of m that one is worth"),
        ("time_s,U\n" + rows(T, U), {"displacement": "U:nan"}, "unit 'nan' is not known here"),
    ],
)
def test_what_is_lacking_is_told_by_place_and_remedy(text, mapping, says, tmp_path):
    (tmp_path / "r.csv").write_text(text)
    with pytest.raises(IntakeFault, match=says):
        read_record(tmp_path / "r.csv", mapping)


@pytest.mark.parametrize(
    ("begin", "says"),
    [
        (b"PK\x03\x04", "a packed file"), (b"\xd0\xcf\x11\xe0\xa1", "an Excel workbook"),
        (b"MATLAB 5.0 MAT-file", "a MATLAB file"), (b"\x89HDF\r\n\x1a\njunk", "cut off or damaged"),
        (b"a\0b\0", "neither text nor"), (gzip.compress(b"abc" * 99, mtime=0)[:-9], "packed by gzip, and cut off"),
    ],
)  # fmt: skip
def test_what_is_no_text_is_named(begin, says, tmp_path):
    (tmp_path / "r.csv").write_bytes(begin)
    with pytest.raises(IntakeFault, match=rf"r\.csv is .*{says}") as told:
        read_record(tmp_path / "r.csv")
    assert len(str(told.value)) < 300 and str(told.value).isprintable()


def test_hdf5_of_others_and_directories_are_named(tmp_path):
    with h5py.File(tmp_path / "r.h5", "w") as file:
        file["displacement"] = X
    with pytest.raises(IntakeFault, match=r"r\.h5 is HDF5, and no recording of ours"):
        read_record(tmp_path / "r.h5")
    with pytest.raises(IntakeFault, match="is a directory; name a file in it"):
        read_record(tmp_path)


def test_a_quotation_mark_that_nothing_ends_spoils_its_line_alone_and_an_endless_line_is_named():
    table = table_of(lines_of('a,b\n1,2\n"3,4\n5,6\n'))
    assert list(parted(table.rows, table.mark))[-1] == ["5", "6"] and len(table.rows) == 3
    with pytest.raises(IntakeFault, match="line 2 has 100001 characters"):
        lines_of("a,b\n" + 100_001 * "1" + "\n")
