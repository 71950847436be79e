"""Who lost what was lost: the link, the host, or a sensor alone; and from what share on the link is to blame."""

import pytest

from hilctl.experiment.blame import Counted, bad_link, whose
from hilctl.experiment.policy import SHARE
from hilctl.experiment.record import Losses

BEFORE = Counted({"timeout": 5, "late": 2}, 10_000, 3)


def after(timeouts=0, exchanges=1000, missed=0):
    return Counted({"timeout": 5 + timeouts, "late": 2, "closed": 0}, 10_000 + exchanges, 3 + missed)


def losses(*rejected):
    return Losses(1000, 0 if rejected else 4, dict.fromkeys(rejected, 4), (4,))


@pytest.mark.parametrize(
    ("counted", "lost", "says"),
    [
        (after(timeouts=7), losses("acceleration"), "the link failed meanwhile: 7 timeout; check its cable"),
        (after(missed=4), losses(), "the loop missed 4 ticks; `hilctl doctor`"),
        (after(), losses("acceleration", "pressure_a"), "check range and cable of acceleration and pressure_a"),
        (after(), losses(), "run `hilctl doctor`"),
    ],
)
def test_what_counted_up_is_named(counted, lost, says):
    assert says in whose(BEFORE, counted, lost)


def test_a_link_is_bad_beyond_the_share_that_a_measurement_may_lose():
    most = int(SHARE * 1000)
    assert bad_link(BEFORE, after(timeouts=most)) == ""
    said = bad_link(BEFORE, after(timeouts=most + 1))
    assert said.startswith("10 % of the exchanges with the device failed meanwhile: 101 timeout; check its cable")


@pytest.mark.parametrize("exchanges", [0, -10_000])
def test_of_a_service_that_started_again_nothing_is_said(exchanges):
    assert bad_link(BEFORE, after(timeouts=7, exchanges=exchanges)) == ""
