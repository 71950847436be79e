"""Keys for the tests: a folder of them, as `hilctl keys make` writes it, and sockets that prove one."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

import msgpack
import zmq

from hilctl.access.keys import ClientKey, new_pair, read_client, service_pair, write_client
from hilctl.access.roles import ROLES, Entry, now, read_roles, write_roles
from hilctl.client import private_service
from hilctl.wire.roles import Role
from tests.system.service_parts import PATIENCE_S, RIG, Raw


class Keys:
    """A folder of keys, and the key files of its clients."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.files = folder, folder / "clients"
        for made in (folder, self.files):
            made.mkdir(mode=0o700, exist_ok=True)
        self.server = service_pair(folder)
        write_roles(folder / ROLES, {})

    @classmethod
    def of_all_roles(cls, folder: Path) -> Self:
        """One of each role, by the role's name."""
        keys = cls(folder)
        for role in Role:
            keys.make(role.word, role)
        return keys

    def make(self, name: str, role: Role) -> Path:
        """A key that is admitted."""
        file = self.stranger(name)
        entry = Entry(name, role, read_client(file).public, now())
        write_roles(self.folder / ROLES, {**read_roles(self.folder / ROLES), name: entry})
        return file

    def stranger(self, name: str) -> Path:
        """A key that nobody has admitted."""
        file = self.files / f"{name}.key"
        write_client(file, ClientKey(name, RIG, *new_pair(), self.server.public))
        return file

    def change(self, name: str, **values: Any) -> None:
        """Another role, or the end of this key."""
        roles = read_roles(self.folder / ROLES)
        write_roles(self.folder / ROLES, {**roles, name: roles[name]._replace(**values)})

    def revoke(self, name: str) -> None:
        """The end of this key."""
        self.change(name, revoked=now())


@contextmanager
def keyed(keys: Keys, **changes: Any) -> Iterator[Any]:
    """A private service that asks for these keys, on the real clock."""
    wanted = {"service.curve": True, "service.keys": str(keys.folder), **changes}
    with private_service(RIG, clock="real", changes=wanted) as service:
        yield service


class Proven(Raw):
    """A raw socket that proves a key; with none it proves nothing."""

    def __init__(self, endpoint: str, file: Path | None) -> None:
        self._key = read_client(file) if file is not None else None
        super().__init__(endpoint, access="")

    def connect(self, endpoint: str) -> None:
        if self._key is not None:
            prove(self.socket, self._key)
        super().connect(endpoint)

    def ask_all(self, requests: dict[str, bytes]) -> dict[str, Any]:
        """The reply to each, by the request's name."""
        ids = {msgpack.unpackb(request)["id"]: name for name, request in requests.items()}
        for request in requests.values():
            self.send(request)
        replies = [self.receive() for _ in requests]
        return {ids[reply["id"]]: reply for reply in replies}


def prove(socket: Any, key: ClientKey) -> None:
    """What a socket needs to prove this key."""
    socket.curve_serverkey, socket.curve_publickey = key.server.encode(), key.public.encode()
    socket.curve_secretkey = key.secret.encode()


def subscriber(endpoint: str, file: Path | None, topic: str = "block") -> Any:
    """A SUB socket."""
    socket = zmq.Context.instance().socket(zmq.SUB)
    socket.setsockopt(zmq.LINGER, 0)
    socket.setsockopt(zmq.RCVTIMEO, int(1000 * PATIENCE_S))
    if file is not None:
        prove(socket, read_client(file))
    socket.subscribe(topic)
    socket.connect(endpoint)
    return socket
