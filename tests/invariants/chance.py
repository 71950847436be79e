"""The next line of a sequence, by chance: mostly what makes sense in the mode that the session is in, sometimes not."""

from collections.abc import Callable
from random import Random

from hilctl.signals import Mode, Trip
from hilctl.trips import TRIP_TEXTS
from tests.invariants.rigs import RIGS
from tests.invariants.script import Play

_MOTIONS: tuple[Callable[[Random], str], ...] = (
    lambda r: f"move position_m={r.choice((-0.08, -0.03, 0.0, 0.02, 0.06, 0.085))}",
    lambda r: f"move position_m={r.choice((-0.05, 0.0, 0.05))} duration_s={r.choice((0.5, 1))}",
    lambda r: f"move position_m={r.choice((-0.07, 0.07))} speed_m_s={r.choice((0.05, 0.4))}",
    lambda r: f"track sine amplitude_m={r.choice((0.002, 0.02, 0.05))} frequency_hz={r.choice((0.5, 1, 2))}",
    lambda r: f"track sine amplitude_m=0.0005 frequency_hz={r.choice((5, 15))} cycles=20",
    lambda r: f"track triangle amplitude_m={r.choice((0.01, 0.05))} speed_m_s={r.choice((0.05, 0.24, 0.5))}",
    lambda r: "track chirp amplitude_m=0.003 start_hz=0.5 end_hz=8 duration_s=4",
)
_SETS: dict[str, tuple[object, ...]] = {
    "limits.late.ticks": (5, 20, 50, 200),
    "limits.late.action": ("stop", "null", "warn"),
    "limits.velocity.max_m_s": (0.4, 1.0),
    "limits.tracking_error.max_m": (0.01, 0.03),
    "limits.tracking_error.action": ("warn", "stop", "null"),
    "limits.position.max_m": (0.05, 0.09),
    "limits.supply.action": ("warn", "stop", "null"),
    "limits.saturation.max_s": (0.1, 0.3),
    "limits.sensing.action": ("warn", "null"),
    "limits.driver.action": ("warn", "null"),
    "law.blend_s": (0.3, 0.5),
    "law.feedback": ("pid", "three_state"),
    "law.three_state.kd_per_m": (15.0, 19.265),
    "law.three_state.ki_per_m_s": (200.0, 363.13),
    "law.feed.inverse": (0.0, 1.0),
    "law.valve.null_bias": (-0.02, -0.01, 0.0),
    "sensors.displacement.offset": (-0.02, 0.0, 0.003),
    "sensors.displacement.gain": (0.98, 1.0),
    "sensors.acceleration.gain": (0.97, 1.0),
    "sensors.acceleration.offset": (0.0, 0.5),
    "sensors.emergency_stop.present": ("true", "false"),
    "arming.first_arm_authority": (0.03, 0.05),
}
_SENSORS = ("displacement", "acceleration", "pressure_a", "pressure_b", "supply_pressure", "spool", "emergency_stop")
_STATUSES = ("timeout", "bad_checksum", "bad_reply", "exception", "stale", "overwritten")
_SHIFTS = {"displacement": (0.0005, 0.003), "acceleration": (3.0, 30.0), "pressure_a": (2e6,), "pressure_b": (2e6,)}


