"""Puts a service together around a link."""

import hashlib
import time
from pathlib import Path
from typing import Any

import zmq

from hilctl.errors import HilctlError
from hilctl.loop.link import Link
from hilctl.loop.options import CoreOptions
from hilctl.loop.spawn import Spawned
from hilctl.params import plain
from hilctl.recording.recorder import Recorder
from hilctl.rig import Rig
from hilctl.service.core import Core
from hilctl.service.desk import Desk
from hilctl.service.events import Events
from hilctl.service.history import History
from hilctl.service.lease import LeaseDesk
from hilctl.service.service import Identity, Places, Service
from hilctl.service.settings import Service as Settings
from hilctl.service.store import Store
from hilctl.service.telemetry import Telemetry
from hilctl.service.watch import Watch
from hilctl.signals import CHANNELS
from hilctl.wire import places

_FEWEST_ROWS = 1 << 12  # of memory: a slow loop's seconds are few rows


def schema() -> str:
    """A short name for exactly these channels."""
    return hashlib.sha256(repr(CHANNELS).encode()).hexdigest()[:16]


def history_rows(rig: Rig) -> int:
    """How many samples memory holds."""
    return max(_FEWEST_ROWS, int(rig.service.history_s / rig.dt_s))


def core_options(rig: Rig, *, virtual: bool) -> CoreOptions:
    """How the core shall run, from the rig file."""
    loop = rig.tables.loop
    return CoreOptions(
        rate_hz=loop.rate_hz,
        clock="virtual" if virtual else "real",
        exchange_share=loop.exchange_share,
        spin_us=loop.spin_us,
        cpu=loop.cpu,
        priority=loop.priority,
        service_timeout_s=rig.service.timeout_s,
        reconnect=loop.reconnect.enabled,
        lost_s=loop.reconnect.after_s,
        reconnect_first_s=loop.reconnect.first_s,
        reconnect_longest_s=loop.reconnect.longest_s,
        hold_rows=history_rows(rig) * 3 // 4 if virtual else 0,
    )


def start_link(rig: Rig, core: Spawned | None, *, virtual: bool) -> Link:
    """Puts a core to work."""
    return Link.start(
        rig.settings(),
        driver=rig.driver,
        driver_config=plain(rig.driver_config),  # as values: a class made for one model does not travel
        facts=rig.facts(virtual=virtual),
        options=core_options(rig, virtual=virtual),
        core=core,
    )


def _not_bound(error: zmq.ZMQError, settings: Settings) -> HilctlError:
    """Which port could not be opened, and why."""
    ports = {name: getattr(settings, f"{name}_port") for name in ("commands", "telemetry", "scope")}
    name, port = next(((n, p) for n, p in ports.items() if p and str(error).find(f":{p}") >= 0), ("commands", 0))
    key, why = f"service.{name}_port", zmq.strerror(error.errno or 0).lower()
    remedy = "end the program that uses it, choose another port, or 0 for a free one"
    return HilctlError(f"{key}: {port} cannot be opened on {settings.bind}: {why}; {remedy}", key=key, value=port)


def assemble(
    context: Any,
    rig: Rig,
    link: Link,
    runtime: Path,
    run: str,
    *,
    virtual: bool,
    recordings: Path | None = None,
    file: Rig | None = None,
) -> tuple[Service, Desk, Telemetry]:
    """The service with its sockets open; `file` is the rig as its file alone says it."""
    settings = rig.service
    ports = settings.telemetry_port, settings.scope_port
    try:
        telemetry = Telemetry(context, settings.bind, ports, run, schema(), settings.block_s)
    except zmq.ZMQError as error:
        raise _not_bound(error, settings) from None
    folder = recordings or (
        Path(rig.recording.folder) if rig.recording.folder else places.state_root() / rig.name / "recordings"
    )
    rate_hz = 1.0 / rig.dt_s
    endpoints: dict[str, str] = {}
    service = Service(
        places=Places(runtime, folder),
        identity=Identity(run, schema(), "virtual" if virtual else "real", endpoints),
        store=Store(rig, file=file),
        core=Core(link, History(history_rows(rig)), virtual=virtual),
        lease=LeaseDesk(settings.lease_timeout_s, settings.console_idle_s),
        events=Events(),
        recorder=Recorder(1.0 / rig.recording.flush_hz, int(rig.recording.queue_s * rate_hz)),
        watch=Watch(rate_hz),
        started_s=time.monotonic(),
    )
    desk = Desk(context, service)
    try:
        desk.socket.bind(f"tcp://{settings.bind}:{settings.commands_port or '*'}")
    except zmq.ZMQError as error:
        raise _not_bound(error, settings) from None
    endpoints["commands"] = desk.endpoint
    endpoints["telemetry"], endpoints["scope"] = telemetry.endpoints
    return service, desk, telemetry
