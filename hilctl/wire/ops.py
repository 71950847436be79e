"""The operations: what may be asked, with which arguments, and what comes back. Each is declared once, here.

From this come the service's checks, docs/protocol.md and the answer to `describe`.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, NamedTuple

from hilctl.params import BadValues, Leaf, Params, Problem, check, leaves, nearest, note, number, whole
from hilctl.wire.decode import MAX_ITEMS
from hilctl.wire.errors import Code, Refused, refusal_of
from hilctl.wire.op import LAST, MAX_CHUNK, MAX_NAME, Nothing, Op, Open
from hilctl.wire.ops_attention import ATTENTION
from hilctl.wire.ops_jobs import JOBS, MAX_JOB
from hilctl.wire.ops_motion import MOTION
from hilctl.wire.ops_queue import QUEUE
from hilctl.wire.ops_recordings import RECORDINGS
from hilctl.wire.roles import Role


class Hello(Params):
    """Who speaks."""

    protocol: Annotated[int, whole(0, 10_000, "", "major version that the client speaks")] = 1
    minor: Annotated[int, whole(0, 10_000, "", "minor version that the client was made for; 0: does not say")] = 0


class Lease(Params):
    """The right to command motion."""

    action: Annotated[
        Literal["take", "release", "takeover", "beat", "abandon"],
        note(
            "takeover ends another's lease; beat keeps one's own; abandon ends the motion, does what `restore` asked "
            "for, and gives back"
        ),
    ]
    kind: Annotated[
        Literal["attended", "console"],
        note("attended: lost without a beat; console: for any client that has its token, until released or idle"),
    ] = "attended"
    restore: Annotated[
        bool, note("with take, takeover: the parameters of now come back when this lease is lost, or abandoned")
    ] = False


class Arm(Params):
    """How."""

    prove: Annotated[
        bool, note("the bumps prove the signs again, and null and overlap are forgotten: the nominal null is taken")
    ] = False


class Supply(Params):
    """Which."""

    level: Annotated[Literal["off", "low", "high"], note("off: as the operation `off`, but under no motion")]


class Zero(Params):
    """A sensor's offset."""

    sensor: Annotated[str, note("a sensor of the rig file")]
    to: Annotated[float, number(-1e9, 1e9, "the sensor's", "what the sensor should read now")] = 0.0
    samples: Annotated[int, whole(1, 1_000_000, "", "how many of the newest samples are averaged")] = 1000


class Change(Params):
    """Where a change comes from."""

    origin: Annotated[str, note("why: a person's word, a tool's name, a file")] = ""
    expects: Annotated[
        int, whole(0, LAST, "", "epoch that the change is based on; refused if another is active. 0: any")
    ] = 0


class Wait(Params):
    """Exactly one of motion, seconds, mode, job."""

    motion: Annotated[int, whole(0, LAST, "", "until this motion is over")] = 0
    seconds: Annotated[float, number(0, 86_400, "s", "until this much of the rig's time has passed")] = 0.0
    mode: Annotated[Literal["", "off", "hold"], note("until this mode is reached")] = ""
    job: Annotated[int, whole(0, MAX_JOB, "", "until this job is over")] = 0
    timeout_s: Annotated[float, number(0, 86_400, "s", "at most this long by the wall; 0: without end")] = 0.0
    keep_lease: Annotated[
        bool, note("while it waits and its connection stands, the lease needs no beat; for its holder")
    ] = False


class Events(Params):
    """The newest events."""

    first: Annotated[int, whole(0, LAST, "", "number of the first event wanted")] = 0


class Changes(Params):
    """The sets of parameters since the start."""

    first: Annotated[int, whole(0, LAST, "", "epoch of the first set wanted")] = 0


class Journal(Params):
    """The sets of parameters since the rig's first start."""

    first: Annotated[int, whole(0, LAST, "", "number of the first record wanted")] = 0
    newest: Annotated[int, whole(0, 1_000_000, "", "of the records from there on, only the newest so many; 0: all")] = 0


class Toml(Params):
    """A file that the rig file can include."""

    replaces: Annotated[
        int, whole(0, MAX_ITEMS, "", "the included file that it will replace, as `changes` numbers `files`; 0: none")
    ] = 0


