"""Where the valve swallows the fast motions, it is set, and all of them are driven again."""

from types import SimpleNamespace

import pytest

from hilctl.commission import identifying
from hilctl.experiment.drive import LegFault


class Fit(SimpleNamespace):
    """What an identification found."""

    def changes(self):
        return {"machine.overlap_a": self.overlap}

    def since(self, first):
        return ("whole", first)


VALVE, WHOLE = Fit(fast_left_out="swallowed", overlap=0.05), Fit(fast_left_out="", overlap=0.049)


@pytest.fixture
def work(monkeypatch):
    """A work without a rig: what was set, what was warned of, and what the rig's state is."""
    made = SimpleNamespace(
        rig=SimpleNamespace(status=lambda: made.status), status={"mode": "hold", "trip": None}, set=[], warned=[],
        notes=SimpleNamespace(say=None, stage="plant", warn=lambda text: made.warned.append(text)),
        gains=lambda changed: None, origin="test",
    )  # fmt: skip
    monkeypatch.setattr(identifying, "adopt", lambda rig, values, origin: (made.set.append(values), {}))
    return made


def identified(monkeypatch, *found):
    left = list(found)

    def one(*_):
        made = left.pop(0)
        if isinstance(made, Exception):
            raise made
        return made

    monkeypatch.setattr(identifying, "identify_plant", one)


def test_without_it_once_is_enough(work, monkeypatch):
    identified(monkeypatch, WHOLE)
    assert identifying._with_the_valve(work) is WHOLE
    assert not work.set


def test_it_is_set_before_all_are_driven_again(work, monkeypatch):
    identified(monkeypatch, VALVE, WHOLE)
    assert identifying._with_the_valve(work) == ("whole", VALVE)
    assert work.set == [VALVE.changes()] and not work.warned


def test_what_fails_then_leaves_the_valve(work, monkeypatch):
    identified(monkeypatch, VALVE, LegFault("chirp up: a sensor died"))
    assert identifying._with_the_valve(work) is VALVE
    assert len(work.warned) == 1 and "a sensor died" in work.warned[0]


def test_a_trip_then_ends_it(work, monkeypatch):
    identified(monkeypatch, VALVE, LegFault("tripped"))
    work.status = {"mode": "hold", "trip": {"name": "velocity"}}
    with pytest.raises(LegFault):
        identifying._with_the_valve(work)
