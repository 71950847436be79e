"""Which service a command talks to, and with what right.

Commands that move the rig take the console lease: each is a process of its own, and they are one holder through the
token that only this user can read. It ends with `hilctl off`; and with the command itself, where the lease was free
before and the rig is off.
"""

import argparse
from typing import TYPE_CHECKING

from hilctl.cli.errors import WrongUse

if TYPE_CHECKING:
    from hilctl.client import Client


def options(parser: argparse.ArgumentParser, *, moves: bool = False) -> None:
    """--connect, and --takeover for what needs the lease."""
    parser.add_argument(
        "--connect",
        metavar="WHERE",
        default=None,
        help="tcp://HOST:PORT, or a rig's name; not given: the only service on this host",
    )
    if moves:
        parser.add_argument("--takeover", action="store_true", help="take the lease from whoever holds it")


def look(given: argparse.Namespace) -> "Client":
    """A client without the lease."""
    from hilctl.client import Client

    return Client(_where(given), lease="none", name="console")


def command(given: argparse.Namespace) -> "Client":
    """A client with the console lease."""
    from hilctl.client import Client

    return Client(_where(given), lease="console", name="console", takeover=given.takeover)


def _where(given: argparse.Namespace) -> str | None:
    where: str | None = given.connect
    if where is not None and "://" in where and not where.startswith(("tcp://", "ipc://")):
        raise WrongUse(f"--connect {where}: must be tcp://HOST:PORT or a rig's name")
    return where
