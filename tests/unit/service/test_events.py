"""What is told of the link to the device, and when."""

from types import SimpleNamespace
from typing import Any

from hilctl.service.do_talk import events
from hilctl.service.events import Events
from hilctl.service.service import Asked, Service
from hilctl.service.watch import Watch
from hilctl.wire.ops import Arguments
from hilctl.wire.roles import Role, Who


def test_who_asks_for_events_gets_what_the_core_has_said_by_then_and_gets_it_once() -> None:
    said = [("link_lost", {"reason": "rebooted"}), ("link_back", {"after_s": 0.5})]

    def take() -> list[Any]:
        taken, said[:] = list(said), []
        return taken

    service = object.__new__(Service)
    service.events, service.watch = Events(), Watch(1000.0)
    service.core = SimpleNamespace(link=SimpleNamespace(events=take))  # type: ignore[assignment]
    given = Arguments(SimpleNamespace(first=0), {})
    for _ in range(2):
        told = events(service, Asked(Who("me", "me", Role.OBSERVER), "me", "", 0.0), given)
        assert [event["kind"] for event in told["events"]] == ["link_lost", "link_back"]
        assert told["next"] == 2
