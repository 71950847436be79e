"""`hilctl keys`, and a service that listens elsewhere than on loopback: only with everything that takes."""

import socket
import subprocess
import sys
from pathlib import Path

import pytest

from hilctl.access.keys import read_client
from hilctl.access.token import VARIABLE
from hilctl.client import Client, private_service
from hilctl.wire.roles import Role
from tests.system.access_parts import Keys
from tests.system.cli_parts import Shell
from tests.system.service_parts import RIG, environment


def test_keys_are_made_listed_and_revoked(tmp_path):
    shell = Shell(tmp_path)
    assert "no keys in" in shell.said("keys", "list", RIG)
    assert "operator of the rig table-500" in shell.said("keys", "make", RIG, "alice", "operator")
    shell.said("keys", "make", RIG, "bob", "observer", "--out", "b.key")
    assert read_client(tmp_path / "alice.key").server == read_client(tmp_path / "b.key").server
    folder = tmp_path / "state" / "hilctl" / RIG / "keys"
    for file in (tmp_path / "alice.key", tmp_path / "b.key", folder / "service.key", folder / "roles.toml"):
        assert file.stat().st_mode & 0o777 == 0o600
    assert folder.stat().st_mode & 0o777 == 0o700
    assert "has a key already" in shell.refused("keys", "make", RIG, "alice", "observer", "--out", "c.key", code=2)
    assert "exists already" in shell.refused("keys", "make", RIG, "carl", "observer", "--out", "b.key")
    assert "did you mean 'commissioner'" in shell.refused("keys", "make", RIG, "carl", "commisioner", code=2)
    assert "alice" in shell.said("keys", "revoke", RIG, "alice")
    lines = shell.said("keys", "list", RIG).splitlines()
    assert len(lines) == 2 and "revoked" in lines[0] and "revoked" not in lines[1]
    assert "did you mean 'bob'" in shell.refused("keys", "revoke", RIG, "bop", code=2)
    shell.environment[VARIABLE] = str(tmp_path / "access.token")
    token = Path(shell.said("keys", "token").strip())
    before = token.read_text()
    shell.said("keys", "token", "--renew")
    assert token.read_text() != before


def start(tmp_path, *words):
    env = {**environment(), "XDG_RUNTIME_DIR": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / "state")}
    ports = [word for name in ("commands", "telemetry", "scope") for word in ("--set", f"service.{name}_port=0")]
    command = [sys.executable, "-m", "hilctl.service", RIG, "--twin", *ports, *words]
    return subprocess.run(command, capture_output=True, text=True, env=env, timeout=60, check=False)


def test_elsewhere_than_on_loopback_nothing_listens_without_keys_and_all_that_is_missing_is_said(tmp_path):
    elsewhere = ("--set", 'service.bind="0.0.0.0"')
    done = start(tmp_path, *elsewhere)
    assert done.returncode == 2 and "must be a loopback address without service.curve = true" in done.stderr
    done = start(tmp_path, *elsewhere, "--set", "service.curve=true")
    assert done.returncode == 1
    assert all(part in done.stderr for part in ("service.key", "roles.toml", "hilctl keys make"))
    keys = Keys(tmp_path / "keys")
    keys.make("alice", Role.OPERATOR).chmod(0o600)
    (keys.folder / "roles.toml").chmod(0o640)
    done = start(tmp_path, *elsewhere, "--set", "service.curve=true", "--set", f'service.keys="{keys.folder}"')
    assert done.returncode == 1 and "its mode is 0640" in done.stderr


def test_with_keys_it_listens_on_all_of_this_host_but_for_the_scope(tmp_path):
    keys = Keys(tmp_path)
    file = keys.make("alice", Role.OPERATOR)
    address = own_address()
    changes = {"service.bind": "0.0.0.0", "service.curve": True, "service.keys": str(keys.folder)}
    with private_service(RIG, changes=changes) as service:
        port = int(service.commands.rpartition(":")[2])
        with Client(f"tcp://{address}:{port}", key=file) as rig:
            assert rig.hello["who"] == "alice" and rig.hello["role"] == "operator"
            assert next(iter(rig.subscribe("status", timeout_s=20.0))).body["rig"] == RIG
        with socket.create_connection((address, int(rig.hello["endpoints"]["telemetry"].rpartition(":")[2]))):
            pass
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection((address, int(service.scope.rpartition(":")[2])))


def own_address():
    """An address of this host that is not loopback."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing: a datagram socket only chooses its address
        except OSError:
            pytest.skip("this host has no address but loopback")
        return probe.getsockname()[0]
