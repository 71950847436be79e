"""Alarms: raised by events, counted, acknowledged by name."""

import pytest

from hilctl.recording.layout import Event
from hilctl.service.alarms import KEPT, Alarms
from hilctl.signals import Trip
from hilctl.wire.errors import Refused

TRIP = {"trip": "velocity", "text": "speed passed the limit"}


def heard(alarms: Alarms, number: int, kind: str, **body: object) -> None:
    alarms.hear(Event(number, kind, 10 * number, 1000 * number, body))


def listed(alarms: Alarms, trip: str = "", warnings: tuple[str, ...] = (), **which: bool) -> list[dict[str, object]]:
    return alarms.plain(trip, warnings, **which)


def test_a_trip_stays_until_somebody_acknowledges_it_whether_or_not_it_was_reset() -> None:
    alarms = Alarms()
    heard(alarms, 3, "trip", **TRIP)
    (alarm,) = listed(alarms, "velocity")
    assert alarm["active"] and alarm["number"] == 3 and alarm["text"] == TRIP["text"]
    heard(alarms, 4, "reset")
    (alarm,) = listed(alarms)
    assert not alarm["active"] and alarm["acknowledged"] is None
    assert alarms.acknowledge(3, "alice", 77, "cause removed") == [3]
    assert not listed(alarms) and not len(alarms)
    (alarm,) = listed(alarms, acknowledged=True)
    assert alarm["acknowledged"] == {"by": "alice", "time_ns": 77, "comment": "cause removed"}


def test_what_comes_again_is_counted_and_after_acknowledgement_is_another() -> None:
    alarms = Alarms()
    for number in (1, 2, 5):
        heard(alarms, number, "warning", limit="oil_filter")
    (alarm,) = listed(alarms, warnings=("oil_filter",))
    assert (alarm["number"], alarm["count"], alarm["time_ns"], alarm["last_ns"]) == (1, 3, 1000, 5000)
    assert alarm["active"] and "limits.oil_filter" in str(alarm["text"])
    alarms.acknowledge(1, "alice", 0)
    heard(alarms, 9, "warning", limit="oil_filter")
    assert [alarm["number"] for alarm in listed(alarms)] == [9]


def test_one_or_all_up_to_one_are_acknowledged() -> None:
    alarms = Alarms()
    for number, limit in enumerate(("sensor_stale", "oil_level", "oil_filter", "supply_pressure")):
        heard(alarms, number, "warning", limit=limit)
    assert alarms.acknowledge(1, "a", 0) == [1]
    assert alarms.acknowledge(2, "b", 0, before=True) == [0, 2]
    assert [alarm["number"] for alarm in listed(alarms)] == [3]


def test_who_acknowledged_before_is_named_and_what_there_is() -> None:
    alarms = Alarms()
    with pytest.raises(Refused, match="no alarm 0; all are acknowledged"):
        alarms.acknowledge(0, "bob", 0)
    heard(alarms, 0, "trip", **TRIP)
    heard(alarms, 1, "warning", limit="oil_level")
    alarms.acknowledge(0, "alice", 0)
    with pytest.raises(Refused, match="was acknowledged already, by alice"):
        alarms.acknowledge(0, "bob", 0)
    with pytest.raises(Refused, match="no alarm 7; those not acknowledged are 1"):
        alarms.acknowledge(7, "bob", 0)


def test_a_lost_link_is_active_until_it_is_back() -> None:
    alarms = Alarms()
    heard(alarms, 0, "link_lost", driver="modbus", reason="no answer")
    assert listed(alarms)[0]["active"]
    heard(alarms, 1, "link_back", after_s=3.0)
    assert not listed(alarms)[0]["active"]


def test_every_kind_of_trip_and_warning_makes_a_text_and_nothing_else_an_alarm() -> None:
    alarms = Alarms()
    for number, trip in enumerate(t for t in Trip if t):
        heard(alarms, number, "warning", limit=trip.name.lower())
    assert all(alarm["text"] for alarm in listed(alarms))
    count = len(alarms)
    for kind in ("mode", "epoch", "set", "recording", "lease", "acknowledged", "unheard_of"):
        heard(alarms, 99, kind)
    assert len(alarms) == count


def test_a_bounded_number_is_kept() -> None:
    alarms = Alarms()
    for number in range(2 * KEPT):
        heard(alarms, number, "trip", **TRIP)
        alarms.acknowledge(number, "alice", 0)
    assert len(listed(alarms, acknowledged=True)) == KEPT
