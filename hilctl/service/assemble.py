"""Puts a service together around a link."""

import hashlib
import os
import time
from pathlib import Path
from typing import Any

from hilctl import __version__
from hilctl.errors import HilctlError
from hilctl.loop.link import Link
from hilctl.loop.options import CoreOptions
from hilctl.loop.spawn import Spawned
from hilctl.params import plain
from hilctl.recording import journal
from hilctl.recording.recorder import Recorder
from hilctl.rig import Rig
from hilctl.service.admission import ByKey, ByToken, admission
from hilctl.service.alarm_file import NAME, OF_TWIN, AlarmFile
from hilctl.service.alarms import Alarms
from hilctl.service.core import Core
from hilctl.service.desk import Desk
from hilctl.service.doors import COMMANDS, TELEMETRY, Door, guard, is_loopback
from hilctl.service.events import Events
from hilctl.service.filing import room_of
from hilctl.service.history import History
from hilctl.service.inputs import Inputs
from hilctl.service.journal import Journal
from hilctl.service.lease import LeaseDesk
from hilctl.service.service import Identity, Places, Service
from hilctl.service.settings import Service as Settings
from hilctl.service.store import Author, Done, Store, values_of
from hilctl.service.telemetry import Telemetry
from hilctl.service.wall import Wall
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


def keys_folder(rig: Rig) -> Path:
    """Where the service's key and the roles file are."""
    return Path(rig.service.keys).expanduser() if rig.service.keys else places.state_root() / rig.name / "keys"


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
        box_rows=int(rig.recording.black_box.before_s / rig.dt_s),
        history_rows=history_rows(rig),
        box_folder=str(places.state_root() / rig.name / "left"),
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


def _door(settings: Settings, name: str, admits: ByToken | ByKey) -> Door:
    """The door of this name; the scope's is on loopback, for it has no keys."""
    scope = name == "scope"
    address = "127.0.0.1" if scope and not is_loopback(settings.bind) else settings.bind
    port: int = getattr(settings, f"{name}_port")
    try:
        return Door(address, port, None if scope else admits.curve, TELEMETRY if name == "telemetry" else COMMANDS)
    except OSError as error:
        key, why = f"service.{name}_port", os.strerror(error.errno or 0).lower()
        remedy = "end the program that uses it, choose another port, or 0 for a free one"
        told = f"{key}: {port} cannot be opened on {address}: {why}; {remedy}"
        raise HilctlError(told, key=key, value=port) from None


def _journal(path: Path, run: str, store: Store) -> Journal:
    """The rig's journal, with a record of this start, and of what the command line changed."""
    made = Journal(path, run)
    now = Author("hilctl run", f"started with {store.file.path}", 0, time.time_ns())
    made.begin(values_of(store.file), Done(store.epoch, now, 0, ()), __version__)
    for done in store.done:
        made.add(done)
    return made


def assemble(
    context: Any,
    rig: Rig,
    link: Link,
    runtime: Path,
    run: str,
    *,
    virtual: bool,
    recordings: Path | None = None,
    state: Path | None = None,
    file: Rig | None = None,
) -> tuple[Service, Desk, Telemetry]:
    """The service with its sockets open; `file` is the rig as its file alone says it. `state`: the rig's directory for
    what outlasts a run."""
    settings = rig.service
    admits = admission(settings, keys_folder(rig), runtime, rig.name)
    doors = {name: _door(settings, name, admits) for name in ("commands", "telemetry", "scope")}
    watchman = guard(context, admits) if isinstance(admits, ByKey) else None
    wall = Wall()
    telemetry = Telemetry(context, (doors["telemetry"], doors["scope"]), run, schema(), settings.block_s)
    telemetry.wall = None if virtual else wall
    state = state or places.state_root() / rig.name
    folder = recordings or (Path(rig.recording.folder) if rig.recording.folder else state / "recordings")
    rate_hz, store = 1.0 / rig.dt_s, Store(rig, file=file)
    endpoints: dict[str, str] = {}
    service = Service(
        places=Places(runtime, folder, places.state_root() / rig.name / "jobs"),
        identity=Identity(run, schema(), "virtual" if virtual else "real", endpoints),
        store=store,
        core=Core(link, History(history_rows(rig), link.box), virtual=virtual),
        lease=LeaseDesk(settings.lease_timeout_s, settings.console_idle_s),
        events=Events(),
        recorder=Recorder(1.0 / rig.recording.flush_hz, int(rig.recording.queue_s * rate_hz), room_of(rig)),
        inputs=Inputs(link, rate_hz),
        journal=_journal(state / journal.NAME, run, store),
        watch=Watch(rate_hz),
        admission=admits,
        wall=wall,
        alarms=Alarms(run),
        alarm_file=AlarmFile(state / (OF_TWIN if rig.twin else NAME)),
        guard=watchman,
        started_s=time.monotonic(),
    )
    desk = Desk(context, service, doors["commands"])
    endpoints["commands"] = desk.endpoint
    endpoints["telemetry"], endpoints["scope"] = telemetry.endpoints
    return service, desk, telemetry
