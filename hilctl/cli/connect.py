"""Which service a command talks to, and with what right.

Commands that move the rig and end take the console lease: each is a process of its own, and they are one holder through
the lease's secret, in a file that only this user can read. It ends with `hilctl off`; when no command has moved or
watched for `service.console_idle_s`; and with the command itself, where the lease was free before and the rig is off.

Commands that keep running take an attended lease, which lives by their beats: from the console too, which has it again
afterwards. Whoever ends them, the table comes to rest, and what they changed for a trial is put back.
"""

import argparse
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from hilctl.errors import WrongUse

if TYPE_CHECKING:
    from hilctl.client import Client
    from hilctl.client.client import LeaseKind

_STARTS_S = 120.0  # compiling included
_LOOK_S = 0.2


def options(parser: argparse.ArgumentParser, *, moves: bool = False) -> None:
    """--connect, and --takeover for what needs the lease."""
    parser.add_argument(
        "--connect",
        metavar="WHERE",
        default=None,
        help="tcp://HOST:PORT, or a rig's name; not given: the only service on this host",
    )
    parser.add_argument("--key", metavar="FILE", default="",
                        help="key file, for a service that asks for keys; not given: HILCTL_KEY")  # fmt: skip
    parser.add_argument("--telemetry", metavar="WHERE", default="",
                        help="tcp://HOST:PORT of telemetry, behind a tunnel that moves the ports apart")  # fmt: skip
    if moves:
        parser.add_argument("--takeover", action="store_true", help="take the lease from its holder")


def until_one_runs(given: argparse.Namespace) -> None:
    """Waits for the service, if it is one of this host; after that, connecting says what is wrong."""
    from hilctl.client import Refused
    from hilctl.wire import places

    place, until_s = where(given), time.monotonic() + _STARTS_S
    while (place is None or "://" not in place) and time.monotonic() < until_s:
        with suppress(Refused):
            places.find(place)
            return
        time.sleep(_LOOK_S)


def look(given: argparse.Namespace) -> "Client":
    """A client without the lease."""
    return _client(given, "none", "console")


@contextmanager
def looking_on(given: argparse.Namespace) -> "Iterator[Client]":
    """A client without the lease that somebody watches: meanwhile the console's lease is not idle."""
    with look(given) as rig:
        rig.keep_console()
        yield rig


def note_clock(rig: "Client") -> None:
    """Where times of the rig PC are shown: says so if its clock is another."""
    from hilctl.cli.output import note

    if rig.clock_gap.text:
        note(rig.clock_gap.text)


def command(given: argparse.Namespace) -> "Client":
    """A client with the console lease."""
    return _client(given, "console", "console", takeover=given.takeover)


def _client(given: argparse.Namespace, lease: "LeaseKind", name: str, *, takeover: bool = False) -> "Client":
    from hilctl.client import Client

    return Client(where(given), lease=lease, name=name, takeover=takeover, key=given.key, telemetry=given.telemetry)


@contextmanager
def attended(given: argparse.Namespace, name: str, *, restore: bool = False) -> "Iterator[Client]":
    """A client for a command that keeps running. `restore`: ended early, its parameters are those of its begin."""
    from hilctl.client import NoReply, Refused

    with _client(given, "none", name) as rig:
        lease = rig.status()["lease"]
        from_console = lease is not None and lease["kind"] == "console" and not given.takeover
        rig.take(takeover=given.takeover, restore=restore, as_console=True)
        try:
            yield rig
        except (KeyboardInterrupt, SystemExit):
            with suppress(Refused, NoReply):  # what cannot be done in order, the service does when the beats stop
                rig.abandon()
            raise
        except Exception:
            if not rig.lease_lost:
                with suppress(Refused, NoReply):
                    rig.stop()
            raise
        finally:
            if from_console and not rig.lease_lost:
                with suppress(Refused, NoReply):
                    rig.take("console")


def where(given: argparse.Namespace) -> str | None:
    """What --connect names; WrongUse where it is no address and no rig's name."""
    where: str | None = given.connect
    if where is None or where.startswith("ipc://"):
        return where
    if "://" not in where and ":" in where:
        raise WrongUse(f"--connect {where}: an address begins with tcp://; write --connect tcp://{where}")
    if "://" in where and not _is_address(where):
        raise WrongUse(f"--connect {where}: must be tcp://HOST:PORT, with a port from 1 to 65535, or a rig's name")
    return where


def _is_address(where: str) -> bool:
    scheme, _, rest = where.partition("://")
    host, _, port = rest.rpartition(":")
    return scheme == "tcp" and bool(host) and port.isdecimal() and 0 < int(port) < 65536
