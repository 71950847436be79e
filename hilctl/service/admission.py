"""Who may come in. Two ways, and the rig file decides which:

    loopback, without keys   a request shows the access token of the user who runs the service: that is a commissioner
    service.curve = true     a connection proves a key of the roles file (CURVE; ZAP asks here); each message bears it

What both read from files is read again as soon as it changes. What cannot be read admits nobody.
"""

import fcntl
import hmac
import os
import pwd
import time
from pathlib import Path
from typing import Protocol, TextIO

from hilctl.access.keys import SERVICE_KEY, ClientKey, Pair, new_pair, read_service, write_client
from hilctl.access.roles import ROLES, Roles, read_roles
from hilctl.access.token import own_token, token_path
from hilctl.errors import HilctlError
from hilctl.service.doors import TELEMETRY
from hilctl.service.lent import Lent, Pass
from hilctl.service.settings import Service as Settings
from hilctl.wire import places
from hilctl.wire.errors import Code, Refused
from hilctl.wire.roles import Role, Who

_SUSPENDED_S = 60.0


class Admission(Protocol):
    """What the desk asks."""

    problem: str  # why nobody is admitted from outside; empty where all is well
    lent: Lent  # to jobs

    @property
    def file(self) -> Path:
        """What local programs read to come in: the token, or a key."""

    @property
    def curve(self) -> Pair | None:
        """The service's pair, where connections are encrypted."""

    def who(self, key: str, access: str) -> Who:
        """Who sent a message with this key (of its connection) and this token, or a refusal."""

    def role(self, id: str) -> Role | None:
        """What the sender of this id may do by now; None where it is admitted no longer."""

    def lend(self, starter: Who, name: str) -> Pass:
        """What a job shows, which is started by this one."""

    def suspend(self, key: str) -> str:
        """No telemetry for this key, or this address, for a while, where it can be distinguished; a name for it."""

    def look(self) -> bool:
        """Reads again what has changed; True where somebody who was admitted is so no longer."""


def this_user() -> str:
    """The name of the user who runs this process."""
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return f"uid {os.geteuid()}"


def _stamp(path: Path) -> tuple[int, ...]:
    """What changes when the file does."""
    try:
        found = os.lstat(path)
    except OSError:
        return ()
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


class ByToken:
    """Programs of the user who runs the service."""

    curve: Pair | None = None

    def __init__(self, path: Path | None = None) -> None:
        self.file = path or token_path()
        self.problem = ""
        self._token, self._stamp = own_token(self.file), _stamp(self.file)
        self._number = 0
        self.lent = Lent(self._own_role)

    def who(self, key: str, access: str) -> Who:
        """The user, for every program that shows the token."""
        if access and self._token and hmac.compare_digest(access.encode(), self._token.encode()):
            return Who(f"token {self._number}", this_user(), Role.COMMISSIONER)
        job = self.lent.of_token(access) if access else None
        if job is not None:
            return job
        was = "another token was shown" if access else "no token was shown"
        remedy = f"read {self.file} as the user {this_user()}, and send what it holds as `access`"
        raise Refused(Code.NO_ACCESS, f"{self.problem or was}; {remedy}", "access")

    def suspend(self, key: str) -> str:
        """On loopback subscribers cannot be distinguished."""
        return key

    def lend(self, starter: Who, name: str) -> Pass:
        """A token of its own."""
        return self.lent.lend(starter, name, None)

    def role(self, id: str) -> Role | None:
        """A commissioner's, until the token is another; or what is lent."""
        return self._own_role(id) or self.lent.role(id)

    def _own_role(self, id: str) -> Role | None:
        return Role.COMMISSIONER if id == f"token {self._number}" and self._token else None

    def look(self) -> bool:
        """Whether the token is another by now."""
        stamp = _stamp(self.file)
        if stamp == self._stamp:
            return False
        before, self._stamp = self._token, stamp
        try:
            self._token, self.problem = own_token(self.file), ""
            self._stamp = _stamp(self.file)
        except (HilctlError, OSError) as error:
            self._token, self.problem = "", str(error)
        if self._token == before:
            return False
        self._number += 1
        return True


