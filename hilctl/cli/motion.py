"""Verbs that move the rig, or end a motion. All but stop and off need the lease."""

import argparse
import math
from typing import TYPE_CHECKING

from hilctl.cli import connect, queue
from hilctl.cli.arguments import declared
from hilctl.cli.output import json_line, note, say
from hilctl.cli.progress import working
from hilctl.errors import DONE, HilctlError

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from hilctl.client import Client, Motion, Outcome


_TO_REST_S = 60.0  # the longest motion's end
_LOOK_S = 0.5  # how often a motion that is waited for is asked how far it is


def arm(parser: argparse.ArgumentParser) -> None:
    """The arguments of `arm`."""
    connect.options(parser, moves=True)
    parser.add_argument("--wait", action="store_true", help="for a service that is still starting, up to two minutes")
    parser.add_argument("--prove", action="store_true", help="prove the signs again, and forget null and overlap")
    parser.set_defaults(do=_arm)


def reconnect(parser: argparse.ArgumentParser) -> None:
    """The arguments of `reconnect`."""
    connect.options(parser, moves=True)
    parser.add_argument("--json", action="store_true", help="the link, as one JSON object")
    parser.set_defaults(do=_reconnect)


def supply(parser: argparse.ArgumentParser) -> None:
    """The arguments of `supply`."""
    connect.options(parser, moves=True)
    parser.add_argument("level", choices=("low", "high", "off"), help="which; off: as `hilctl off`, under no motion")
    parser.add_argument("--json", action="store_true", help="level and pressure, as one JSON object")
    parser.set_defaults(do=_supply)


def hold(parser: argparse.ArgumentParser) -> None:
    """The arguments of `hold`."""
    connect.options(parser, moves=True)
    parser.set_defaults(do=_hold)


def move(parser: argparse.ArgumentParser) -> None:
    """The arguments of `move`."""
    connect.options(parser, moves=True)
    from hilctl.wire.ops_motion import Move

    parser.add_argument("position", metavar="POSITION", type=declared(Move, "position_m"),
                        help="where to go, m from mid-stroke")  # fmt: skip
    parser.add_argument("--speed", type=declared(Move, "speed_m_s"), default=0.0, metavar="M/S",
                        help="peak speed; not given: limits.shaping.approach_velocity_m_s")  # fmt: skip
    parser.add_argument("--duration", type=declared(Move, "duration_s"), default=0.0, metavar="S",
                        help="how long the move takes; not with --speed")  # fmt: skip
    follow_options(parser)
    queue.options(parser)
    parser.set_defaults(do=_move)


def wait(parser: argparse.ArgumentParser) -> None:
    """The arguments of `wait`."""
    connect.options(parser, moves=True)
    from hilctl.wire.ops import Wait

    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("seconds", nargs="?", type=declared(Wait, "seconds"), metavar="SECONDS",
                      help="of the rig's own time")  # fmt: skip
    what.add_argument("--motion", type=declared(Wait, "motion"), metavar="N", help="until this motion is over")
    parser.set_defaults(do=_wait)


def stop(parser: argparse.ArgumentParser) -> None:
    """The arguments of `stop`."""
    connect.options(parser)
    parser.set_defaults(do=_stop)


def off(parser: argparse.ArgumentParser) -> None:
    """The arguments of `off`."""
    connect.options(parser)
    parser.set_defaults(do=_off)


def reset(parser: argparse.ArgumentParser) -> None:
    """The arguments of `reset`."""
    connect.options(parser, moves=True)
    parser.set_defaults(do=_reset)


def shutdown(parser: argparse.ArgumentParser) -> None:
    """The arguments of `shutdown`."""
    connect.options(parser, moves=True)
    parser.set_defaults(do=_shutdown)


def follow_options(parser: argparse.ArgumentParser) -> None:
    """What every motion takes besides its own parameters."""
    parser.add_argument("--wait", action="store_true", help="return when it is over; Ctrl-C stops it in order")
    parser.add_argument("--json", action="store_true", help="what was started, as one JSON object")


def motions(given: argparse.Namespace) -> "AbstractContextManager[Client]":
    """Who waits for the end of a motion is attended; who starts it and ends leaves it to the console."""
    return connect.attended(given, "console") if given.wait else connect.command(given)


def follow(
    rig: "Client",
    start: "Callable[[], Motion]",
    given: argparse.Namespace,
    meanwhile: "Callable[[], object]" = lambda: None,
) -> int:
    """Starts a motion and says which; waits for its end where that was asked for, and Ctrl-C then stops it."""
    outcome = None
    try:
        motion = start()
        if not given.json:
            say(f"motion {motion.id}: {motion.text}")
            for warning in motion.warnings:
                note(warning)
        if not given.wait and motion.seconds > rig.hello["console_idle_s"]:
            note(
                f"nobody waits for it: it ends after {rig.hello['console_idle_s']:g} s without a command "
                "(service.console_idle_s); give --wait, or keep `hilctl watch` open"
            )
        meanwhile()
        if given.wait:
            outcome = _over(rig, motion)
    except KeyboardInterrupt:
        if given.wait:
            note("stopping")
            rig.stop()
        raise
    if given.json:
        ended = {"outcome": outcome.why, "last": outcome.last, "trip": outcome.trip} if outcome is not None else {}
        say(json_line({**motion._asdict(), **ended}))
    if outcome is not None and outcome.why != "done":
        raise HilctlError(f"motion {motion.id} ended: {outcome.why}{trip_text(rig, outcome.trip)}")
    return DONE


