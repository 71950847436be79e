"""The rig file's [service]."""

import ipaddress
from collections.abc import Iterator
from typing import Annotated

from hilctl.params import Literal, Params, Problem, note, number, whole

# The order of `stop` and `null` is that of signals.Action.
LeaseLost = Literal["continue", "stop", "null"]


class Service(Params):
    """Sockets, the lease, memory."""

    bind: Annotated[
        str, note("address to listen on; elsewhere than on loopback only with `curve`. The scope stays on loopback")
    ] = "127.0.0.1"
    curve: Annotated[
        bool, note("commands and telemetry are encrypted, and admit the keys of the roles file (`hilctl keys`)")
    ] = False
    keys: Annotated[
        str, note("folder of the service's key and of the roles file; empty: `keys` in the rig's state directory")
    ] = ""
    commands_port: Annotated[int, whole(0, 65535, "", "commands (ROUTER); 0: any free one")] = 9870
    telemetry_port: Annotated[int, whole(0, 65535, "", "telemetry (XPUB); 0: any free one")] = 9871
    scope_port: Annotated[int, whole(0, 65535, "", "scope for PlotJuggler (XPUB); 0: any free one")] = 9872
    scope_hz: Annotated[float, number(1, 1000, "Hz", "samples per second on the scope")] = 100.0
    timeout_s: Annotated[float, number(0.2, 10, "s", "silence of the service after which the core stops the rig")] = 1.0
    block_s: Annotated[float, number(0.005, 0.5, "s", "telemetry is sent in blocks of this length")] = 0.02
    history_s: Annotated[float, number(1, 3600, "s", "samples kept in memory for `fetch`")] = 120.0
    lease_lost: Annotated[LeaseLost, note("what happens when the holder of the lease falls silent")] = "stop"
    heartbeat_s: Annotated[float, number(0.05, 10, "s", "how often the holder of an attended lease beats")] = 0.5
    lease_timeout_s: Annotated[float, number(0.1, 60, "s", "silence after which an attended lease is lost")] = 2.0
    console_idle_s: Annotated[
        float, number(1, 86_400, "s", "silence after which a console lease is lost: since a command moved or watched")
    ] = 600.0
    rate_per_s: Annotated[
        float, number(10, 1e5, "1/s", "requests per second of one connection; large ones count more")
    ] = 2000.0
    burst: Annotated[int, whole(10, 100_000, "", "requests that one connection may send at once")] = 2000

    def inconsistencies(self, at: str) -> Iterator[Problem]:
        """An address; keys beyond loopback; ports apart; a lease that its own beats can keep."""
        try:
            loopback = ipaddress.ip_address(self.bind).is_loopback
        except ValueError:
            yield Problem(f"{at}.bind", self.bind, "must be an IP address", "0.0.0.0 listens on all of this host")
        else:
            if not loopback and not self.curve:
                yield Problem(
                    f"{at}.bind",
                    self.bind,
                    "must be a loopback address without service.curve = true",
                    "`hilctl keys make` makes the keys that it takes; or use 127.0.0.1 and an SSH tunnel",
                )
        ports = [p for p in (self.commands_port, self.telemetry_port, self.scope_port) if p]
        if len(set(ports)) < len(ports):
            yield Problem(f"{at}.commands_port", self.commands_port, "the three ports must differ")
        if self.lease_timeout_s < 2 * self.heartbeat_s:
            yield Problem(
                f"{at}.lease_timeout_s",
                self.lease_timeout_s,
                "must be at least two heartbeats",
                f"heartbeat_s = {self.heartbeat_s:g} s",
            )
