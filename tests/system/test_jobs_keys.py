"""Whose rights a job has: those of the key that started it, and no longer than that is admitted."""

import pytest

from hilctl.client import Client, Code, Jobs, Refused, private_service
from hilctl.wire.roles import Role
from tests.system.access_parts import Keys
from tests.system.service_parts import RIG, refusal, until

pytestmark = pytest.mark.timeout(300)
LONG = ("--budget", "80")


@pytest.fixture(scope="module")
def keys(tmp_path_factory):
    return Keys.of_all_roles(tmp_path_factory.mktemp("keys"))


@pytest.fixture(scope="module")
def service(keys):
    changes = {"service.curve": True, "service.keys": str(keys.folder), "service.lease_timeout_s": 2.0}
    with private_service(RIG, changes=changes) as service:
        yield service


def client(service, keys, role):
    return Client(service.commands, key=keys.files / f"{role.word}.key", lease="none")


def audited(service, words):
    """The lines of the log that have all of these words."""
    return [line for line in service.log.read_text().splitlines() if all(word in line for word in words)]


def test_a_job_acts_in_the_name_of_its_starter_and_who_may_not_start_one_may_look_or_abort(service, keys):
    with (
        client(service, keys, Role.COMMISSIONER) as carol,
        client(service, keys, Role.OPERATOR) as alice,
        client(service, keys, Role.OBSERVER) as display,
    ):
        for other in (alice, display):
            assert refusal(Jobs(other).start, "friction", *LONG).code == Code.NO_ROLE
        number = Jobs(carol).start("friction", *LONG)["job"]
        name = f"commissioner/job-{number}"
        assert until(lambda: display.status()["lease"], "its lease")["holder"].endswith(f" of {name}")
        until(lambda: display.status()["mode"] == "track", "a motion of the job")
        until(lambda: audited(service, ["done track", f"who={name}", "role=commissioner"]), "its line")
        assert Jobs(display).show(number)["by"] == "commissioner"
        assert refusal(Jobs(display).abort, number).code == Code.NO_ROLE
        Jobs(alice).abort(number)
        over = Jobs(display).wait(number)
        assert over["state"] == "aborted" and "of operator" in over["reason"]
        assert not audited(service, ["Traceback"])


@pytest.mark.slow
def test_a_job_ends_with_the_revocation_of_who_started_it(service, keys):
    with client(service, keys, Role.OPERATOR) as alice:
        keys.make("former", Role.COMMISSIONER)
        with until(lambda: admitted(service, keys), "the new key") as former:
            number = Jobs(former).start("friction", *LONG)["job"]
        until(lambda: alice.status()["mode"] == "track", "a motion of the job")
        keys.revoke("former")
        over = Jobs(alice).wait(number)
        assert (over["state"], over["reason"]) == ("aborted", "former was revoked")
        until(lambda: alice.status()["lease"] is None, "the loss of the lease")
        assert alice.wait_mode("hold", 30.0).mode == "hold"


def admitted(service, keys):
    """A client with the newest key, once the service has read the roles again."""
    try:
        return Client(service.commands, key=keys.files / "former.key", lease="none")
    except Refused:
        return None