def _over(rig: "Client", motion: "Motion") -> "Outcome":
    """The end of a motion; until then, how far it is."""
    with working(f"motion {motion.id}") as tell:
        while (outcome := rig.wait(motion, _LOOK_S)).why == "timeout":
            if math.isfinite(motion.seconds):
                done_s = (outcome.last - motion.first) / rig.hello["rate_hz"]
                tell(min(done_s, motion.seconds), motion.seconds, left_s=max(0.0, motion.seconds - done_s))
        return outcome


def trip_text(rig: "Client", name: str) -> str:
    """The trip that is latched, with what to do; where it was reset since, its name alone."""
    trip = rig.status()["trip"] if name else None
    if not trip:
        return f" {name}".rstrip()
    return f" by {trip['name']}: {trip['text']}; then `hilctl reset`"


def _arm(given: argparse.Namespace) -> int:
    from hilctl.client.client import Ended

    if given.wait:
        connect.until_one_runs(given)
    with connect.command(given) as rig:
        try:
            rig.arm(prove=given.prove)
        except Ended as ended:
            raise HilctlError(f"arming ended: {ended.outcome.why}{trip_text(rig, ended.outcome.trip)}") from None
        say(f"armed: {rig.status()['mode']} at {1e3 * rig.status()['position_m']:.3f} mm")
    return DONE


def _reconnect(given: argparse.Namespace) -> int:
    with connect.command(given) as rig:
        link = rig.reconnect()
        said = f"{link['driver']}, {link['state']}; reconnects: {link['reconnects']}"
        say(json_line(link) if given.json else said)
    return DONE


def _supply(given: argparse.Namespace) -> int:
    with connect.command(given) as rig:
        found = rig.supply(given.level)
    pressure = f", {1e-6 * found['pressure_pa']:.2f} MPa" if found["pressure_pa"] is not None else ""
    say(json_line(found) if given.json else f"supply {found['level']}{pressure}")
    return DONE


def _hold(given: argparse.Namespace) -> int:
    with connect.command(given) as rig:
        mode = rig.status()["mode"]
        if mode in ("off", "standby", "null"):
            raise HilctlError(f"nothing to hold: the mode is {mode}; `hilctl arm` leads from off to hold")
        rig.hold()
        return _told(rig, rig.wait_mode("hold", _TO_REST_S).why)


def _move(given: argparse.Namespace) -> int:
    parameters = {"position_m": given.position, "duration_s": given.duration, "speed_m_s": given.speed}
    queued = queue.asked_for(given)
    with motions(given) as rig:
        if queued:
            return queue.put(given, rig, "move", parameters)
        return follow(rig, lambda: rig.move(given.position, speed_m_s=given.speed, duration_s=given.duration), given)


def _wait(given: argparse.Namespace) -> int:
    with connect.looking_on(given) as rig:
        if given.motion is not None:
            outcome = rig.wait(given.motion)
            if outcome.why not in ("done", "stopped"):
                raise HilctlError(f"motion {given.motion} ended: {outcome.why}{trip_text(rig, outcome.trip)}")
            say(f"motion {given.motion}: {outcome.why}")
            return DONE
        if rig.hello["clock"] == "virtual":  # there it is the lease's holder who lets time pass
            rig.take("console", takeover=given.takeover)
        outcome = rig.pass_time(given.seconds)
        if not outcome.done:
            raise HilctlError(f"{outcome.why} before {given.seconds:g} s had passed")
        say(f"tick {outcome.tick}")
    return DONE


def _stop(given: argparse.Namespace) -> int:
    with connect.look(given) as rig:
        outcome = rig.stop()
        return _told(rig, outcome.why if outcome is not None else "mode")


def _off(given: argparse.Namespace) -> int:
    with connect.look(given) as rig:
        outcome = rig.off()
        return _told(rig, outcome.why if outcome is not None else "mode")


def _reset(given: argparse.Namespace) -> int:
    with connect.command(given) as rig:
        rig.reset()
        return _told(rig, "mode")


def _shutdown(given: argparse.Namespace) -> int:
    with connect.command(given) as rig:
        name = rig.hello["rig"]
        rig.shutdown()
    say(f"{name}: the motion ends in order, then the service")
    return DONE


def _told(rig: "Client", why: str) -> int:
    found = rig.status()
    if why not in ("mode", "done", "tripped"):
        raise HilctlError(f"still {found['mode']}: {why}; {found['gone']}".rstrip("; "))
    tripped = f", tripped by {found['trip']['name']}" if found["trip"] else ""
    say(f"{found['mode']}{tripped}")
    return DONE
