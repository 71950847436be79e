"""The commands and the Python blocks of the pages, and what proves each: it is run, or it has a reason not to be."""

import re
from pathlib import Path
from typing import NamedTuple

HOUSE = Path(__file__).resolve().parents[1]
PAGES = sorted([HOUSE / "README.md", *(HOUSE / "docs").rglob("*.md"), *(HOUSE / "deploy").rglob("*.md"),
                *(HOUSE / "firmware_bridge").rglob("*.md")])  # fmt: skip
# Its examples are those of the verbs, which tests/unit/cli parses.
PAGES.remove(HOUSE / "docs" / "cli.md")

_FENCE = re.compile(r"^( *)```(\w*)\n(.*?)^ *```", re.DOTALL | re.MULTILINE)
_PROGRAMS = ("hilctl", "pytest", "make", "python", "python3", "node", "npm", "pip", "ssh", "sudo", "groupadd",
             "useradd", "install", "systemctl", "umask", "cp", "sed", ".",
             "/opt/hilctl/bin/pip", "git", "model |")  # fmt: skip
_COMMAND = re.compile(rf"^ {{4,}}((?:{'|'.join(map(re.escape, _PROGRAMS))}) .*|hilctl)$", re.MULTILINE)

PLAYED = "tests/system/test_pages.py"  # types them, in the order of the page

# What proves a command, by the first pattern that fits `PAGE: COMMAND`. Each is a test that runs it or its like; every
# command of hilctl, pytest and make is also parsed or looked up by tests/unit/house/test_commands.py.
COMMANDS: tuple[tuple[str, str], ...] = (
    (r": make venv|: \. \.venv", "builds the environment that the tests run in"),
    (r": make ", "a target of the Makefile, looked up: it takes minutes, or is a test itself"),
    (r": pytest ", "a test itself: its file and its name are looked up"),
    (r"^tutorial: ", PLAYED),
    (r": (sudo|groupadd|useradd|install|systemctl|/opt)", "needs root: tests/unit/house/test_deploy.py"),
    (r": (umask|ssh|npm|node|model \||git)", "another program or machine: tests/system/test_networks.py"),
    (r": hilctl .*--connect tcp://|: hilctl keys|^remote: ", "two machines: tests/system/test_networks.py"),
    (r": hilctl bench ", "measures time: tests/benchmarks"),
    (r": hilctl (paper|pendulum|models)", "tests/system/test_papers.py, tests/unit/papers"),
    (r": hilctl doctor", "tests/system/test_doctor.py, tests/unit/cli/test_doctor.py"),
    (r": hilctl export fmu", "tests/unit/cli/test_export_fmu.py, tests/unit/fmu"),
    (r": hilctl study ", "tests/system/test_study.py"),
    (r": hilctl demo", "tests/unit/demo, tests/system/test_commission.py"),
    (r": hilctl probe", "needs a serial port: tests/unit/serial_text"),
    (r": hilctl panel", "tests/browser"),
    (r": hilctl emulate|table-500-(modbus|rtu|serial|rs485|mixed|text)", "devices: tests/system/test_emulate.py"),
    (r"^commissioning: hilctl arm", "behind a link: tests/system/test_commission_links.py, test_valves_links.py"),
    (r"^first-day: ", "moves a rig: the same commands are typed on the twin by tests/system/test_pages.py"),
    (r": hilctl identify .*--again", "tests/system/test_fits.py"),
    (r": hilctl identify dynamics", "minutes: tests/system/test_identify_dynamics.py, test_identify_servo.py"),
    (r": hilctl identify friction", "tests/system/test_identify_cli.py"),
    (r": hilctl tune", "tests/system/test_tune.py"),
    (r"^models: hilctl (set|adapt) ", "tests/system/test_valve_freeze.py"),
    (r": hilctl track .*(--learn|drive\.json)", "tests/system/test_learning.py"),
    (r": hilctl commission.*(--resume|--only|table-500$)|: hilctl job", "test_commission_only.py, test_jobs.py"),
    (r": hilctl commission table-500 --twin --json", "tests/system/test_commission.py"),
    (r": hilctl verify ", "tests/system/test_verify.py"),
    (r": hilctl report (out/(friction|plant|presliding|dynamics|study)|PATH)",
     "tests/unit/report, tests/unit/cli, test_study.py"),
    (r"^why-it-tripped: hilctl (run|emulate|reset|arm|track|shutdown)", "devices: tests/system/test_emulate.py"),
    (r": python3 -m pip", "brings packages of the network: tests/system/test_install.py, tests/system/test_wheel.py"),
    (r": hilctl (run|check|tune) my-rig.toml$", "a rig of the reader's: tests/system/test_presets.py"),
    (r": python ", "tests/system/test_examples.py, test_networks.py, tests/conformance"),
    (r"^(README|commissioning|recordings|replay|reports|looking|other-programs|why-it-tripped): hilctl ", PLAYED),
)  # fmt: skip

# What proves a Python block, by its page and a line of it.
BLOCKS: tuple[tuple[str, str, str], ...] = (
    ("README", "private_service", "tests/system/test_readme.py"),
    ("commissioning", "Commissioning(rig", "tests/system/test_readme.py"),
    ("specimens", "import", "tests/unit/sim/specimens/test_page.py"),
    ("writing-a-driver", "class MyRig", "tests/system/test_writing_a_driver.py"),
    ("writing-a-driver", "my_device()", "the reader's device: tests/conformance runs the same lines on ours"),
    ("adding-a-sensor", "class Trip", "an excerpt of hilctl/signals.py, with … where the rest stands"),
    ("fmu", "simulate_fmu", "tests/unit/fmu/test_page.py"),
    ("remote", "rig.run", "tests/system/test_networks.py"),
    ("remote", "Jobs(rig)", "tests/system/test_jobs.py"),
    ("remote", "while_present", "needs a browser of the reader's: tests/system/test_presence.py"),
    ("remote", "wall_clock", "needs the real clock: tests/system/test_wall_clock.py"),
    ("remote", "rig.queue(", PLAYED),
    ("motions", "External", PLAYED),
    ("recordings", "open_recording", PLAYED),
    ("results", "read(", PLAYED),
    ("other-programs", "Client()", PLAYED),
)


class Shown(NamedTuple):
    """A command or a block as a page shows it, and what proves it."""

    page: str
    text: str
    by: str | None


def commands() -> list[Shown]:
    """Every command of every page."""
    return [Shown(page.stem, text, _by(f"{page.stem}: {text}")) for page in PAGES for text in commands_of(page)]


def commands_of(page: Path) -> list[str]:
    """In their order, without comments; with `&` where they go on."""
    text = re.sub(r" *\\\n *", " ", _FENCE.sub("", page.read_text(encoding="utf-8")))
    found = []
    for line in _COMMAND.findall(text):
        word = re.split(r"\s{2,}|\s#|\s;|\s>", line)[0].strip()
        if "──" not in word:
            found.append(word)
    return found


def _by(shown: str) -> str | None:
    return next((by for pattern, by in COMMANDS if re.search(pattern, shown)), None)


def blocks() -> list[Shown]:
    """Every Python block of every page."""
    return [Shown(page.stem, text, next((by for stem, line, by in BLOCKS if stem == page.stem and line in text), None))
            for page in PAGES for text in blocks_of(page)]  # fmt: skip


def blocks_of(page: Path) -> list[str]:
    """In their order."""
    return [code for _, language, code in _FENCE.findall(page.read_text(encoding="utf-8")) if language == "python"]
