"""The verbs of `hilctl`, in groups by what people do, each with what it does and with examples that work.

The first example of a verb is also what a wrong command line is answered with; of `track` and `identify`, the first
that begins like the command line.
"""

from typing import NamedTuple

GROUPS: dict[str, str] = {
    "run": "run a rig",
    "drive": "drive it",
    "look": "look at it",
    "measure": "measure and record",
    "identify": "identify and tune",
    "develop": "develop without a rig",
}


class Verb(NamedTuple):
    """A verb: the module and the function that declare its arguments, its group, what it does, examples."""

    module: str
    declare: str
    group: str
    help: str  # one line
    examples: tuple[str, ...]
    does: str = ""  # more about it


VERBS: dict[str, Verb] = {
    "run": Verb(
        "run", "run", "run", "start the service of a rig, or of its simulated twin",
        ("hilctl run table-500 --twin", "hilctl run rig.toml", "hilctl run table-500 --twin --clock virtual"),
        "It runs in the foreground and prints a line when it listens; Ctrl-C ends the motion in order, then the "
        "service. The other commands find it by itself.",
    ),
    "check": Verb(
        "rigs", "check", "run", "validate a rig file, print its margins, reach its device",
        ("hilctl check table-500", "hilctl check rig.toml --twin", "hilctl check table-500 --set machine.m=450"),
        "Exit code 0: every value is allowed, the gains hold, the device answers, recordings can be written.",
    ),
    "probe": Verb(
        "probe", "probe", "run", "listen on a serial line: what comes, in text and hex, and its likely framing",
        ("hilctl probe /dev/ttyUSB0", "hilctl probe /dev/ttyUSB0 --baud 38400 --seconds 10"),
        "Nothing is sent. It prints the answer's template as a rig file would have it.",
    ),
    "presets": Verb(
        "rigs", "presets", "run", "list the rig files that come with the program",
        ("hilctl presets", "hilctl presets --json"),
        "Copy one and change it, or name it in place of a rig file.",
    ),
    "doctor": Verb(
        "doctor", "doctor", "run", "tell whether this host is fit for real time, and what to change",
        ("hilctl doctor", "hilctl doctor rig.toml --seconds 60", "hilctl doctor rig.toml --fix --dry-run",
         "hilctl doctor rig.toml --warm"),
        "It reads the kernel's settings, measures wake-up latency and the disk, and judges by the rig file: rate, "
        "limit of late ticks, time-to-live. It changes nothing without --fix. "
        "Exit code 0: fit; 1: not fit; 2: wrong use.",
    ),
    "keys": Verb(
        "keys", "keys", "run", "make, list and revoke the keys by which a rig is driven from elsewhere",
        ("hilctl keys make rig.toml alice operator", "hilctl keys list rig.toml",
         "hilctl keys revoke rig.toml alice", "hilctl keys token --renew"),
        "Roles: observer (look, fetch, stop), operator (also the lease, motions, recordings), commissioner (also "
        "parameters, zeroing, limits, deleting recordings). A running service adopts every change within a second.",
    ),
    "shutdown": Verb(
        "motion", "shutdown", "run", "end the motion in order, then the service",
        ("hilctl shutdown", "hilctl shutdown --takeover"),
    ),
    "arm": Verb(
        "motion", "arm", "drive", "go from off to hold, step by step",
        ("hilctl arm", "hilctl arm --wait", "hilctl arm --takeover", "hilctl arm --prove"),
        "Supply, enable, two small bumps that prove polarity and null, full supply, hold.",
    ),
    "reconnect": Verb(
        "motion", "reconnect", "drive", "open the link to the device again, now; while the rig is off",
        ("hilctl reconnect",),
        "A link that is lost is opened again by itself; this does not wait for the next attempt. A link that is open "
        "is closed and opened with its whole handshake, which sets the device up as at the start.",
    ),
    "supply": Verb(
        "motion", "supply", "drive", "bring the supply to its low or high level while the table is held",
        ("hilctl supply low", "hilctl supply high", "hilctl supply off"),
        "Low to work at the table, high to drive it; it returns when the pressure is there. Motions at low pressure "
        "are checked against the flow that it gives. Refused while a motion runs or waits.",
    ),
    "hold": Verb("motion", "hold", "drive", "end the motion in order and hold", ("hilctl hold",)),
    "move": Verb(
        "motion", "move", "drive", "go to a position and rest there",
        ("hilctl move 0.02 --wait", "hilctl move -0.01 --speed 0.05", "hilctl move 0.02 --queue --at 10s",
         "hilctl move 0 --queue --trigger load_pressure_pa above 2e6"),
        "The move is checked whole against the limits before it starts.",
    ),
    "track": Verb(
        "track", "track", "drive", "follow a triangle, a sine, a chirp or an uploaded history",
        ("hilctl track triangle --speed 0.02 --amplitude 0.005 --cycles 4 --wait",
         "hilctl track sine --frequency 1 --amplitude 0.01 --wait",
         "hilctl track chirp --start 0.5 --end 10 --amplitude 0.002 --duration 30",
         "hilctl track waveform elcentro.csv --peak 0.05 --wait"),
        "The motion is checked whole against the limits before it starts; a refusal names the instant and the limit.",
    ),
    "queue": Verb(
        "queue", "queue", "drive", "show the motions that wait for their turn, add some, or cancel them",
        ("hilctl queue", "hilctl queue motions.json --wait", "hilctl queue --clear"),
        "Each motion is checked when it is queued and begins when the one before it is over, at a time, or when a "
        "channel passes a level. `stop`, `off`, a trip and another holder of the lease cancel what waits.",
    ),
    "wait": Verb(
        "motion", "wait", "drive", "wait until a motion is over, or until some of the rig's time has passed",
        ("hilctl wait --motion 3", "hilctl wait 2.5"),
    ),
    "stop": Verb(
        "motion", "stop", "drive", "decelerate to rest and hold; needs no lease", ("hilctl stop",),
    ),
    "off": Verb(
        "motion", "off", "drive", "ramp the valve to null and switch off; needs no lease", ("hilctl off",),
        "It also ends the console's lease.",
    ),
    "reset": Verb(
        "motion", "reset", "drive", "clear the latched trip; refused while its cause is present", ("hilctl reset",),
        "`hilctl status` shows the trip and what to do about its cause.",
    ),
    "set": Verb(
        "change", "set_values", "drive", "change parameters, all or none, or take the last change back",
        ("hilctl set law.three_state.kd_per_m=14 --origin 'softer specimen'", "hilctl set --undo",
         "hilctl set --save tuned.toml"),
        "Keys are those of the rig file. The change is checked whole and blended in while the rig runs.",
    ),
    "adapt": Verb(
        "adapt", "adapt", "identify", "show what is learned of the valve while the loop runs, and keep it",
        ("hilctl adapt show", "hilctl adapt freeze", "hilctl adapt freeze --origin 'warm oil' --json"),
        "`hilctl set law.adapt.share=1` switches learning on: null, flow gain and overlap, within the bounds of "
        "law.adapt. `freeze` makes them parameters, in one set, and ends learning; nothing jumps.",
    ),
    "lease": Verb(
        "look", "lease", "drive", "show who may command; take the lease, or give it back",
        ("hilctl lease", "hilctl lease --takeover", "hilctl lease --release"),
        "Only the holder of the lease moves the rig. `stop` and `off` need no lease.",
    ),
    "status": Verb(
        "look", "status", "look", "show mode, trip, loop, lease and recording of a running service",
        ("hilctl status", "hilctl status --json"),
    ),
    "get": Verb(
        "look", "get", "look", "print active parameters",
        ("hilctl get law.three_state", "hilctl get machine.m friction", "hilctl get --changes"),
    ),
    "params": Verb(
        "params", "params", "look", "show the journal of a rig's parameters, compare, take back and export",
        ("hilctl params log", "hilctl params log friction --all", "hilctl params diff 2026-05-01 2026-06-01",
         "hilctl params undo --record 17", "hilctl params export history.csv", "hilctl params export was.toml --at 17"),
        "Every set of every run: epoch, author and key, origin, old and new values.",
    ),
    "watch": Verb(
        "watch", "watch", "look", "show channels as they change, until Ctrl-C",
        ("hilctl watch", "hilctl watch --channels position_m error_m u_cmd --window 60", "hilctl watch --once --json"),
        "On a terminal a table, as large as it: the newest value, minimum and maximum of the shown seconds, a curve. "
        "Elsewhere a line five times a second.",
    ),
    "panel": Verb(
        "panel", "panel", "look", "serve the operator's page to a browser, until Ctrl-C",
        ("hilctl panel", "hilctl panel --connect table-500 --port 8089",
         "hilctl panel --host 192.168.1.5 --tls-cert rig.pem --tls-key rig.key --password-file panel.password"),
        "Run, scope, friction, commissioning, parameters, health, log and recordings. It is a client like any other, "
        "with the rights of its key, and looks on until somebody takes the lease. It waits for a service, and for its "
        "return.",
    ),
    "events": Verb(
        "look", "events", "look", "list what happened: requests, trips, leases, the link",
        ("hilctl events", "hilctl events --follow"),
    ),
    "alarms": Verb(
        "attention", "alarms", "look", "list trips, warnings and faults until somebody acknowledges them",
        ("hilctl alarms", "hilctl alarms --acknowledge 17 --comment 'filter ordered'",
         "hilctl alarms --acknowledge all"),
        "To acknowledge an alarm needs no lease and changes nothing else: a trip is cleared by `hilctl reset`. Those "
        "that nobody has acknowledged when the service ends are raised again by its next run.",
    ),
    "log": Verb(
        "attention", "log", "look", "print the service's log: its newest 2048 lines",
        ("hilctl log --level warning --since 10m", "hilctl log --follow"),
    ),
    "zero": Verb(
        "change", "zero", "measure", "make a sensor read a value from now on",
        ("hilctl zero acceleration", "hilctl zero displacement --to 0.012"),
        "The mean of the newest samples goes into the sensor's offset. Displacement is zeroed in the mode off only.",
    ),
    "record": Verb(
        "recordings", "record", "measure", "start or stop a recording",
        ("hilctl record start", "hilctl record start run-7", "hilctl record stop"),
        "Every sample, event and parameter change goes into one HDF5 file.",
    ),
    "recordings": Verb(
        "recordings", "recordings", "measure", "list the recordings on the rig's disk, copy or delete one",
        ("hilctl recordings", "hilctl recordings --get run-7.h5 --out copy.h5",
         "hilctl recordings --delete run-7.h5"),
    ),
    "export": Verb(
        "recordings", "export", "measure",
        "write a recording as CSV, Parquet, MATLAB, MCAP, MDF4 or TDMS; or a twin as an FMU",
        ("hilctl export run-7.h5 --csv", "hilctl export run-7.h5 --parquet --channels position_m error_m --every 10",
         "hilctl export run-7.h5 --mat --from 12.5 --to 30", "hilctl export fmu table-500 --out table.fmu"),
        "All files of a rotated recording are written as one; the memory does not grow with their length. "
        "`export fmu RIG` writes the rig's twin as an FMI 3.0 co-simulation unit; see docs/fmu.md.",
    ),
    "replay": Verb(
        "replay", "replay", "measure", "run a recording's readings through today's controller, bit for bit",
        ("hilctl replay run-7.h5", "hilctl replay run-7.h5 --json",
         "hilctl replay run-7.h5 --set law.three_state.kd_per_m=14"),
        "It says at which tick, and in which term, the first difference appears. Exit code 0: nothing differs.",
    ),
    "identify": Verb(
        "identify", "identify", "identify", "measure the rig and identify friction, the plant, or its dynamics",
        ("hilctl identify friction table-500 --twin", "hilctl identify friction",
         "hilctl identify friction --again out/friction-a out/friction-b --workers 2",
         "hilctl identify presliding table-500 --twin", "hilctl identify plant --apply",
         "hilctl identify plant --again out/plant-a out/plant-b --workers 2",
         "hilctl identify dynamics table-500 --twin --out out/dynamics"),
        "It drives the rig that runs here, or a private twin with RIG --twin.",
    ),
    "commission": Verb(
        "commission", "commission", "identify", "measure friction, identify it, compensate it, prove it, report",
        ("hilctl commission table-500 --twin", "hilctl commission table-500", "hilctl commission --connect table-500",
         "hilctl commission --out DIR --only reversals,compensation"),
        "The whole work on a rig, or on a private twin with RIG --twin, with a report at the end.",
    ),
    "verify": Verb(
        "verify", "verify", "identify", "check in two minutes whether a commissioning still holds",
        ("hilctl verify out/mine", "hilctl verify out/mine table-500 --twin", "hilctl verify out/mine --json"),
        "Mass, valve and friction are measured again and compared with the stored intervals: what has changed, why, "
        "what to do, and whether compensation may stay on. Nothing is left changed. Exit code 3: it may not stay on.",
    ),
    "job": Verb(
        "job", "job", "identify", "commission, identify, tune or verify as a job, which the service runs",
        ("hilctl job start commission", "hilctl job start friction -- --budget 60", "hilctl job start verify -- job:1",
         "hilctl job resume 3", "hilctl job list", "hilctl job show 3", "hilctl job wait 3", "hilctl job abort 3",
         "hilctl job result 3 --out copy", "hilctl job delete 3"),
        "The service runs the command, with the rights of who starts it; one at a time. Whoever starts it may go away, "
        "and find it again by `hilctl job list`.",
    ),
    "report": Verb(
        "report", "report", "identify", "make the page of a result, a recording or a trip",
        ("hilctl report out/demo", "hilctl report out.json --out pages", "hilctl report run-7.h5",
         "hilctl report trip-20261126-093000.h5"),
        "PATH is recognised by what it holds; see docs/reports.md.",
    ),
    "tune": Verb(
        "tune", "tune", "identify", "compute gains with margins, and notches; measure them",
        ("hilctl tune table-500", "hilctl tune table-500 --twin --measure",
         "hilctl tune table-500 --measure --apply"),
        "Without --apply nothing changes in a running service.",
    ),
    "demo": Verb(
        "demo", "demo", "develop", "commission a simulated rig whose true parameters are withheld",
        ("hilctl demo", "hilctl demo --seed 2 --friction stribeck"),
        "Friction is measured, identified and compensated over the wire, as on any rig, with a report.",
    ),
    "emulate": Verb(
        "emulate", "emulate", "develop",
        "put a simulated rig behind Modbus, text or our firmware, with faults on command",
        ("hilctl emulate modbus-tcp table-500-modbus", "hilctl emulate serial table-500-serial",
         "hilctl emulate text table-500-rs485",
         "hilctl emulate modbus-tcp --tell status"),
    ),
    "models": Verb(
        "models", "models", "develop", "compare the friction models: what each shows of real friction",
        ("hilctl models", "hilctl models --laws lugre,stribeck"),
    ),
    "study": Verb(
        "study", "study", "develop", "run many simulated rigs that differ: what breaks them, how well they track",
        ("hilctl study table-500 --vary twin.machine.m=±20% --runs 200",
         "hilctl study table-500 --vary twin.machine.m=±20% twin.friction.fs=1000:4000 --paired",
         "hilctl study table-500 --vary machine.m=±20% --motion 'triangle --speed 0.1 --amplitude 0.02 --cycles 2'",
         "hilctl study table-500 --vary machine.beta=±30% --motion 'earthquake --peak 0.03' --with-compensation",
         "hilctl study table-500 --vary twin.machine.m=±20% --cluster tcp://127.0.0.1:8786",
         "hilctl study out/study-20261126-101500 --resume", "hilctl study out/study-20261126-101500 --run 47"),
        "Each run is the real controller on the simulated rig, in virtual time. The table of all runs, a summary as "
        "JSON and a page are written; a study that was interrupted goes on with --resume.",
    ),
    "paper": Verb(
        "paper", "paper", "develop", "run the case of a paper: its figures beside ours, and why they differ",
        ("hilctl paper 000 --out out/papers", "hilctl paper", "hilctl paper all --json"),
        "Without a name it lists the papers. A page (HTML) and its figures as JSON are written.",
    ),
    "pendulum": Verb(
        "pendulum", "pendulum", "develop", "swing a pendulum of one to four links with friction in its joints",
        ("hilctl pendulum", "hilctl pendulum --laws coulomb,lugre --seconds 50",
         "hilctl pendulum --links 4 --laws none --seconds 60 --json",
         "hilctl pendulum --couple 6 --seconds 250 --out driven.csv",
         "hilctl pendulum --links 3 --laws lugre/coulomb/breakaway --seconds 2",
         "hilctl pendulum --laws coulomb,stribeck --angle 0.9 --seconds 2 --check"),
        "Free or driven, with any friction model in any joint, on a base that stands still. Energy in less energy lost "
        "and stored is printed as the error. The same pendulum stands on the simulated table with "
        "twin.specimen.kind = \"chain\".",
    ),
    "bench": Verb(
        "bench", "bench", "develop", "measure this program against its yardsticks",
        ("hilctl bench tick", "hilctl bench jitter --quick --json"),
    ),
}  # fmt: skip


def examples_for(command: str) -> tuple[str, ...]:
    """The examples that begin like this command; those of its verb, where none does."""
    words = command.split()
    of_verb = VERBS[words[1]].examples if len(words) > 1 and words[1] in VERBS else ("hilctl run table-500 --twin",)
    return tuple(one for one in of_verb if one.split()[: len(words)] == words) or of_verb


def overview() -> str:
    """All verbs, by group."""
    width = max(len(name) for name in VERBS) + 2
    parts = []
    for group, title in GROUPS.items():
        parts.append(f"{title}:")
        parts += [f"  {name:<{width}}{verb.help}" for name, verb in VERBS.items() if verb.group == group]
        parts.append("")
    return "\n".join(parts)
