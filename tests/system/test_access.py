"""Who may come in, and what each may do: every operation, by every role, with no key, an unknown one, a revoked one and
the right one; what a revocation does to those who are connected, and to those who are not meant."""

import threading
import time
from contextlib import suppress

import pytest
import zmq

from hilctl.client import Client, Code, NoReply, Refused
from hilctl.wire.ops import OPS
from hilctl.wire.roles import Role
from tests.system.access_parts import Keys, Proven, keyed, subscriber
from tests.system.service_parts import ARMS_FAST, LATE_HOST, RIG, Raw, refusal, until

pytestmark = [pytest.mark.realtime, pytest.mark.timeout(300)]

# What is needed for an operation to be more than a mistake; the lease is with somebody else.
GIVEN = {
    "lease": {"action": "take"},
    "track": {"kind": "sine", "parameters": {"amplitude_m": 0.001, "frequency_hz": 1.0}},
    "check_motion": {"kind": "sine", "parameters": {"amplitude_m": 0.001, "frequency_hz": 1.0}},
    "move": {"position_m": 0.001},
    "supply": {"level": "low"},
    "zero": {"sensor": "acceleration"},
    "set": {"values": {"law.blend_s": 0.3}},
    "wait": {"mode": "off"},
    "fetch": {"first": 0, "last": 0},
    "waveform": {"name": "x", "action": "begin", "count": 10},
    "record": {"action": "stop"},
    "download": {"name": "none.h5"},
    "delete": {"name": "none.h5"},
    "acknowledge": {"number": 1 << 40},
    "job_start": {"kind": "friction"},
    "job_abort": {"job": 1},
    "job_upload": {"name": "a.csv", "bytes": 1, "data": b"x"},
    "job_delete": {"job": 1},
    "job": {"job": 1},
}
# The roles, written out once more: a change of the declarations must be meant.
OBSERVERS = {"hello", "describe", "status", "events", "check_motion", "stop", "get", "changes", "journal", "toml",
             "wait", "fetch", "recordings", "download", "alarms", "log", "queued", "jobs", "job"}  # fmt: skip
COMMISSIONERS = {"set", "undo", "zero", "delete", "job_start", "job_upload", "job_delete"}


@pytest.fixture(scope="module")
def keys(tmp_path_factory):
    keys = Keys(tmp_path_factory.mktemp("keys"))
    keys.make("owner", Role.COMMISSIONER)
    for role in Role:
        keys.make(role.word, role)
        keys.make(f"former_{role.word}", role)
        keys.revoke(f"former_{role.word}")
    keys.stranger("stranger")
    return keys


@pytest.fixture(scope="module")
def service(keys):
    with keyed(keys, **ARMS_FAST, **LATE_HOST) as service:
        yield service


def key(keys, name):
    return keys.files / f"{name}.key"


def requests(raw):
    return {op: raw.message(op, **GIVEN.get(op, {})) for op in OPS}


@pytest.mark.parametrize("role", Role)
def test_the_right_key_may_what_its_role_may_and_nothing_else(keys, service, role):
    with Client(service.commands, key=key(keys, "owner")), Proven(service.commands, key(keys, role.word)) as raw:
        replies = raw.ask_all(requests(raw))
    may = OBSERVERS | (set(OPS) - OBSERVERS - COMMISSIONERS if role >= Role.OPERATOR else set())
    may |= COMMISSIONERS if role == Role.COMMISSIONER else set()
    codes = {op: "" if reply["ok"] else reply["error"]["code"] for op, reply in replies.items()}
    assert {op for op, code in codes.items() if code != Code.NO_ROLE} == may
    assert {op for op in may if codes[op] == Code.LEASE_HELD} >= {op for op in may if OPS[op].lease}
    assert not {op for op in OBSERVERS if codes[op]} - {"toml", "download", "job"}  # there is nothing yet


@pytest.mark.parametrize("who", [None, "stranger", *(f"former_{role.word}" for role in Role)])
def test_without_the_right_key_nothing_is_answered(keys, service, who):
    with Client(service.commands, key=key(keys, "owner"), lease="none") as owner:
        before = owner.status()
        with Proven(service.commands, who and key(keys, who)) as raw:
            with suppress(zmq.Again):  # zmq gives up a socket that is shut out, be it after the first of them
                for request in requests(raw).values():
                    raw.socket.send(request, zmq.NOBLOCK)
            socket = subscriber(service.telemetry, who and key(keys, who), "")
            with socket, subscriber(service.telemetry, key(keys, "observer"), "block") as admitted:
                for _ in range(20):  # as long as it takes others to be told and answered many times
                    assert admitted.recv_multipart()
                    owner.status()
                assert not raw.socket.poll(0) and not socket.poll(0)
        assert {k: owner.status()[k] for k in ("mode", "epoch_asked", "last_motion", "lease")} == {
            k: before[k] for k in ("mode", "epoch_asked", "last_motion", "lease")
        }


