"""What is driven: within the rig's room, in motions of bearable length, again with less where it was too much, kept."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from hilctl.client import Outcome, Refused
from hilctl.client.client import Motion
from hilctl.experiment.drive import LegFault
from hilctl.experiment.store import StoreError
from hilctl.identify.dynamics.rig_plant import plant_record
from hilctl.identify.frequency.drive import PLAN, Run, history_of
from hilctl.identify.frequency.excite_shape import room_of
from hilctl.identify.frequency.plan import PART_S, Asked, check_asked, legs_of, signal_of
from hilctl.params import BadValues
from tests.unit.identify.plant.plant_parts import BELIEVED, facts

ALL = ("multisine", "sweep", "stepped")
FRICTION = {"friction.model": "coulomb", "friction.fc": 300.0}


@settings(max_examples=12, deadline=None, phases=(Phase.explicit, Phase.generate))
@given(
    position=st.floats(0.01, 0.09), speed=st.floats(0.1, 1.5), acceleration=st.floats(5.0, 200.0),
    flow=st.floats(5e-4, 1e-2), mass=st.floats(100.0, 2000.0), top=st.sampled_from([20.0, 60.0, 100.0]),
    wanted=st.sampled_from([0.0, 2e-3]), friction=st.sampled_from([{}, FRICTION]),
)  # fmt: skip
def test_every_motion_keeps_to_what_the_rig_has_room_for(
    position, speed, acceleration, flow, mass, top, wanted, friction
):
    rig = facts(**friction, **{
        "limits.position.min_m": -position, "limits.position.max_m": position, "limits.velocity.max_m_s": speed,
        "limits.acceleration.max_m_s2": acceleration, "machine.Qn": flow, "machine.m": mass,
    })  # fmt: skip
    room = room_of(rig)
    for leg in legs_of(Asked(excitations=ALL, end_hz=top, amplitude_m=wanted), rig):
        if leg.name[-1] in "234":  # other phases of a multisine, other parts of a stepped sine
            continue
        x = signal_of(leg, rig).values
        v, a = np.gradient(x) * rig.rate_hz, np.gradient(np.gradient(x)) * rig.rate_hz**2
        assert np.abs(x).max() <= 1.001 * min(room.position_m, wanted or 1.0)
        assert np.abs(v).max() <= 1.001 * min(room.velocity_m_s, room.no_load_speed_m_s * room.opening)
        assert np.abs(a).max() <= 1.001 * room.acceleration_m_s2
        assert np.abs(x).max() > 0 and leg.seconds < 60


def test_a_stepped_sine_is_cut_into_motions_that_hold_every_frequency_once():
    legs = [leg for leg in legs_of(Asked(excitations=("stepped",)), facts()) if leg.kind == "stepped"]
    assert len(legs) > 1 and max(leg.seconds for leg in legs) < PART_S + 1
    shown = [step.hz for leg in legs for step in signal_of(leg, facts()).made.steps]
    assert shown == pytest.approx(list(range(1, 101)))


def test_what_is_kept_for_checks_is_another_motion():
    roles = {leg.name: leg.role for leg in legs_of(Asked(excitations=ALL), facts())}
    assert [name for name, role in roles.items() if role == "check"] == ["check sweep", "check step"]
    assert not any(leg.role == "check" for leg in legs_of(Asked(excitations=ALL, checks=False), facts()))


@pytest.mark.parametrize("rate_hz", [1000.0, 2000.0, 5000.0])
def test_an_upload_is_no_finer_than_the_services_knots(rate_hz):
    rig = type(facts())("made-up", rate_hz, 0, BELIEVED)
    leg = legs_of(Asked(excitations=("sweep",), checks=False), rig)[0]
    signal = signal_of(leg, rig)
    history, rest = history_of(signal, rate_hz)
    assert history.interval_s == pytest.approx(1e-3)
    begin = rest * history.interval_s
    then = np.interp(begin + np.arange(len(signal.values)) / rate_hz, history.times_s, history.values)
    assert np.abs(then - signal.values).max() < 2e-3 * np.abs(signal.values).max()


@pytest.mark.parametrize(
    ("asked", "key"),
    [
        ({"excitations": ("multisin",)}, "multisine"), ({"input": "xd"}, "xd_m"),
        ({"input": "xd_m", "output": "xd_m"}, "must differ from the input"), ({"start_hz": 5.0, "end_hz": 2.0}, "band"),
        ({"amplitude_m": -1.0}, "amplitude"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(asked, key):
    with pytest.raises(BadValues, match=key):
        check_asked(Asked(**asked))


class Rig:
    """A client of a rig that follows exactly, and saturates, refuses, trips or is late where it is told to."""

    timeout_s = 10.0

    def __init__(self, saturates_above=np.inf, refuses_above=np.inf, trips_in="", changes=None, late=()):
        self.saturates_above, self.refuses_above, self.trips_in = saturates_above, refuses_above, trips_in
        self.late = list(late)  # ticks, of one motion after the other
        self.hello = {"clock": "virtual", "rig": "made-up", "rate_hz": 1000.0}
        self.values, self.trip, self.driven = {**BELIEVED, **(changes or {})}, None, []

    def status(self):
        return {"trip": self.trip, "mode": "off" if self.trip else "hold", "epoch": 0,
                "link": {"errors": {}, "exchanges": 0}, "core": {"missed": 0}}  # fmt: skip

    def get(self):
        return self.values

    def move(self, position_m):
        return Motion(1, 0, 1.0, "", {}, {})

    def upload(self, name, values, quantity, *, interval_s):
        self.name, self.uploaded = name, np.asarray(values)

    def track(self, kind, **parameters):
        if np.abs(self.uploaded).max() > self.refuses_above:
            raise Refused("limit", "passes limits.velocity at 1.2 s", "limits.velocity")
        self.driven.append((self.name, float(np.abs(self.uploaded).max())))
        if self.name == self.trips_in:
            self.trip = {"name": "pressure", "key": "limits.pressure", "value": 3.1e7, "limit": 3e7, "unit": "Pa",
                         "meaning": "a chamber pressure passed the limit", "remedy": "check the supply",
                         "text": "a chamber pressure passed limits.pressure.max_pa; check the supply"}  # fmt: skip
        return Motion(2, 0, len(self.uploaded) / 1000, "", {"first_sample_s": 0.0}, {})

    def wait(self, motion):
        why = "tripped" if self.trip else "done"
        return Outcome(why, 0, len(self.uploaded) - 1 if motion.id == 2 else 0, 0, "", "hold")

    def pass_time(self, seconds):
        return SimpleNamespace(last=len(self.uploaded) - 1)

    def samples(self, first, last, channels, *, keep=False):
        made = {name: np.random.default_rng(0).standard_normal(last + 1) for name in channels}
        ticks = np.arange(last + 1)
        ticks[500:] += self.late.pop(0) if self.late else 0
        made |= {"tick": ticks, "rejected": 0 * ticks, "xd_m": self.uploaded, "displacement_m": self.uploaded}
        over = np.abs(self.uploaded) > self.saturates_above
        return {name: values[: last + 1] for name, values in {**made, "saturated": over}.items()}


def begun(rig, folder, excitations=("multisine",)):
    asked = Asked(excitations=excitations, checks=False, end_hz=30.0)
    return Run.begin(rig, folder, asked, facts(), legs_of(asked, facts()))


@pytest.mark.parametrize("limit", ["saturates_above", "refuses_above"])
def test_what_is_too_much_is_driven_with_less_and_told(tmp_path, limit):
    full = np.abs(signal_of(begun(Rig(), tmp_path / "a").header.legs[0], facts()).values).max()
    rig = Rig(**{limit: 0.5 * full})
    done = next(begun(rig, tmp_path / "b").drive())
    assert done.share < 1
    assert rig.driven[-1][1] == pytest.approx(done.share * full, rel=1e-3)
    assert len(done.notes) >= 1 and ("saturated" if limit == "saturates_above" else "limits.velocity") in done.notes[0]
    with pytest.raises(LegFault, match="--amplitude"):
        next(begun(Rig(**{limit: 1e-9}), tmp_path / "c").drive())


def test_a_motion_in_which_the_loop_was_late_for_too_many_ticks_is_driven_again_and_told(tmp_path):
    rig = Rig(late=(40, 40, 0, 3, 40, 40, 40))
    run = begun(rig, tmp_path)
    steps = run.drive()
    done = [next(steps), next(steps)]
    with pytest.raises(LegFault, match=r"driven 3 times.*40 ticks in a row lost, more than the 5.*--resume"):
        next(steps)
    assert [name for name, _ in rig.driven] == ["multisine-1"] * 3 + ["multisine-2"] + ["multisine-3"] * 3
    assert [len(one.notes) for one in done] == [2, 0] and "40 ticks in a row lost" in done[0].notes[0]
    first, second = run.experiments()
    assert not any("did not run" in note for note in first.notes) and "3 ticks did not run" in second.notes[0]
    assert np.diff(second.channels["tick"]).max() == 1
    assert np.isfinite(second.channels["xd_m"]).all() and np.isnan(second.record["xd_m"]).sum() == 3
    assert plant_record(second).losses.missed == 3, "what a plant is fitted to says which ticks did not run"


def test_a_trip_is_told_and_what_is_left_is_driven_later(tmp_path):
    rig = Rig(trips_in="multisine-3")
    run = begun(rig, tmp_path)
    with pytest.raises(LegFault, match=r"limits\.pressure.*check the supply.*--resume"):
        list(run.drive())
    assert [leg.name for leg in run.left] == ["multisine 3", "multisine 4"]
    with pytest.raises(LegFault, match="correct the cause, then run `hilctl reset`"):
        next(Run.resume(rig, tmp_path).drive())
    (tmp_path / "legs/multisine-1-01.npz").write_bytes(b"cut off")
    again = Rig()
    went = Run.resume(again, tmp_path)
    assert went.progress.done == 1 and went.progress.name == "multisine 1"
    list(went.drive())
    assert [name for name, _ in again.driven] == ["multisine-1", "multisine-3", "multisine-4"]
    assert [one.name for one in Run.resume(None, tmp_path).experiments()] == [f"multisine {k}" for k in (1, 2, 3, 4)]


def test_a_study_goes_on_only_with_the_same_rig_and_loop(tmp_path):
    next(begun(Rig(), tmp_path).drive())
    with pytest.raises(LegFault, match=r"machine\.m was 500\.0, is 480\.0"):
        Run.resume(Rig(changes={"machine.m": 480.0}), tmp_path)
    with pytest.raises(LegFault, match="name the rig"):
        next(Run.resume(None, tmp_path).drive())
    with pytest.raises(StoreError, match="--resume"):
        begun(Rig(), tmp_path)
    with pytest.raises(StoreError, match="holds no study"):
        Run.resume(None, tmp_path / "elsewhere")
    (tmp_path / PLAN).write_text("{")
    with pytest.raises(StoreError, match="begin a new study"):
        Run.resume(None, tmp_path)
