"""Recordings from elsewhere: every fault is told with what to do, and what is sound gives what was measured."""

import functools
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hilctl.identify.dynamics.analyse import judged, study_of
from hilctl.identify.dynamics.rig_plant import RigPlant
from hilctl.identify.frequency.intake import read_record
from hilctl.identify.frequency.intake_record import IntakeFault, experiment_of
from hilctl.identify.frequency.judge import RecordFault
from hilctl.identify.frequency.plan import Asked
from hilctl.identify.frequency.record import Pair
from hilctl.machine import GRAVITY

RATE, SECONDS, BAND = 500.0, 20.0, (1.0, 60.0)
PAIR = Pair("xd_m", "displacement_m")


@functools.cache
def swept():
    """Times, a sweep of 10 mm, and what a second order of 20 Hz makes of it, a little late, with 5 µm of noise."""
    t = np.arange(int(RATE * SECONDS)) / RATE
    ratio = np.log(BAND[1] / BAND[0])
    phase = 2 * np.pi * BAND[0] * SECONDS / ratio * (np.exp(ratio * t / SECONDS) - 1)
    u = 0.01 * np.sin(phase) * np.minimum(1, np.minimum(t, SECONDS - t) / 0.5)
    s = 2j * np.pi * np.fft.rfftfreq(2 * len(u), 1 / RATE)
    w = 2 * np.pi * 20
    y = np.fft.irfft(np.fft.rfft(u, 2 * len(u)) * w**2 / (s**2 + 1.2 * w * s + w**2))[: len(u)]
    return t, u, y + 5e-6 * np.random.default_rng(1).standard_normal(len(y))


def written(path, header, *columns, mark=","):
    np.savetxt(path, np.column_stack(columns), delimiter=mark, header=header, comments="", fmt="%.9g")
    return path


def found(path, mapping=None, band=None, **more):
    return judged(experiment_of(read_record(path, mapping, **more), "xd_m", band_hz=band), (PAIR,), None)


def test_a_csv_as_we_export_it_gives_the_response(tmp_path):
    file = written(tmp_path / "a.csv", "time_s,xd_m,displacement_m", *swept())
    study = study_of([experiment_of(read_record(file), "xd_m")], RigPlant(), None, Asked(), rig="bench")
    response = study.responses[0].response
    s, w = 2j * np.pi * response.hz, 2 * np.pi * 20
    truth = w**2 / (s**2 + 1.2 * w * s + w**2)
    inner = (response.hz > 2) & (response.hz < 45)
    assert np.abs(response.gain / truth - 1)[inner].max() < 0.01
    assert study.responses[0].bandwidth.phase.hz == pytest.approx(20, rel=0.01)
    assert study.transfers[0].family.best.amplitude_percent > 98
    assert study.grey is None and "name its rig file" in study.remarks[-1]


@settings(max_examples=25, deadline=None)
@given(
    length=st.sampled_from([("m", 1.0), ("mm", 1e-3), ("µm", 1e-6), ("cm", 1e-2)]),
    force=st.sampled_from([("g", GRAVITY), ("m/s2", 1.0)]),
    clock=st.sampled_from([("s", 1.0), ("ms", 1e-3)]),
    mark=st.sampled_from([",", ";", "\t"]),
    decimal=st.booleans(),
    order=st.permutations(range(4)),
    rate=st.sampled_from([250.0, 1000.0, 2048.0]),
)
def test_units_separators_and_order_do_not_matter(tmp_path_factory, length, force, clock, mark, decimal, order, rate):
    random = np.random.default_rng(0)
    t = np.arange(50) / rate
    truth = {"displacement_m": random.standard_normal(50), "acceleration_m_s2": random.standard_normal(50)}
    columns = [
        (f"t [{clock[0]}]", t / clock[1]), (f"displacement ({length[0]})", truth["displacement_m"] / length[1]),
        (f"Beschl. [{force[0]}]", truth["acceleration_m_s2"] / force[1]), ("Bemerkung", 0 * t),
    ]  # fmt: skip
    text = mark.join(columns[k][0] for k in order) + "\n"
    comma = decimal and mark != ","
    for row in zip(*(columns[k][1] for k in order), strict=True):
        text += mark.join(repr(float(x)).replace(".", ",") if comma else repr(float(x)) for x in row) + "\n"
    path = tmp_path_factory.mktemp("csv") / "r.csv"
    path.write_text(text)
    made = read_record(path, {"acceleration": f"Beschl. [{force[0]}]"})
    assert made.rate_hz == pytest.approx(rate, rel=1e-9)
    for name, values in truth.items():
        assert made.channels[name] == pytest.approx(values, rel=1e-12)
    assert set(made.channels) == set(truth)


