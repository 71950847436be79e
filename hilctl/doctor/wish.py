"""What a rig file asks of its host."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from hilctl.doctor.finding import Wish
from hilctl.params import plain
from hilctl.rig import Rig
from hilctl.wire import places


def of_rig(rig: Rig) -> Wish:
    """Everything that the checks compare with."""
    loop, late, recording = rig.tables.loop, rig.tables.limits.late, rig.recording
    machine, feed = rig.tables.machine, rig.tables.law.feed
    ports, hosts = ((), ()) if rig.twin else devices(plain(rig.driver_config))
    return Wish(
        rate_hz=loop.rate_hz, priority=loop.priority, cpu=loop.cpu, spin_us=loop.spin_us,
        time_to_live_s=loop.time_to_live_s, exchange_share=loop.exchange_share,
        exchange_s=0.0 if rig.twin else _exchange_s(rig),
        late_ticks=late.ticks, late_share=late.share, late_action=late.action, rejoin_s=late.rejoin_s,
        preview_ticks=max(0.0, 1.5 + (2.0 * machine.zv / machine.wv + feed.extra_preview_s) / rig.dt_s),
        rig=rig.name, driver="" if rig.twin else rig.driver, ports=ports, hosts=hosts,
        folder=recording.folder or str(places.state_root() / rig.name / "recordings"),
        flush_hz=recording.flush_hz, queue_s=recording.queue_s, free_mb=recording.free_mb,
    )  # fmt: skip


def of_none() -> Wish:
    """Without a rig file: the declarations' defaults."""
    return Wish(folder=str(places.state_root()))


def devices(table: Mapping[str, Any]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The serial ports and the hosts that a driver's table names, each once."""
    named = list(_named(table))
    ports = dict.fromkeys(value for key, value in named if key != "host")
    return tuple(ports), tuple(dict.fromkeys(value for key, value in named if key == "host"))


def _named(table: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Of each device its port or its host; a device of Modbus has both keys, and says which counts."""
    unused = {"tcp": "serial", "rtu": "host"}.get(str(table.get("transport")), "")
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from _named(value)
        elif key in ("port", "serial", "host") and key != unused and isinstance(value, str) and value:
            yield key, value


def _exchange_s(rig: Rig) -> float:
    """What the exchanges of every tick take on the slowest line, where the driver's settings say it."""
    if rig.driver == "modbus":
        from firmware_bridge.modbus import budget as modbus
        from firmware_bridge.modbus.plan import buses

        config: Any = rig.driver_config
        return max((sum(modbus.exchange_s(config.device(request.device), request) for request in bus.fast)
                    for bus in buses(config)), default=0.0)  # fmt: skip
    if rig.driver == "serial_text":
        from firmware_bridge.serial_text import budget as text
        from firmware_bridge.serial_text.settings import described

        found: Any = rig.driver_config
        return max((sum(map(text.exchange_s, line.fast)) for line in text.lines(described(found))), default=0.0)
    return 0.0


def folder_of(wish: Wish) -> Path:
    """The recordings' folder; the state directory where no rig names one."""
    return Path(wish.folder) if wish.folder else places.state_root()
