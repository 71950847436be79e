"""How things are, as one message: what `status` answers and telemetry tells once a second."""

import math
import time
from typing import Any

from hilctl.loop.status import CoreStatus
from hilctl.service.service import Service
from hilctl.signals import SENSORS, Action, Arming, Trip
from hilctl.trips import TRIP_TEXTS, general, sentence


def status_of(s: Service) -> dict[str, Any]:
    """The status. `core` is as the core last reported it, the rest is the service's own."""
    core = s.core.link.status
    row = s.core.history.last()
    ended = s.core.ended
    return {
        "run": s.identity.run,
        "rig": s.rig.name,
        "clock": s.identity.clock,
        "time_ns": time.time_ns(),
        "wall": wall_of(s),
        "uptime_s": round(time.monotonic() - s.started_s, 3),
        "state": "gone" if ended is not None else "ending" if s.core.ending else "running",
        "gone": ended.text if ended is not None else "",
        "tick": s.watch.tick,
        "mode": s.watch.mode.name.lower(),
        "arming": Arming(int(row["arming"])).name.lower() if row is not None else "none",
        "motion": s.watch.motion,
        "last_motion": s.last_motion,
        "trip": told_trip(Trip(s.watch.trip), core, s.store.controller) if s.watch.trip else None,
        "warnings": [t.name.lower() for t in Trip if s.watch.warnings >> t.value & 1 and t],
        "epoch": s.watch.epoch,
        "epoch_asked": s.store.epoch,
        "position_m": float(row["position_m"]) if row is not None else None,
        "supply": supply_of(row),
        "core": core_of(core),
        "link": link_of(s, core),
        "lease": _lease(s),
        "queue": {"waiting": len(s.queue), "running": s.queue.running.number if s.queue.running is not None else 0},
        "job": s.jobs.running.told() if s.jobs.running is not None else None,
        "recording": s.recorder.state._asdict(),
        "history": {"first": s.core.history.first, "end": s.core.history.end},
        "wire": {"waiting": len(s.tasks), "refused": s.requests_refused, "replies_lost": s.replies_lost,
                 "listeners": s.listeners()},
        "events": s.events.next,
        "alarms": len(s.alarms),
    }


def wall_of(s: Service) -> dict[str, Any] | None:
    """What turns ticks and the samples' times into wall time; virtual time has none."""
    if s.virtual:
        return None
    row, period_ns = s.core.history.last(), s.core.link.options.period_ns
    first_ns = None
    if row is not None:  # the instant at which tick 0 was due: the loop's deadlines keep their phase
        due_ns = int(row["time_ns"]) - int(row["wake_ns"])
        first_ns = due_ns - (int(row["tick"]) - int(row["skipped"])) * period_ns
    return {**s.wall.plain(), "tick0_ns": first_ns, "period_ns": period_ns}


def core_of(core: CoreStatus) -> dict[str, Any]:
    """The loop's own account: counts, times by stage, and what the host gave it."""
    counts = (
        "ran",
        "missed",
        "due",
        "late_in_a_row",
        "late_in_a_row_most",
        "rows",
        "rows_lost",
        "trips",
        "blend",
        "standing",
    )
    return {
        "state": core.state,
        "messages": list(core.messages[-20:]),
        **{name: getattr(core, name) for name in counts},
        "blamed": core.blamed,
        "granted": core.granted._asdict(),
        "since_start": {stage: q._asdict() for stage, q in core.since_start.items()},
        "last_ten_seconds": {stage: q._asdict() for stage, q in core.last_ten_seconds.items()},
    }


def link_of(s: Service, core: CoreStatus) -> dict[str, Any]:
    """The link to the device: how it is, what its exchanges came to, how old the readings are, how long it takes."""
    link, times = core.device, core.last_ten_seconds["exchange"]
    sensors = s.rig.tables.sensors
    present = [name for name in SENSORS if getattr(sensors, name).present]
    return {
        "driver": s.core.link.driver,
        "state": link.state,
        "since_s": link.since_s,
        "reason": link.reason,
        "attempts": link.attempts,
        "reconnects": link.reconnects,
        "exchanges": link.exchanges,
        "errors": link.errors,
        "lost": link.lost,
        "ages_ms": {
            name: {"newest": round(link.age_ns[name] * 1e-6, 3), "oldest": round(link.oldest_ns[name] * 1e-6, 3)}
            for name in present
        },
        "exchange_us": {
            "p50": round(times.p50_ns * 1e-3, 1), "p99": round(times.p99_ns * 1e-3, 1), "max": times.max_ns * 1e-3,
        },
        "detail": link.detail,
    }  # fmt: skip


def told_trip(trip: Trip, core: Any, controller: Any) -> dict[str, Any]:
    """What it means and what to do about it, in parts and as one `text`; its figures while the loop still has them."""
    text = TRIP_TEXTS[trip]
    told: dict[str, Any] = {
        "name": trip.name.lower(),
        "number": trip.value,
        "key": text.key,
        "unit": text.unit,
        "meaning": text.meaning,
        "remedy": text.remedy,
    }
    if core.trip != trip:
        return told | {"text": general(trip)}
    sensor = SENSORS[core.trip_sensor] if core.trip_sensor >= 0 else ""
    if sensor:
        told["sensor"] = sensor
        told["key"] = f"sensors.{sensor}" if text.key == "sensors" else text.key
    return told | {
        "text": sentence(trip, float(core.trip_value), float(core.trip_limit), sensor, controller),
        "tick": int(core.trip_tick),
        "value": float(core.trip_value),
        "limit": float(core.trip_limit),
        "action": Action(core.trip_action).name.lower(),
    }


def supply_of(row: Any) -> dict[str, Any]:
    """The supply output, and the pressure where the rig measures it."""
    if row is None:
        return {"level": "off", "pressure_pa": None}
    pressure_pa = float(row["supply_pressure_pa"])
    level = ("off", "low", "high")[int(row["supply"])]
    return {"level": level, "pressure_pa": pressure_pa if math.isfinite(pressure_pa) else None}


def _lease(s: Service) -> dict[str, Any] | None:
    held, now_s = s.lease.held, time.monotonic()
    if held is None:
        return None
    return {
        "kind": held.kind,
        "holder": held.holder,
        "silent_s": round(max(0.0, now_s - held.beat_s), 3),
        "ends_in_s": round(s.lease.ends_in_s(now_s) or 0.0, 3),
        "restores_epoch": held.restore.epoch if held.restore is not None else None,
    }
