"""A lease that a program holds for a person: it lasts while that person is present, and outlasts a reconnection."""

import pytest

from hilctl.client import Client, Code
from hilctl.errors import WrongUse
from tests.system.service_parts import ARMS_FAST, LATE_HOST, armed, refusal, until

pytestmark = [pytest.mark.realtime, pytest.mark.timeout(300)]

CALM = {
    **ARMS_FAST, **LATE_HOST, "limits.late.action": "warn", "service.timeout_s": 10.0,
    "service.lease_timeout_s": 1.0, "service.heartbeat_s": 0.1,
}  # fmt: skip
ENDLESS = {"amplitude_m": 0.005, "frequency_hz": 1.0}


class Person:
    """Somebody, who is present or not."""

    def __init__(self):
        self.present, self.asked = True, 0

    def __call__(self):
        self.asked += 1
        return self.present

    def leaves(self, rig):
        self.present = False
        until(lambda: rig._identity.quiet, "the first beat that is left out")


@pytest.fixture
def held():
    """A rig in hold, a client that has its lease for a person, and a client that looks on."""
    with armed(clock="real", changes=CALM) as (service, first), Client(service.commands, lease="none") as looker:
        first.release()
        with Client(service.commands, lease="none") as rig:
            yield service, rig, looker


def test_who_is_gone_loses_the_lease_and_the_rig_does_what_its_file_says_however_much_is_read(held):
    _, rig, looker = held
    person = Person()
    rig.take(while_present=person)
    motion = rig.track("sine", **ENDLESS)
    rig.pass_time(1.5)
    assert rig.lease_lost == "" and looker.status()["motion"] == motion.id  # while he is there it is kept
    person.leaves(rig)
    until(lambda: rig.status()["lease"] is None and rig.events(), "the loss, while the holder goes on reading")
    outcome = looker.wait(motion)
    assert (outcome.why, outcome.trip) == ("tripped", "lease_lost")
    why = until(lambda: rig.lease_lost, "its word")
    assert "nobody was present for" in why and "the service waits for 1 s (service.lease_timeout_s)" in why
    (lost,) = (e for e in looker.events() if e["kind"] == "lease_lost")
    assert lost["silent_s"] >= 1.0 and lost["then"] == "stop"
    person.present = True
    asked = person.asked
    assert refusal(rig.reset).code == Code.NO_LEASE  # who comes back too late takes it again
    rig.take(while_present=person)
    until(lambda: person.asked > asked, "the beats of another lease")
    rig.reset()
    rig.release()


def test_who_is_back_in_time_goes_on_with_the_same_lease(held):
    _, rig, looker = held
    person = Person()
    rig.take(while_present=person)
    motion, token = rig.track("sine", **ENDLESS), rig.lease_token
    for _ in range(3):
        person.leaves(rig)
        person.present = True
        until(lambda: not rig._identity.quiet, "a beat")
    rig.pass_time(1.5)
    assert rig.lease_token == token and rig.lease_lost == "" and looker.status()["motion"] == motion.id
    assert not [e for e in looker.events() if e["kind"] == "lease_lost"]
    rig.stop()
    rig.release()


def test_what_raises_instead_of_an_answer_is_no_presence(held):
    _, rig, looker = held

    def broken():
        raise KeyError("session")

    rig.take(while_present=broken)
    why = until(lambda: rig.lease_lost, "the loss")
    assert "while_present raised KeyError('session')" in why
    assert until(lambda: looker.status()["lease"] is None, "a free lease")


def test_another_client_of_the_program_goes_on_with_its_lease(held):
    service, rig, looker = held
    rig.take()
    motion, token = rig.track("sine", **ENDLESS), rig.lease_token
    rig.close()  # its connection is lost, without a word
    with Client(service.commands, lease="none") as again:
        assert refusal(again.hold).code == Code.LEASE_HELD
        assert refusal(again.resume, "x" * 32).code == Code.LEASE_HELD and not again.lease_token
        again.resume(token)
        again.pass_time(2.0)
        assert again.lease_token == token and looker.status()["motion"] == motion.id
        person = Person()
        again.resume(token, while_present=person)  # from here on for a person
        again.hold()
        person.leaves(again)
        until(lambda: again.lease_lost, "the loss")
        assert refusal(again.resume, token).code == Code.NO_LEASE and not again.lease_token


def test_a_consoles_lease_has_no_beats_that_could_depend_on_anybody(held):
    _, rig, looker = held
    with pytest.raises(WrongUse, match="while_present is for an attended lease"):
        rig.take("console", while_present=lambda: True)
    looker.take("console")
    with pytest.raises(WrongUse, match=r"resume: the lease is a console's; `take\('console'\)` shares it"):
        rig.resume(looker.lease_token)
    assert not rig.lease_token
    looker.ask("lease", action="release")
