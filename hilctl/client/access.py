"""How a client shows who it is: a key, where the service asks for keys; else, on this host, the token of its user."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import zmq

from hilctl.access.keys import ClientKey, read_client
from hilctl.access.token import read_token, token_path
from hilctl.errors import WrongUse
from hilctl.wire import places

VARIABLE = "HILCTL_KEY"  # a key file, for services on other hosts
_LOCAL = ("127.", "localhost", "::1", "[::1]")


class Access(NamedTuple):
    """What is shown."""

    key: ClientKey | None = None
    token: str = ""

    def put(self, socket: "zmq.Socket[bytes]") -> None:
        """The connections of this socket prove the key."""
        if self.key is not None:
            socket.curve_serverkey = self.key.server.encode()
            socket.curve_publickey, socket.curve_secretkey = self.key.public.encode(), self.key.secret.encode()


class Place(NamedTuple):
    """A service, and what it is shown."""

    commands: str
    access: Access


_assigned: list[Place] = []


def assign(own: Place) -> None:
    """This process is a job: whatever it connects to is the service that started it."""
    _assigned[:] = [own]


def place(where: str | None, key: str | Path = "") -> Place:
    """The service of this address or of this rig's name, or the only one here; and how to come in."""
    if _assigned:
        return _assigned[0]
    if where is None or "://" not in where:
        found = places.find(where)
        return Place(found["commands"], _local(found, key))
    runs = next((found for found in places.running().values() if found.get("commands") == where), {})
    if not key and not runs and not is_local(where):
        key = os.environ.get(VARIABLE, "")
        if not key:
            told = f"{where}: a service on another host asks for a key"
            raise WrongUse(f"{told}; give --key FILE, or set {VARIABLE}; `hilctl keys make` makes one on the rig's PC")
    return Place(where, _local(runs, key))


def _local(found: Mapping[str, Any], key: str | Path) -> Access:
    if key:
        return Access(read_client(Path(key).expanduser()))
    if "key" in found:
        return Access(read_client(Path(found["key"])))
    path = Path(found.get("token") or token_path())
    return Access(token=read_token(path) if path.exists() else "")


def is_local(where: str) -> bool:
    """Whether this address is on this host: nothing that is sent there can be read on the way."""
    return urlsplit(where).scheme in ("ipc", "inproc") or (urlsplit(where).hostname or "").startswith(_LOCAL)


def telemetry_at(commands: str, told: Mapping[str, str]) -> str:
    """Where telemetry is, seen from here: on the host that answers, as far from the port of the commands as there.

    So it is right behind a tunnel or a NAT that keeps the ports, or shifts both by as much.
    """
    host, mark, port = commands.rpartition(":")
    ends = [told[name].rpartition(":")[2] for name in ("commands", "telemetry")]
    if not mark or not all(number.isdecimal() for number in (port, *ends)):
        return told["telemetry"]
    return f"{host}:{int(port) + int(ends[1]) - int(ends[0])}"