_ALL = (
    Op(
        "hello",
        Hello,
        "protocol, notice, version, rig, run, schema, clock, rate_hz, channels, endpoints, modes, time_ns, wall, who, "
        "role",
        "who the service is; say it first",
        effect=False,
        role=Role.OBSERVER,
    ),
    Op(
        "describe",
        Nothing,
        "channels, parameters, friction_models, motions, ops, codes",
        "every declaration, so that a client can build itself",
        effect=False,
        role=Role.OBSERVER,
    ),
    Op(
        "status",
        Nothing,
        "as the telemetry's `status`",
        "mode, trip, counts, histograms, lease, recording",
        effect=False,
        role=Role.OBSERVER,
    ),
    Op(
        "events",
        Events,
        "events, next",
        "the newest events, none lost among the last 4096",
        effect=False,
        role=Role.OBSERVER,
    ),
    Op(
        "lease", Lease, "held, kind, holder, token, lost_after_s", "take, keep or give back the right to command motion"
    ),
    Op("arm", Arm, "tick", "from off by way of standby to hold; `wait {mode: hold}` says when", lease=True),
    Op(
        "reconnect",
        Nothing,
        "driver, state, reconnects, detail",
        "opens the link to the device again, now, with its whole handshake; in off only. One that is open is closed "
        "first, and the device set up as at the start. Signs and null are found again by the next `arm`",
        lease=True,
    ),
    Op(
        "supply",
        Supply,
        "tick, level, pressure_pa, why",
        "brings the supply to another level, while the table is held; answers when its pressure is there (`why` is "
        "`there`), has not come in arming.timeout_s (`late`), or a trip (`tripped`) or somebody else (`off`) has ended "
        "the way to it. Refused while a motion runs or waits, and `low` where the load needs more than it can hold. "
        "`arm` leads to high",
        lease=True,
    ),
    *MOTION,
    Op("hold", Nothing, "tick", "ends the motion in order and holds; as stop, but needs the lease", lease=True),
    Op("stop", Nothing, "tick", "decelerates to rest and holds; never needs the lease", role=Role.OBSERVER),
    Op("off", Nothing, "tick", "ramps the valve to null and switches off; never needs the lease, ends a console lease"),
    Op("reset", Nothing, "tick", "forgets the latched trip; refused while its cause is present", lease=True),
    Op(
        "zero",
        Zero,
        "epoch, key, old, new",
        "makes a sensor read `to` from now on: a new offset, from its newest samples; of displacement in `off` only",
        lease=True,
        role=Role.COMMISSIONER,
    ),
    Op(
        "set",
        Change,
        "epoch, changed, journal",
        "changes parameters, all or none; blended in by the loop. `friction.model` changes only while the rig is off "
        "or holds still, and law.feed.inverse is 0; its keys are given, or as in the old model where both have them",
        lease=True,
        role=Role.COMMISSIONER,
        open=(Open("values", "map", "dotted keys of the rig file, and their new values"),),
    ),
    Op(
        "undo",
        Change,
        "epoch, undoes, changed, journal",
        "takes the last set back, whole; again, the one before it",
        lease=True,
        role=Role.COMMISSIONER,
    ),
    Op(
        "get",
        Nothing,
        "epoch, values",
        "active parameters",
        effect=False,
        role=Role.OBSERVER,
        open=(Open("keys", "texts", "dotted keys, or tables of them; empty: all"),),
    ),
    Op(
        "changes",
        Changes,
        "epoch, sets, next, differs, files",
        "who changed what, when and why, at most 32 sets a page; `differs`: active values other than the rig file's",
        effect=False,
        role=Role.OBSERVER,
    ),
    Op(
        "journal",
        Journal,
        "records [{number, kind, run, epoch, tick, time_ns, author, key, origin, undoes, changed, values}], next, "
        "path, problem",
        "every set of this rig, over all runs, oldest first; pages of some 256 KiB. `kind`: `set`, or `start` of a "
        "service, whose `changed` is what differs from the values before it; some starts have all `values`",
        effect=False,
        role=Role.OBSERVER,
    ),
    Op(
        "toml",
        Toml,
        "text, keys",
        "the active values that differ from the rig file, as a file that it can include",
        effect=False,
        role=Role.OBSERVER,
    ),
    Op(
        "wait",
        Wait,
        "over, why, tick, first, last, trip",
        "answers when it is over, out of order; in virtual time `seconds` needs the lease. A motion that never began, "
        "or whose end is no longer known, is refused with `gone`",
        effect=False,
        role=Role.OBSERVER,
    ),
    *RECORDINGS,
    *JOBS,
    Op(
        "shutdown", Nothing, "", "stops the motion in order and ends the service; refused while another holds the lease"
    ),
)

