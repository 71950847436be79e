"""What is lent to a job: its starter's rights, never more, and no longer than either lasts."""

import pytest

from hilctl.service.lent import Lent
from hilctl.wire.errors import Refused
from hilctl.wire.roles import Role, Who

ALICE = Who("alice's key", "alice", Role.OPERATOR)


@pytest.fixture(params=["token", "key"])
def lent(request):
    """Who may do what, what a job of alice shows, and who that is."""
    roles = {ALICE.id: ALICE.role}
    lent = Lent(roles.get)
    made = lent.lend(ALICE, "job-3", ("public", "secret") if request.param == "key" else None)
    ask = (lambda: lent.of_key("public")) if request.param == "key" else (lambda: lent.of_token(made.token))
    return roles, lent, made, ask


def test_a_job_is_known_by_its_starter_and_has_that_role(lent):
    _, desk, made, ask = lent
    assert ask() == Who(made.id, "alice/job-3", Role.OPERATOR)
    assert desk.of_key("another") is None and desk.of_token("another") is None and desk.of_token("") is None


@pytest.mark.parametrize(("now", "then"), [(Role.COMMISSIONER, Role.OPERATOR), (Role.OBSERVER, Role.OBSERVER)])
def test_its_role_follows_its_starter_down_and_never_up(lent, now, then):
    roles, desk, made, ask = lent
    roles[ALICE.id] = now
    assert desk.role(made.id) == then == ask().role


def test_nothing_is_left_of_it_when_its_starter_is_revoked(lent):
    roles, desk, made, ask = lent
    del roles[ALICE.id]
    assert ask() is None and desk.role(made.id) is None


def test_nothing_is_left_of_it_when_the_job_has_ended(lent):
    _, desk, made, ask = lent
    desk.take_back(made.id)
    assert ask() is None and desk.role(made.id) is None


def test_a_job_starts_no_job(lent):
    _, desk, _, ask = lent
    with pytest.raises(Refused, match="jobs start no jobs"):
        desk.lend(ask(), "job-4", None)


def test_the_name_of_a_token_gives_no_access():
    lent = Lent({ALICE.id: ALICE.role}.get)
    made = lent.lend(ALICE, "job-3", None)
    assert made.id not in made.token and lent.of_token(made.id) is None