def test_a_client_is_told_why_it_is_not_let_in(keys, service, tmp_path):
    for name in ("stranger", "former_operator"):
        with pytest.raises(Refused, match="unknown or revoked there, or it is the key of another service"):
            Client(service.commands, key=key(keys, name))
    with pytest.raises(Refused, match="asks for a key: give --key FILE"):
        Client(service.commands)


def test_a_key_for_another_service_is_not_shown_to_this_one(keys, service, tmp_path):
    other = Keys(tmp_path)
    with pytest.raises(Refused, match="the key of another service"):
        Client(service.commands, key=other.make("owner", Role.COMMISSIONER))


@pytest.mark.parametrize("access", ["", "a guess"])
def test_on_loopback_without_the_token_nothing_is_done(access):
    from hilctl.client import private_service

    with private_service(RIG) as service:
        with Raw(service.commands, access=access) as raw:
            replies = {op: raw.ask(op, **GIVEN.get(op, {})) for op in OPS}
        assert {reply["error"]["code"] for reply in replies.values()} == {Code.NO_ACCESS}
        assert "access.token" in replies["stop"]["error"]["message"]
        with Client(service.commands, lease="none") as rig:
            assert rig.hello["role"] == "commissioner"


class Steady:
    """A client that asks without a pause; every request must be answered."""

    def __init__(self, ask):
        self.answered, self.failed, self._end = 0, [], threading.Event()
        self._thread = threading.Thread(target=self._go, args=(ask,))
        self._thread.start()

    def _go(self, ask):
        while not self._end.is_set():
            try:
                ask(self.answered)
                self.answered += 1
            except (Refused, NoReply) as error:
                self.failed.append(error)
                return

    def end(self):
        self._end.set()
        self._thread.join()
        return self.failed


def test_a_revoked_key_is_out_within_a_second_and_nobody_else_loses_a_command(keys, service):
    admitted(keys, service, "victim", Role.OPERATOR)
    with (
        Client(service.commands, key=key(keys, "commissioner")) as rig,
        Client(service.commands, key=key(keys, "observer"), lease="none") as observer,
        Proven(service.commands, key(keys, "victim")) as victim,
        subscriber(service.telemetry, key(keys, "victim")) as heard,
    ):
        rig.arm()
        motion = rig.track("sine", amplitude_m=0.001, frequency_hz=1.0)
        until(lambda: victim.ask("status")["ok"], "the victim's first answer")
        heard.recv_multipart()
        changes = Steady(lambda n: rig.set({"law.blend_s": 0.1 + 1e-4 * (n % 1000)}))
        looks = Steady(lambda n: observer.status())
        until(lambda: changes.answered > 5 and looks.answered > 5, "requests of the others")
        epoch = rig.status()["epoch_asked"]
        keys.revoke("victim")
        revoked_s = time.monotonic()
        last_s = _last_heard(victim, heard, revoked_s + 2.0)
        assert last_s - revoked_s < 1.0
        now = (changes.answered, looks.answered)
        until(lambda: changes.answered > now[0] + 20 and looks.answered > now[1] + 20, "requests of the others")
        assert not changes.end() and not looks.end()
        status = rig.status()
        assert status["lease"]["holder"].endswith("of commissioner") and not rig.lease_lost
        assert status["epoch_asked"] > epoch
        made = rig.ask("changes", first=0)["epoch"]
        assert made == status["epoch_asked"]
        assert rig.status()["motion"] == motion.id
        rig.off()
        assert refusal(lambda: Client(service.commands, key=key(keys, "victim"))).code == Code.NO_ACCESS


def _last_heard(victim, telemetry, until_s):
    """When a client that goes on asking and listening was last given anything."""
    last_s = 0.0
    while time.monotonic() < until_s:
        with suppress(zmq.Again):  # zmq gives up a socket that is shut out
            victim.socket.send(victim.message("status"), zmq.NOBLOCK)
        given = victim.socket.poll(5) and victim.receive()["ok"]
        while telemetry.poll(0):
            given = telemetry.recv_multipart()
        last_s = time.monotonic() if given else last_s
    return last_s


def test_whose_key_is_revoked_while_it_commands_loses_the_lease_and_the_motion_stops(keys, service):
    admitted(keys, service, "driver", Role.OPERATOR)
    with Client(service.commands, key=key(keys, "owner"), lease="none") as looking:
        mark = looking.ask("events")["next"]
        rig = Client(service.commands, key=key(keys, "driver"))
        rig.take("console")  # which no missing beat would end for minutes
        rig.arm()
        motion = rig.track("sine", amplitude_m=0.001, frequency_hz=1.0)
        keys.revoke("driver")
        assert looking.wait(motion.id, 30.0).why == "tripped"
        lost = [event for event in looking.events(mark) if event["kind"] == "lease_lost"]
        assert lost[0]["holder"].endswith("of driver") and lost[0]["then"] == "stop"
        assert looking.status()["lease"] is None
        rig.close()
    with Client(service.commands, key=key(keys, "owner")) as owner:
        owner.reset()
        owner.off()