@pytest.mark.parametrize(
    ("text", "mapping", "says"),
    [
        ("", {}, "is empty"),
        ("1,2,3\n4,5,6\n", {}, "numbers instead of a header"),
        ("a,b\n1,2\n", {}, "--map displacement=b"),
        ("time_s,xd_m\n0,1\n0.1,x\n", {}, "line 3 column 'xd_m': 'x' is not a number"),
        ("time_s,xd_m,displacement_m\n0,1,2\n0.1,2\n", {}, "line 3 column 'displacement_m': the line has 2 columns"),
        ("xd_m,displacement_m\n0,1\n1,2\n", {}, "--rate HZ"),
        ("time_s,xd_m\n1,0\n1,0\n1,3\n", {}, "times do not grow"),
        ("time_s,Weg,Weg\n0,1,2\n", {}, "names Weg twice"),
        ("time_s,Weg\n0,1\n1,2\n", {"displacement": "Wge"}, "has no such column; it has time_s, Weg"),
        ("time_s,Weg\n0,1\n1,2\n", {"displacement": "Weg:bar"}, "unit 'bar' is not known here"),
        ("time_s,Weg\n0,1\n1,2\n", {"displacment": "Weg"}, "no such channel; did you mean"),
        ("\0\1\2\3", {}, "neither text nor a recording"),
    ],
)
def test_a_file_that_cannot_be_read_is_told_by_place_and_remedy(tmp_path, text, mapping, says):
    (tmp_path / "r.csv").write_text(text)
    with pytest.raises(IntakeFault, match=re.escape(says)):
        read_record(tmp_path / "r.csv", mapping)


def _spoiled(kind):
    t, u, y = (each.copy() for each in swept())
    if kind == "too short":
        t, u, y = t[:200], u[:200], y[:200]
    elif kind == "not finite":
        y[1000] = np.nan
    elif kind == "zero variance":
        y[:] = 0.02
    elif kind == "dropped samples":
        kept = np.delete(np.arange(len(t)), np.r_[3000:3040])
        t, u, y = t[kept], u[kept], y[kept]
    elif kind == "clipped":
        y = np.clip(y, -0.006, 0.006)
    elif kind == "saturated":
        u = np.clip(u, -0.006, 0.006)
    elif kind == "unexcited":
        y = 1e-5 * np.random.default_rng(2).standard_normal(len(y))
    elif kind == "swapped":
        u, y = y, u
    return t, u, y


@pytest.mark.parametrize(
    ("kind", "says"),
    [
        ("too short", "record longer"), ("not finite", "sample 1000; cut the record there"),
        ("zero variance", "check the sensor"), ("dropped samples", "40 samples are missing in 1 gaps"),
        ("clipped", "widen its range"), ("saturated", "drive with less amplitude"), ("unexcited", "coherence"),
        ("swapped", "leads xd_m"),
    ],
)
def test_what_is_wrong_with_a_record_is_named(tmp_path, kind, says):
    findings = found(written(tmp_path / "r.csv", "time_s,xd_m,displacement_m", *_spoiled(kind)))
    assert kind in [one.kind for one in findings]
    assert says in next(one.text for one in findings if one.kind == kind)


def test_a_wrong_rate_is_told_by_the_times_and_by_the_band(tmp_path):
    t, u, y = swept()
    timed = found(written(tmp_path / "t.csv", "time_s,xd_m,displacement_m", t, u, y), rate_hz=400.0)
    assert [one.kind for one in timed] == ["wrong rate"] and "500" in timed[0].text
    alone = found(written(tmp_path / "u.csv", "xd_m,displacement_m", u, y), rate_hz=200.0, band=BAND)
    assert "wrong rate" in [one.kind for one in alone]
    assert not found(tmp_path / "t.csv", band=BAND)


def test_a_channel_that_is_missing_is_asked_for(tmp_path):
    t, u, _ = swept()
    file = written(tmp_path / "r.csv", "time_s,xd_m", t, u)
    with pytest.raises(RecordFault, match=r"displacement_m.*--map, --input, --output"):
        study_of([experiment_of(read_record(file), "xd_m")], RigPlant(), None, Asked(), rig="bench")
