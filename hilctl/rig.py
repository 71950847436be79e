"""The rig file: one TOML file that describes one rig, checked whole against everyone's declarations.

    schema = 1
    [rig] [machine] [sensors.NAME] [limits.NAME] [loop] [law] [friction] [arming] [driver] [twin] [service] [recording]

`base = "table-500"` names what this file is laid over: a rig file, by its path from here, or else a preset. `include =
["identified.toml"]` lays other files over this one, the later over the earlier. Either goes key by key; but a
[friction] that names its model is whole, and takes the place of what the earlier files say of friction. All problems
are reported at once.

Nominal values (what the controller believes) stand in [machine] and [friction]; the twin's own (what the
simulated plant is) in [twin], where whatever is not said is nominal.
"""

import copy
import dataclasses
import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

from msgspec import UNSET

from firmware_bridge import registry
from firmware_bridge.driver import DriverError, RigFacts
from hilctl.friction import Friction, check_friction
from hilctl.law.arming import Arming
from hilctl.law.feed import lead_ticks
from hilctl.law.limits import Limits
from hilctl.law.motions.limits import Flow, MotionLimits
from hilctl.law.notch import HIGHEST
from hilctl.law.reference.history import LENGTH
from hilctl.law.sensors import Sensors
from hilctl.law.settings import Controller, Law, pack_settings
from hilctl.loop.settings import Loop
from hilctl.machine import GRAVITY, Machine, velocity_gain
from hilctl.params import BadValues, Params, Problem, check, nearest, note, plain
from hilctl.params.tables import put
from hilctl.recording.settings import Recording
from hilctl.rig_file import BEGIN, File, find, read
from hilctl.service.settings import Service

SCHEMA = 1
_OTHER_SCHEMA = "this program reads that version: `hilctl presets` lists files of it, to copy your values into"
_FEW = 6  # missing values that are listed one by one
_OWN = ("schema", "base", "include", "friction", "driver", "twin")


class Identity(Params):
    """What the rig is called."""

    name: Annotated[str, note("short name: letters, digits, dash; names its folders")]
    description: Annotated[str, note("one line about it")] = ""

    def inconsistencies(self, at: str) -> Iterator[Problem]:
        """A name that can be a folder's."""
        if not self.name or not all(c.isalnum() or c in "-_" for c in self.name):
            yield Problem(f"{at}.name", self.name, "must be letters, digits, dashes and underscores")


class Tables(Params, kw_only=True):
    """The tables whose keys are the same for every rig."""

    rig: Identity
    machine: Machine
    sensors: Sensors
    limits: Limits
    loop: Loop = Loop()
    law: Law = Law()
    arming: Arming = Arming()
    service: Service = Service()
    recording: Recording = Recording()

    def inconsistencies(self, at: str) -> Iterator[Problem]:
        """What several tables say together."""
        yield from _stroke(self)
        yield from _time_to_live(self)
        yield from _delays(self)
        yield from _own_reach(self)
        yield from _notches(self)
        reach = velocity_gain(self.machine)
        if self.limits.velocity.max_m_s > reach:
            yield Problem("limits.velocity.max_m_s", self.limits.velocity.max_m_s,
                          f"must not exceed {reach:.4g} m/s, the no-load speed Qn/A of the valve")


def _stroke(t: Tables) -> Iterator[Problem]:
    stroke = t.machine.stroke_m
    for key, value in (("min_m", t.limits.position.min_m), ("max_m", t.limits.position.max_m)):
        if abs(value) > stroke:
            yield Problem(f"limits.position.{key}", value, f"must be within the stroke of ±{stroke:g} m",
                          "machine.stroke_m is half of the stroke")


def _time_to_live(t: Tables) -> Iterator[Problem]:
    position = t.limits.position
    margin, fastest = t.machine.stroke_m - max(abs(position.min_m), abs(position.max_m)), t.limits.velocity.max_m_s
    longest = margin / fastest
    if margin >= 0 and t.loop.time_to_live_s > longest * (1 + 1e-9):
        yield Problem("loop.time_to_live_s", t.loop.time_to_live_s,
                      f"must not exceed {longest:.4g} s: at limits.velocity.max_m_s = {fastest:g} m/s "
                      f"the table crosses the margin of {1e3 * margin:.3g} mm beyond limits.position in that time",
                      "shorten it, or narrow limits.position or limits.velocity")
    if t.loop.time_to_live_s < 2 / t.loop.rate_hz:
        yield Problem("loop.time_to_live_s", t.loop.time_to_live_s,
                      f"must be at least two ticks, {2 / t.loop.rate_hz:.4g} s at loop.rate_hz = {t.loop.rate_hz:g}")