OPS: dict[str, Op] = {op.name: op for op in (*_ALL, *QUEUE, *ATTENTION)}


class Arguments(NamedTuple):
    """Checked arguments: the declared ones, and the open ones."""

    args: Any
    open: dict[str, Any]


def _check_open(given: object, open: Open, problems: list[Problem]) -> Any:
    match open.kind:
        case "map":
            if isinstance(given, Mapping):
                return dict(given)
            problems.append(Problem(open.name, given, "must be a map"))
        case "maps":
            if isinstance(given, (list, tuple)) and all(isinstance(one, Mapping) for one in given):
                return list(given)
            problems.append(Problem(open.name, given, "must be a list of maps"))
        case "texts":
            if isinstance(given, (list, tuple)) and len(given) <= MAX_ITEMS and all(isinstance(x, str) for x in given):
                return list(given)
            problems.append(Problem(open.name, given, f"must be a list of at most {MAX_ITEMS} names"))
        case "numbers" | "bytes":
            unit, form = (1, "bytes") if open.kind == "bytes" else (8, "little-endian float64")
            if isinstance(given, bytes) and len(given) <= MAX_CHUNK and len(given) % unit == 0:
                return given
            size = f"{len(given)} bytes" if isinstance(given, bytes) else given
            problems.append(Problem(open.name, size, f"must be {form}, at most {MAX_CHUNK} bytes"))
    return None


_EMPTY: dict[str, Any] = {"map": {}, "maps": [], "texts": [], "numbers": b"", "bytes": b""}


def check_arguments(name: str, given: Mapping[str, Any]) -> tuple[Op, Arguments]:
    """The operation and its arguments, or a refusal that names every problem."""
    op = OPS.get(name)
    if op is None:
        raise Refused(Code.UNKNOWN_OP, f"no operation {name!r}; {nearest(name, tuple(OPS))}", "op")
    rest, opened = dict(given), dict[str, Any]()
    problems: list[Problem] = []
    for open in op.open:
        opened[open.name] = _check_open(rest.pop(open.name, _EMPTY[open.kind]), open, problems)
    for key, value in rest.items():
        if isinstance(value, str) and (len(value) > MAX_NAME or not value.isprintable()):
            problems.append(Problem(key, value[:20] + "…", f"must be at most {MAX_NAME} printable characters"))
    try:
        args = check(op.args, rest)
    except BadValues as bad:
        raise refusal_of(BadValues(problems + bad.problems)) from None
    if problems:
        raise refusal_of(BadValues(problems))
    return op, Arguments(args, opened)


def describe_leaf(leaf: Leaf) -> dict[str, Any]:
    """A declared parameter as plain values."""
    item: dict[str, Any] = {"key": leaf.path, "kind": leaf.kind, "unit": leaf.unit, "meaning": leaf.meaning}
    if leaf.kind in ("float", "int", "floats"):
        item |= {"low": leaf.low, "high": leaf.high}
    if leaf.choices:
        item["choices"] = list(leaf.choices)
    if leaf.loosens:
        item["loosens"] = leaf.loosens
    if leaf.max_length:
        item["max_length"] = leaf.max_length
    default = list(leaf.default) if isinstance(leaf.default, tuple) else leaf.default
    item["required"] = not leaf.optional and not isinstance(default, (bool, int, float, str, list))
    item["default"] = None if item["required"] else default
    return item


def describe_table(table: type[Params], at: str = "") -> list[dict[str, Any]]:
    """The declared parameters of a table as plain values."""
    return [describe_leaf(leaf) for leaf in leaves(table, at)]


def describe_op(op: Op) -> dict[str, Any]:
    """An operation as plain values."""
    opened = [
        {"key": o.name, "kind": o.kind, "unit": "", "meaning": o.meaning, "required": False, "default": None}
        for o in op.open
    ]
    return {
        "name": op.name,
        "meaning": op.meaning,
        "lease": op.lease,
        "role": op.role.word,
        "args": describe_table(op.args) + opened,
        "result": op.result,
    }