def test_a_role_that_is_lowered_counts_from_the_next_request_on(keys, service):
    admitted(keys, service, "demoted", Role.COMMISSIONER)
    with Client(service.commands, key=key(keys, "demoted")) as rig:
        rig.set({"law.blend_s": 0.11})
        keys.change("demoted", role=Role.OBSERVER)
        until(lambda: rig.status()["lease"] is None, "the lower role")
        assert refusal(rig.set, {"law.blend_s": 0.12}).code == Code.NO_ROLE
        assert rig.get("law.blend_s")["law.blend_s"] == 0.11


def test_two_programs_with_one_key_are_one_writer_and_a_name_is_no_right(keys, service):
    with Client(service.commands, key=key(keys, "operator"), name="one") as rig:
        holder = rig.status()["lease"]["holder"]
        with Proven(service.commands, key(keys, "operator")) as twin:
            twin.client, twin.count = rig._identity.client, 1_000_000  # the very name of the holder
            for lease in ("", "0" * 32):
                twin.send(twin.message("move", lease=lease, position_m=0.001))
                assert twin.receive()["error"]["code"] == Code.LEASE_HELD
                twin.send(twin.message("lease", lease=lease, action="beat"))
                assert twin.receive()["error"]["code"] == Code.LEASE_HELD
        with Proven(service.commands, key(keys, "commissioner")) as thief:  # who knows the secret, and has another key
            thief.send(thief.message("move", lease=rig._identity.token, position_m=0.001))
            assert thief.receive()["error"]["code"] == Code.LEASE_HELD
        assert rig.status()["lease"]["holder"] == holder


def test_another_key_cannot_have_a_reply_that_is_remembered(keys, service):
    with Proven(service.commands, key(keys, "operator")) as one, Proven(service.commands, key(keys, "owner")) as other:
        message = one.message("lease", action="take")
        one.send(message)
        secret = one.receive()["result"]["token"]
        one.send(message)
        assert one.receive()["result"]["token"] == secret
        other.send(message)
        assert other.receive()["error"]["code"] == Code.LEASE_HELD
        one.send(one.message("lease", lease=secret, action="release"))
        assert one.receive()["ok"]


def test_what_cannot_be_read_admits_nobody_and_is_told(keys, service):
    roles = keys.folder / "roles.toml"
    local = service.folder / "hilctl" / RIG / "local.key"
    with Client(service.commands, key=local, lease="none") as owner:
        mark = owner.ask("events")["next"]
        roles.chmod(0o644)
        told = until(
            lambda: [e for e in owner.events(mark) if e["kind"] == "access" and e["action"] == "problem"], "the event"
        )
        assert "its mode is 0644" in told[0]["reason"]
        until(lambda: _shut_out(service, key(keys, "observer")), "the end of all keys")
        roles.chmod(0o600)
        until(lambda: not _shut_out(service, key(keys, "observer")), "their return")


def admitted(keys, service, name, role):
    """A new key, from the moment on at which it is admitted."""
    file = keys.make(name, role)
    until(lambda: not _shut_out(service, file), "the key's admission")
    return file


def _shut_out(service, file):
    try:
        Client(service.commands, key=file, lease="none").close()
    except Refused as refused:
        return refused.code == Code.NO_ACCESS
    return False


def test_every_refusal_and_every_change_is_a_line_with_who(keys, service):
    owner = key(keys, "owner")
    with Proven(service.commands, key(keys, "observer")) as raw, Client(service.commands, key=owner) as rig:
        raw.ask("set", values={"law.blend_s": 0.2})
        rig.set({"law.blend_s": 0.2}, origin="a test")
        raw.ask("record", action="stop")
        secrets = [owner.read_text().split('secret = "')[1][:40], rig._identity.token]
        lines = until(
            lambda: (a := [x for x in service.log.read_text().splitlines() if "hilctl.audit" in x])
            and any("record" in x for x in a) and a, "the audit",
        )  # fmt: skip
    assert any("refused set who=observer" in line and "no_role" in line for line in lines)
    assert any("done set who=owner role=commissioner" in line and "law.blend_s" in line for line in lines)
    assert any("refused record who=observer" in line for line in lines)
    assert all(len(secret) >= 32 for secret in secrets)
    assert not any(secret in service.log.read_text() for secret in secrets)