def _delays(t: Tables) -> Iterator[Problem]:
    room = LENGTH // 2 - 4
    lag = 2 * t.machine.zv / t.machine.wv + t.law.feed.extra_preview_s
    if lag * t.loop.rate_hz + 1.5 > room:
        yield Problem("machine.wv", t.machine.wv, f"the valve lags {1e3 * lag:.3g} ms, more than {room} ticks ahead",
                      "lower loop.rate_hz")
    for name in ("displacement", "acceleration"):
        delay = getattr(t.sensors, name).delay_s
        if delay * t.loop.rate_hz > room:
            limit = f"must be at most {room} ticks, {room / t.loop.rate_hz:.3g} s"
            yield Problem(f"sensors.{name}.delay_s", delay, limit)


def _own_reach(t: Tables) -> Iterator[Problem]:
    position, reach = t.limits.position, t.law.rig.reach_m * t.limits.command.opening
    if t.law.feedback == "rig" and max(abs(position.min_m), abs(position.max_m)) > reach:
        yield Problem("law.rig.reach_m", t.law.rig.reach_m,
                      f"must reach limits.position, {position.min_m:g} to {position.max_m:g} m, "
                      "within limits.command.opening", "it is the displacement that a command of 1 asks for")


def _notches(t: Tables) -> Iterator[Problem]:
    highest = HIGHEST * t.loop.rate_hz
    for name in ("notch_1", "notch_2", "notch_3"):
        notch = getattr(t.law, name)
        if notch.depth_db > 0 and notch.frequency_hz > highest:
            yield Problem(f"law.{name}.frequency_hz", notch.frequency_hz,
                          f"must be at most {highest:g} Hz, {HIGHEST:g} of loop.rate_hz = {t.loop.rate_hz:g} Hz",
                          "or set its depth_db to 0")


