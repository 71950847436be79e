"""What a service sends, for as long as somebody looks: when it goes away that is said, and it is connected to again."""

import argparse
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from hilctl.cli import connect
from hilctl.cli.channels import need_known, newest
from hilctl.client import NoReply, Refused
from hilctl.client.telemetry import Block, Event, Status

_SILENT_S = 2.5  # the status comes once a second, whether or not the rig's time passes
_AGAIN_S = 0.5
ALL = ["all"]


class Found(NamedTuple):
    """A service answered: who it is, how it is, which channels are asked for, its newest sample (empty before it)."""

    hello: dict[str, Any]
    status: dict[str, Any]
    names: Sequence[str]
    row: dict[str, Any]


@dataclass(frozen=True)
class Away:
    """Nothing comes, and why."""

    why: str


def seen(given: argparse.Namespace, channels: Sequence[str]) -> Iterator[Found | Away | Block | Event | Status]:
    """First `Found`, or the error that says why there is no service; then what comes, without an end.

    `Found` comes again after `Away`: what it says may be another service, with other channels and another rate.
    """
    found = False
    while True:
        try:
            with connect.looking_on(given) as rig:
                names = list(rig.hello["channels"]) if channels == ALL else channels
                need_known(names)
                coming = rig.subscribe("block", "status", timeout_s=_SILENT_S)  # before the sample: none is missed
                first = Found(rig.hello, rig.status(), names, newest(rig, names))
                found = True
                yield first
                yield from coming
                yield Away(f"nothing came from it for {_SILENT_S:g} s")
        except (NoReply, Refused) as error:
            if not found:
                raise
            yield Away(error.text)
            time.sleep(_AGAIN_S)
