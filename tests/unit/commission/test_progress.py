"""How far a commissioning is: forward only, from nothing to all of it, over the stages that are asked for."""

from pathlib import Path

import pytest

from hilctl.commission.how import How
from hilctl.commission.progress import expected_s
from hilctl.experiment.stages import progress

WHOLE = How(Path("x"), tune=True, learn_hz=(1.0, 2.0))


def test_it_goes_from_nothing_to_all_and_never_back():
    stages = expected_s(WHOLE)
    shown = [progress(stages, stage, share) for stage in stages for share in (0.0, 0.5)]
    assert shown[0].fraction == 0.0 and shown[0].left_s == sum(stages.values())
    assert [one.fraction for one in shown] == sorted(one.fraction for one in shown)
    assert shown[-1].fraction == pytest.approx(1.0) and shown[-1].left_s == pytest.approx(0.0)


def test_only_what_is_asked_for_counts():
    stages = expected_s(How(Path("x"), only=("friction",), warm_up_s=1.0, campaign_s=20.0))
    assert list(stages) == ["preparing", "measuring friction", "fitting the friction model", "keeping the parameters"]
    assert progress(stages, "measuring friction", 0.5).left_s == pytest.approx(10.0)
    assert "gains" not in expected_s(How(Path("x"))) and "learning" not in expected_s(How(Path("x")))


def test_its_stages_are_those_of_the_work():
    """A stage that is renamed would count for nothing."""
    sources = "".join(path.read_text() for path in (Path(__file__).parents[3] / "hilctl" / "commission").glob("*.py"))
    for stage in expected_s(WHOLE):
        name = stage.replace("before", "{when}").replace("after", "{when}")
        assert f'stages("{stage}")' in sources or f'stages(f"{name}")' in sources, stage