@dataclasses.dataclass(frozen=True)
class Rig:
    """A rig file, checked."""

    path: Path
    text: str  # of all files, as they were laid over each other
    tables: Tables
    friction: Friction
    driver: str
    driver_config: Params
    twin: bool
    files: tuple[File, ...] = ()  # the rig file, and then all that it includes

    @property
    def name(self) -> str:
        """The rig's short name."""
        return self.tables.rig.name

    @property
    def controller(self) -> Controller:
        """What the loop reads, as tables."""
        t = self.tables
        return Controller(machine=t.machine, sensors=t.sensors, limits=t.limits, law=t.law, arming=t.arming)

    @property
    def dt_s(self) -> float:
        """The period of the loop."""
        return 1.0 / self.tables.loop.rate_hz

    @property
    def service(self) -> Service:
        """The wire's settings."""
        return self.tables.service

    @property
    def recording(self) -> Recording:
        """The recorder's settings."""
        return self.tables.recording

    @property
    def digest(self) -> str:
        """A short name for exactly these values."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:16]

    def settings(self, epoch: int = 1) -> Any:
        """The record for the loop, as the file says it."""
        return pack_settings(self.controller, self.friction, self.dt_s, epoch)

    def facts(self, *, virtual: bool = False) -> RigFacts:
        """What the driver may know."""
        return _facts(self.tables, self.friction, virtual)


def _facts(tables: Tables, friction: Friction, virtual: bool) -> RigFacts:
    shared = {"machine": tables.machine, "sensors": tables.sensors, "limits": tables.limits, "loop": tables.loop,
              "friction": friction, "law": tables.law}
    return RigFacts(
        tables.rig.name, tables.loop.rate_hz, shared, virtual, exchange_share=tables.loop.exchange_share
    )


def motion_limits(controller: Controller, dt_s: float) -> MotionLimits:
    """What motions are planned and checked against."""
    limits = controller.limits
    reaction_s = dt_s * (limits.position.ticks + lead_ticks(controller.machine, controller.law.feed, dt_s))
    return MotionLimits(x_min_m=limits.position.min_m, x_max_m=limits.position.max_m,
                        velocity_m_s=limits.velocity.max_m_s, acceleration_m_s2=limits.acceleration.max_m_s2,
                        stop_m_s2=limits.stopping.deceleration_m_s2, stop_m_s3=limits.stopping.jerk_m_s3,
                        reaction_s=reaction_s, shaping=limits.shaping)


def flow(controller: Controller, friction: Friction) -> Flow:
    """What the valve can give, as far as the command may open it, for the check of a motion."""
    machine = controller.machine
    resistance = abs(friction.steady(velocity_gain(machine) / 2)) / machine.m
    own = controller.law.feedback == "rig"  # then a command is a displacement, and its limit says nothing of the valve
    reach = (1.0 if own else controller.limits.command.opening) * velocity_gain(machine)
    weight = GRAVITY if machine.vertical else 0.0
    return Flow(reach, machine.Ps * machine.A / machine.m, resistance, weight, machine.K / machine.m, machine.Ps)


def refuse_unstable(rig: Rig) -> None:
    """BadValues when the active feedback does not even stabilise the nominal plant. Costs the import of scipy."""
    from hilctl.design import loop

    loop.refuse_unstable(rig.controller, rig.friction, rig.dt_s)


def load(rig: str | Path, *, twin: bool = False, changes: Mapping[str, Any] | None = None) -> Rig:
    """Reads and checks a rig file. `changes` are dotted keys laid over it; BadValues tells every problem."""
    path = find(rig)
    files: list[File] = []
    tree = read(path, files)
    text = "".join(f"# {file.path.name}\n{file.text}\n" for file in files)
    return dataclasses.replace(from_tree(tree, path, text, twin=twin, changes=changes), files=tuple(files))


def from_tree(tree: Mapping[str, Any], path: Path, text: str = "", *, twin: bool = False,
              changes: Mapping[str, Any] | None = None) -> Rig:
    """The rig of tables that were read before, checked; `changes` as in `load`. The tables stay as they are."""
    laid, texts = copy.deepcopy(dict(tree)), [text]
    for key, value in (changes or {}).items():
        put(laid, key, value)
        texts.append(f"# changed: {key} = {value!r}\n")
    return _checked(laid, path, "".join(texts), twin)


def _checked(tree: dict[str, Any], path: Path, text: str, twin: bool) -> Rig:
    problems: list[Problem] = []
    if tree.get("schema") != SCHEMA:
        problems.append(Problem("schema", tree.get("schema"), f"must be {SCHEMA}", _OTHER_SCHEMA))
    known = (*(f for f in Tables.__struct_fields__), *_OWN)
    problems += [Problem(k, "a table", "no such table", nearest(k, known)) for k in tree if k not in known]
    shared = {k: v for k, v in tree.items() if k in Tables.__struct_fields__}
    tables = _collect(problems, check, Tables, shared)
    friction = _collect(problems, check_friction, tree.get("friction", {}), "friction")
    driver, made = _driver_of(tree, twin, problems)
    config = None
    if tables is not None and friction is not None and made is not None:
        config = _driver_config(tree, driver, made, _facts(tables, friction, False), problems)
    if problems or tables is None or friction is None or config is None:
        raise BadValues(_by_table(problems, path))
    return Rig(path, text, tables, friction, driver, config, simulated(made))


def _by_table(problems: list[Problem], path: Path) -> list[Problem]:
    """The same; where many values are missing, one line a table."""
    missing = [p for p in problems if p.value is UNSET and p.limit == "is required"]
    if len(missing) <= _FEW:
        return problems
    tables: dict[str, list[str]] = {}
    for problem in missing:
        table, _, rest = problem.key.partition(".")
        tables.setdefault(table, []).append(rest)
    lines = [Problem(f"[{table}]", UNSET, f"missing: {', '.join(keys)}") for table, keys in tables.items()]
    return [
        Problem(str(path), UNSET, f"{len(missing)} required values are missing", BEGIN),
        *lines,
        *(p for p in problems if p not in missing),
    ]


def _driver_of(tree: dict[str, Any], twin: bool, problems: list[Problem]) -> tuple[str, Any]:
    """The name and the class of the driver that will run."""
    table = tree.get("driver", {"name": "twin"})
    if not isinstance(table, Mapping) or not isinstance(table.get("name"), str):
        problems.append(Problem("driver.name", table, "must name a driver", f"known: {', '.join(registry.names())}"))
        return "", None
    if table["name"] == "twin" and len(table) > 1:
        problems.append(Problem("driver", dict(table), "the twin's settings stand in [twin]"))
    named = _collect(problems, _driver_class, table["name"])
    if twin and not simulated(named):
        return "twin", registry.find("twin")
    return table["name"], named


def simulated(kind: Any) -> bool:
    """Whether a driver's class is a simulation: its own twin, and fit for the virtual clock."""
    return bool(getattr(kind, "simulation", False))


def _driver_config(tree: dict[str, Any], name: str, made: Any, facts: RigFacts,
                   problems: list[Problem]) -> Params | None:
    """Its own table, checked; the twin's is checked in any case."""
    as_twin: Params | None = _collect(problems, registry.find("twin").resolve, tree.get("twin", {}), facts, "twin")
    if name == "twin":
        return as_twin
    own = {k: v for k, v in tree["driver"].items() if k != "name"}
    config: Params | None = _collect(problems, registry.configured, made, own, facts, "driver")
    return config


def _driver_class(name: str) -> Any:
    try:
        return registry.find(name)
    except DriverError as error:
        raise BadValues([Problem("driver.name", name, str(error))]) from None


def _collect(problems: list[Problem], call: Any, *arguments: Any) -> Any:
    try:
        return call(*arguments)
    except BadValues as bad:
        problems.extend(bad.problems)
        return None


def as_table(rig: Rig) -> dict[str, Any]:
    """The rig's values as nested tables, as a rig file would hold them."""
    return {**plain(rig.tables), "friction": {"model": rig.friction.model, **rig.friction.table()}}