class Chance:
    """One sequence. What is wrong with the rig is remembered, so that it is put right again."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.rig = self.random.choice(list(RIGS))
        self.lines = self.random.randint(18, 48)
        self._amiss: list[str] = []

    def first(self) -> str:
        """Which rig."""
        return f"rig {self.rig}"

    def next(self, play: Play) -> str:
        """The next line."""
        r, mode = self.random, play.session.mode
        pick = r.random()
        if not play.notes:
            return f"{r.choice('ABK')} take"
        if mode == Mode.STANDBY and pick < 0.65:
            return self._disturbance() if pick < 0.15 else f"wait {r.choice((0.05, 0.1, 0.2, 0.6))}"
        if mode == Mode.OFF and self._amiss and pick < 0.3:
            return self._amiss.pop()
        if pick < 0.33:
            return f"wait {self._seconds()}"
        if pick < 0.68:
            return self._sensible(play)
        if pick < 0.75:
            return self._any_request()
        if pick < 0.80:
            return self._host()
        if self._amiss and r.random() < 0.55:
            return self._amiss.pop()
        return self._fault(mode)

    def _disturbance(self) -> str:
        """Of arming, which believes what it sees."""
        r = self.random
        if r.random() < 0.5:
            return f"sensor displacement drift {r.choice((-0.12, -0.02, 0.02, 0.12))} {r.choice((100, 500))}"
        return r.choice(
            (
                f"push {r.choice((-6000, 6000))} {r.choice((0.05, 0.3))}",
                f"stall {r.choice((5, 20, 45))}",
                f"sensor displacement offset {r.choice((-0.003, 0.003))} {r.choice((50, 200))}",
                f"sensor acceleration drift {r.choice((-20, 20))} 200",
            )
        )

    def _seconds(self) -> float:
        r = self.random
        if r.random() < 0.06:
            return r.choice((4.0, 12.0))
        return r.choice((0.01, 0.03, 0.1, 0.25, 0.5, 1.0, 2.0))

    def _sensible(self, play: Play) -> str:
        """What somebody would ask for now."""
        r, session = self.random, play.session
        held = session.service.lease.held
        if held is None:
            return f"{r.choice('ABK')} take"
        who, mode, trip = held.holder[0], session.mode, session.service.watch.trip
        if mode == Mode.OFF and session.device.faults.unplugged:
            return "plug"
        if (trip or "stop released" in self._amiss) and r.random() < 0.2:
            return self._work_around(who, Trip(trip))
        if trip and mode in (Mode.OFF, Mode.HOLD) and r.random() < 0.7:
            return f"{who} reset"
        if mode == Mode.OFF:
            return f"{who} arm" if r.random() < 0.85 else self._change(who)
        if mode == Mode.HOLD:
            pick = r.random()
            if pick < 0.62:
                return f"{who} {r.choice(_MOTIONS)(r)}"
            if pick < 0.86:
                return self._change(who)
            level = r.choice(("low", "high"))
            return f"{who} supply level={level}" if pick < 0.91 else f"{who} {r.choice(('stop', 'off'))}"
        if mode == Mode.TRACK:
            pick = r.random()
            if pick < 0.4:
                return f"wait {self._seconds()}"
            return f"{who} {r.choice(('stop', 'stop', 'off', 'dies'))}" if pick < 0.8 else self._change(who)
        return f"wait {r.choice((0.05, 0.2, 0.6))}"

    def _work_around(self, who: str, trip: Trip) -> str:
        """What protects is in the way, and somebody takes it away."""
        if "stop released" in self._amiss or trip == Trip.EMERGENCY_STOP:
            change = "sensors.emergency_stop.present=false"
        else:
            key = TRIP_TEXTS[trip].key
            change = f"{key if key.startswith('limits.') else 'limits.sensing'}.action=warn"
        return f"{who} set {change}; wait 0.05; {who} reset; {who} arm; wait 0.1"

    def _change(self, who: str) -> str:
        r = self.random
        pick = r.random()
        if pick < 0.2:
            sensor = r.choice(("displacement", "displacement", "acceleration"))
            to = f" to={r.choice((0.005, -0.02))}" if sensor == "displacement" and r.random() < 0.3 else ""
            return f"{who} zero {sensor} samples={r.choice((50, 200))}{to}"
        if pick < 0.28:
            return f"{who} undo"
        keys = r.sample(list(_SETS), r.choice((1, 1, 1, 2)))
        return f"{who} set " + " ".join(f"{key}={r.choice(_SETS[key])}" for key in keys)

    def _any_request(self) -> str:
        r = self.random
        who = r.choice("ABCK")
        verb = r.choice(("take", "takeover", "release", "arm", "off", "stop", "reset", "dies", "lives", "move", "set"))
        if verb == "move":
            return f"{who} {r.choice(_MOTIONS)(r)}"
        return self._change(who) if verb == "set" else f"{who} {verb}"

    def last(self) -> str:
        """How it ends."""
        return "service gone" if self.random.random() < 0.15 else "end"

    def _host(self) -> str:
        r = self.random
        if r.random() < 0.6:
            return f"stall {r.choice((1, 3, 5, 20, 20, 45, 45, 120))}"
        return f"stalls {r.choice((2, 6, 10, 20, 35))} {r.choice((2, 6, 20))} {r.choice((5, 30))}"

    def _fault(self, mode: Mode) -> str:
        r, amiss = self.random, self._amiss
        kind = r.choice(("sensor", "sensor", "status", "supply", "supply", "stop", "push", "link"))
        if kind == "sensor":
            return self._sensor()
        if kind == "status":
            how = r.choice(("status", "mute"))
            return f"{how} {r.choice(_STATUSES)} {r.choice((1, 2, 10, 40, 2000))} {r.choice((1, 1, 2, 3, 7))}"
        if kind == "supply":
            amiss.append("supply back")
            return "supply lost"
        if kind == "stop":
            amiss.append("stop released")
            return "stop pressed"
        if kind == "push":
            return f"push {r.choice((-6000, -3500, 3500, 6000))} {r.choice((0.02, 0.1, 0.3))}"
        if mode == Mode.OFF and r.random() < 0.7:
            return self._rewire()
        amiss.append("plug")
        return "unplug"

    def _sensor(self) -> str:
        r = self.random
        name = r.choice(_SENSORS)
        kind = r.choice(("nan", "stuck", "stale", "alternating", "spike", "offset", "drift"))
        if name == "emergency_stop" and kind == "stuck":  # nobody can see that
            kind = "stale"
        if kind in ("spike", "offset", "drift"):
            if name not in _SHIFTS:
                return f"sensor {name} nan {r.choice((1, 3, 20))}"
            shift = r.choice(_SHIFTS[name]) * r.choice((-1, 1))
            if kind == "spike":
                return f"sensor {name} spike {shift}"
            if kind == "drift":
                return f"sensor {name} drift {shift * 40:g} {r.choice((100, 500))}"
            return f"sensor {name} offset {shift} {r.choice((10, 200))}"
        return f"sensor {name} {kind} {r.choice((1, 2, 5, 50, 1000))}"

    def _rewire(self) -> str:
        """Who rewires a rig unplugs it: three lines, and a fourth that puts it right."""
        r = self.random
        what, parts = r.choice(
            (
                ("valve", ("reversed", "dead")),
                ("displacement", ("dead", "reversed")),
                ("acceleration", ("reversed", "dead")),
                ("pressure_a", ("reversed", "dead")),
                ("pressures", ("exchanged",)),
            )
        )
        self._amiss += [f"wire {what} right"]
        return f"unplug; wait 1.3; wire {what} {r.choice(parts)}; plug; wait 0.1"
