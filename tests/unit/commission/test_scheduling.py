"""What compensation makes worse is left without it: by frequency, by speed, and said first."""

from types import SimpleNamespace

import pytest

from hilctl.commission import judging, scheduling, sines, tracking
from hilctl.commission.scheduling import WHOLE, cleared, scheduled, span
from hilctl.commission.work import Work
from hilctl.results.commissioned import Sent
from hilctl.results.proof import Thd, Tracked, Worse, Worth

HZ = ("inverse_from_hz", "inverse_to_hz")
LOW, HIGH = "law.feed.inverse_from_hz", "law.feed.inverse_to_hz"


@pytest.mark.parametrize(
    ("good", "low", "high"),
    [
        ("0111", 1.0, 500.0), ("1110", 0.0, 2.0), ("0110", 1.0, 2.0), ("1011", 2.0, 500.0), ("1101", 0.0, 1.0),
        ("0100", 1.0, 1.0), ("0000", 500.0, 500.0), ("1010", 0.0, 0.5),
    ],
)  # fmt: skip
def test_it_acts_over_the_longest_run_of_what_is_not_worse(good, low, high):
    points = [(hz, one == "1") for hz, one in zip((0.5, 1.0, 2.0, 5.0), good, strict=True)]
    assert span(list(reversed(points)), HZ) == {LOW: low, HIGH: high}


def test_where_nothing_is_worse_nothing_is_limited():
    assert span([(1.0, True), (2.0, True)], HZ) == {}
    assert span([], HZ) == {}


class Rig:
    def __init__(self):
        self.values, self.epoch = {**WHOLE, "law.feed.inverse": 1.0, "law.blend_s": 0.5}, 7

    def get(self, *keys):
        return {key: self.values[key] for key in keys} if keys else dict(self.values)

    def set(self, values, origin=""):
        self.values |= values
        self.epoch += 1
        return self.epoch

    def status(self):
        return {"tick": 0, "epoch": self.epoch}

    def pass_time(self, seconds):
        pass

    hello = {"rig": "r", "rate_hz": 1000.0, "clock": "virtual", "twin": True, "run": "x"}  # noqa: RUF012


SPEEDS = (0.02, 0.1, 0.32)


@pytest.fixture
def work(tmp_path, monkeypatch):
    """Sines of 0.5 to 5 Hz and three triangles, all made better; what is driven again comes out as before."""
    how = SimpleNamespace(folder=tmp_path, author="a", only=())
    made = Work(Rig(), how, lambda text: None)
    made.result.friction = SimpleNamespace(law="lugre")
    made.sizes = [sines.Size(hz, 0.02, 0.0) for hz in (0.5, 1.0, 2.0, 5.0)]
    made.tasks = [tracking.triangle(speed, 0.02) for speed in SPEEDS]
    made.result.thd = {size.key: Thd(0.02, 40.0, 4.0, 10.0) for size in made.sizes}
    made.result.tracking = [
        Tracked("triangle", task.text, 0.02, speed, before=Worth(50.0), after=Worth(5.0))
        for task, speed in zip(made.tasks, SPEEDS, strict=True)
    ]
    made.runs = [SimpleNamespace(law=when, task=task) for when in ("before", "after") for task in made.tasks]
    made.driven = []

    def distortion(rig, notes, sizes, when, left_out):
        made.driven += [size.key for size in sizes]
        for size in sizes:
            notes.result.thd[size.key].after, notes.result.thd[size.key].factor = 40.0, 1.0

    def tracked(rig, notes, tasks, when, left_out):
        made.driven += [task.text for task in tasks]
        for row in notes.result.tracking:
            row.after = Worth(50.0) if row.name in {task.text for task in tasks} else row.after
        return [SimpleNamespace(law="after", task=task) for task in tasks]

    monkeypatch.setattr(judging, "distortion", distortion)
    monkeypatch.setattr(judging, "tracked", tracked)
    monkeypatch.setattr(scheduling, "switch", lambda rig, share, origin: rig.set({"law.feed.inverse": share}))
    return made


def test_what_is_better_everywhere_stays_everywhere(work):
    work.result.thd["0.5"].after = 43.9  # repeats differ by so much
    scheduled(work)
    assert (work.rig.epoch, work.driven, work.result.worse, work.result.warnings) == (7, [], [], [])


def test_what_got_worse_limits_it_is_driven_again_and_stands_first_among_the_warnings(work):
    work.result.thd["5"].after, work.result.tracking[2].after = 60.0, Worth(100.0)
    work.notes.warn("the oil warmed")
    work.notes.warn("the sine of 5 Hz is distorted more than before, 60 % against 40 %; switch it off")
    scheduled(work)
    assert work.rig.values[HIGH] == 2.0 and work.rig.values["law.feed.inverse_to_m_s"] == 0.1
    assert work.rig.values[LOW] == work.rig.values["law.feed.inverse_from_m_s"] == 0.0
    assert work.driven == ["5", work.tasks[2].text]
    assert work.result.worse == [Worse(work.tasks[2].text, "rms error in µm", 50.0, 100.0),
                                 Worse("sine of 5 Hz", "distortion in %", 40.0, 60.0)]  # fmt: skip
    first, second = work.result.warnings
    assert first.startswith("with the inverse model everywhere, worse than without: triangle 0.32 m/s, ±20 mm (50")
    assert "law.feed.inverse_to_hz = 2" in first and second == "the oil warmed"
    assert work.result.sent.values[HIGH] == 2.0 and work.result.sent.old[HIGH] == 500.0
    assert [run.task.text for run in work.runs if run.law == "after"].count(work.tasks[2].text) == 1
    assert len(work.runs) == 6


def test_where_nothing_is_better_it_is_switched_off(work):
    for one in work.result.thd.values():
        one.after = 50.0
    for row in work.result.tracking:
        row.after = Worth(60.0)
    scheduled(work)
    assert work.rig.values["law.feed.inverse"] == 0.0
    assert len(work.driven) == 7
    assert "it is switched off" in work.result.warnings[0]


def test_without_a_friction_model_there_is_nothing_to_limit(work):
    work.result.friction, work.result.thd["5"].after = None, 60.0
    scheduled(work)
    assert work.rig.epoch == 7


def test_before_it_is_judged_anew_it_acts_everywhere(work):
    work.rig.values |= {HIGH: 2.0}
    work.result.sent = Sent(1, "", "", {HIGH: 2.0, "machine.m": 5.0}, {})
    work.result.worse = [Worse("x", "y", 1.0, 2.0)]
    cleared(work)
    assert work.rig.values[HIGH] == 500.0 and work.prepared[HIGH] == 500.0
    assert work.result.sent.values == {"machine.m": 5.0} and work.result.worse == []