class ByKey:
    """Whoever proves a key of the roles file, and programs of the user who runs the service."""

    def __init__(self, folder: Path, runtime: Path, rig: str) -> None:
        missing = _missing(folder)
        if missing:
            raise HilctlError(
                "service.curve = true: " + "; ".join(missing), key="service.curve",
                remedy="`hilctl keys make` writes what is missing",
            )  # fmt: skip
        own = read_service(folder)
        self.curve: Pair | None = own
        self._lock = _alone(folder / SERVICE_KEY)
        self._roles_file, self.problem = folder / ROLES, ""
        self._stamp = _stamp(self._roles_file)
        local = new_pair()
        self.file = runtime / places.LOCAL_KEY
        self.file.unlink(missing_ok=True)
        write_client(self.file, ClientKey(this_user(), rig, *local, own.public))
        self._local = Who(local.public, this_user(), Role.COMMISSIONER)
        self._roles: Roles = {}
        self._suspended: dict[str, float] = {}
        self.lent = Lent(self._own_role)
        self._admitted: dict[str, Who] = {}
        self._adopt(read_roles(self._roles_file))

    def close(self) -> None:
        """Another service may have the key."""
        self._lock.close()
        self.file.unlink(missing_ok=True)

    def callback(self, domain: str, key: bytes) -> bool:
        """ZAP's question, on a thread of its own: whether this key may connect."""
        found = key.decode()
        if domain == TELEMETRY and self._suspended.get(found, 0.0) > time.monotonic():
            return False
        return found in self._admitted or self.lent.role(found) is not None

    def lend(self, starter: Who, name: str) -> Pass:
        """A key of its own."""
        return self.lent.lend(starter, name, new_pair())

    def suspend(self, key: str) -> str:
        """No telemetry for this key for a while; whose it is."""
        self._suspended[key] = time.monotonic() + _SUSPENDED_S
        who = self._admitted.get(key)
        return who.name if who is not None else key

    def who(self, key: str, access: str) -> Who:
        """Whose key that is."""
        found = self._admitted.get(key) or self.lent.of_key(key)
        if found is None:
            told = next((f"the key of {e.name} was revoked at {e.revoked}" for e in self._roles.values()
                         if e.public == key), "this key is not admitted")  # fmt: skip
            raise Refused(Code.NO_ACCESS, f"{self.problem or told}; a commissioner of the rig makes another", "access")
        return found

    def role(self, id: str) -> Role | None:
        """That of the roles file by now; or what is lent."""
        return self._own_role(id) or self.lent.role(id)

    def _own_role(self, id: str) -> Role | None:
        found = self._admitted.get(id)
        return found.role if found is not None else None

    def look(self) -> bool:
        """Whether somebody's key is admitted no longer. What cannot be read may be half written: it is read twice."""
        stamp = _stamp(self._roles_file)
        if stamp == self._stamp:
            return False
        before = set(self._admitted)
        try:
            self._adopt(read_roles(self._roles_file))
            self._stamp, self.problem = stamp, ""
        except HilctlError as error:
            if not self.problem:
                self.problem = str(error)
                return False
            self._stamp, self.problem = stamp, str(error)
            self._admitted = {self._local.id: self._local}
        return bool(before - set(self._admitted))

    def _adopt(self, roles: Roles) -> None:
        admitted = {e.public: Who(e.public, e.name, e.role) for e in roles.values() if not e.revoked}
        self._roles, self._admitted = roles, {**admitted, self._local.id: self._local}


def _missing(folder: Path) -> list[str]:
    """What it takes to listen elsewhere than on loopback, and is not there or not right; all of it at once."""
    found = []
    if folder.exists() and folder.stat().st_mode & 0o022:
        found.append(f"{folder}: others can write there; `chmod 700 {folder}`")
    for read in (lambda: read_service(folder), lambda: _some(read_roles(folder / ROLES), folder)):
        try:
            read()
        except HilctlError as error:
            found.append(str(error))
    return found


def _some(roles: Roles, folder: Path) -> None:
    if all(entry.revoked for entry in roles.values()):
        raise HilctlError(f"the roles file {folder / ROLES}: admits nobody")


def _alone(key: Path) -> TextIO:
    """One service a key: a client that trusts it must know which rig it moves."""
    file = key.open()
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        raise HilctlError(
            f"the service's key {key}: another service uses it", key="service.keys",
            remedy="each rig has a folder of keys of its own: `hilctl keys make`",
        ) from None  # fmt: skip
    return file


def admission(settings: Settings, folder: Path, runtime: Path, rig: str) -> "ByToken | ByKey":
    """As the rig file says."""
    return ByKey(folder, runtime, rig) if settings.curve else ByToken()
