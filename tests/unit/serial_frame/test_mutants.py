"""Broken guards of the firmware, one at a time: the suite must notice each."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from firmware_bridge.firmware.build import HERE, compiler, cross_compiler
from firmware_bridge.firmware.emulated import emulator
from tests.system import forked

HOUSE = HERE.parents[1]
SUITE = [Path(__file__).with_name(name) for name in ("test_device_trips.py", "test_device.py", "test_frames.py")]
METAL_SUITE = [HOUSE / "tests/system/test_cortex_m.py"]

# File of the core, what stands there, and what the mutant says instead.
MUTANTS = {
    "checksum_not_compared": ("frame", "if (frame[count + i] !=", "if (i > 9 && frame[count + i] !="),
    "zero_within_a_frame": ("frame", "if (frame[at] == 0) {", "if (0) {"),
    "code_beyond_the_end": ("frame", "(size_t)(code - 1) > count - at", "0"),
    "longest_frame_refused": ("frame", "count > HIL_MOST_FRAME - 1", "count > HIL_MOST_FRAME - 2"),
    "any_version": ("device", "get16(body + PAYLOAD) == HIL_VERSION", "get16(body + PAYLOAD) != 0"),
    "any_schema": ("device", "get32(body + PAYLOAD + 2) == HIL_SCHEMA", "1"),
    "taken_over_while_running": ("device", "if (d->state == HIL_RUNNING) {\n        fault(d, body, HIL_BUSY)",
                                 "if (0) {\n        fault(d, body, HIL_BUSY)"),
    "hello_clears_a_trip": ("device", "if (d->state != HIL_TRIPPED) {", "if (1) {"),
    "any_session": ("device", "get32(body + 4) != d->session", "0"),
    "session_0": ("device", "get32(body + 4) == 0 ||", ""),
    "duplicates_feed": ("device", "if (ahead == 0 ||", "if ("),
    "old_sequences_feed": ("device", "ahead > 0x7FFFu", "0"),
    "sequence_not_kept": ("device", "    d->sequence = get16(body + 2);\n    d->lost", "    d->lost"),
    "lost_one_too_many": ("device", "d->lost += ahead - 1u", "d->lost += ahead"),
    "any_boot": ("device", "get32(body + PAYLOAD) != d->boot", "0"),
    "time_to_live_of_0": ("device", "us < HIL_SHORTEST_US || ", ""),
    "endless_time_to_live": ("device", "us > HIL_LONGEST_US ||", ""),
    "armed_from_any_state": ("device", "d->state != HIL_READY || !", "!"),
    "armed_before_null": ("device", "HIL_READY || !at_null(d)", "HIL_READY"),
    "runs_unarmed": ("device", "d->state == HIL_RUNNING) {\n        uint8_t", "1) {\n        uint8_t"),
    "never_fed": ("device", "d->good_tick = d->tick;", "if (d->good_tick == 0) d->good_tick = d->tick;"),
    "trips_a_tick_late": ("device", ">= d->time_to_live", "> d->time_to_live"),
    "never_trips": ("device", "d->tick - d->good_tick >= d->time_to_live", "0"),
    "trip_not_latched": ("device", "        d->state = HIL_TRIPPED;", "        d->state = HIL_ARMED;"),
    "hang_not_latched": ("device", "cause) {\n    d->state = HIL_TRIPPED;", "cause) {\n    d->state = HIL_IDLE;"),
    "hang_not_told": ("device", "    d->trip = cause;\n}\n\nvoid hil_receive", "}\n\nvoid hil_receive"),
    "reset_before_null": ("device", "if (!at_null(d) || (d->trip", "if ((d->trip"),
    "reset_with_emergency_stop": ("device", "(d->trip == HIL_EMERGENCY_STOP && d->in.emergency_stop)", "0"),
    "reset_with_bad_sensor": ("device", "(d->trip == HIL_SENSOR && d->out_of_range)", "0"),
    "valve_beyond_full": ("device", "valve <= HIL_ONE", "1"),
    "outputs_beyond": ("device", "body[PAYLOAD + 4] < 6", "1"),
    "length_not_checked": ("device", "count != PAYLOAD + payload_of(body[0])", "0"),
    "answers_obeyed": ("device", "body[1] != 0 ||", ""),
    "no_upper_end": ("device", " || x > d->high", ""),
    "no_lower_end": ("device", "x < d->low || ", ""),
    "ends_do_not_follow": ("device", "if (d->high > x + b->end_margin) d->high = x + b->end_margin;", ""),
    "ends_of_a_disabled_table": ("device", "d->state != HIL_RUNNING || !d->wish.enable", "d->state != HIL_RUNNING"),
    "sensor_at_once": ("device", "d->out_of_range >= SENSOR_TICKS", "d->out_of_range"),
    "spikes_add_up": ("device", "        d->out_of_range = 0;\n", ""),
    "emergency_stop_ignored": ("device", "if (d->in.emergency_stop && d->wish.enable) {", "if (0) {"),
    "emergency_stop_ramps": ("device", "        step = INT32_MAX;\n", ""),
    "emergency_stop_holds": ("device", "        held = 0;\n", ""),
    "supply_under_emergency_stop": ("device", "HIL_RUNNING && !d->in.emergency_stop", "HIL_RUNNING"),
    "null_is_a_step": ("device", "off > step ? step", "off > step ? off"),
    "hold_is_null": ("device", "b->safe == HIL_HOLD", "0"),
    "dump_is_null": ("device", "b->safe == HIL_DUMP", "0"),
    "stays_enabled": ("device", "d->out.enable = d->out.supply = 0;", ";"),
    "valve_without_enable": ("device", "d->wish.enable ? d->wish.valve : d->board->null", "d->wish.valve"),
    "frames_without_end": ("device", "if (d->in_length < HIL_MOST_FRAME)", "if (1)"),
    "disarm_is_deaf": ("device", "HIL_READY;\n        }\n        answer(d", "d->state;\n        }\n        answer(d"),
}  # fmt: skip

# The same of the boards with a Cortex-M: file, text, instead.
METAL_MUTANTS = {
    "fed_without_the_tick": ("main.c", "if (ticks != fed) {", "if (1) {"),
    "fed_by_the_tick": ("main.c", "    ticks++;\n", "    ticks++;\n    board_watchdog_feed();\n"),
    "fed_by_nobody": ("main.c", "        board_watchdog_feed();\n", ""),
    "watchdog_not_started": ("main.c", "    board_watchdog_start();\n", ""),
    "watchdog_only_warns": ("watchdog.h", "= 3; ", "= 1; "),
    "cause_not_told": ("main.c", "if (hung) hil_latch", "if (0) hil_latch"),
    "cause_told_for_ever": ("main.c", "metal_kept.watchdog_warned = 0;", ""),
    "waits_for_the_host": ("mps2_an385.c", "if (REGISTER(ports[port] + 0x04) & 1u) {\n        return 0;\n    }",
                           "while (REGISTER(ports[port] + 0x04) & 1u) {\n    }"),
}  # fmt: skip
QUICK = ("never_trips", "trip_not_latched", "duplicates_feed")
SHARE = float(os.environ.get("HILCTL_SLOW_SHARE", "1"))
STEP = max(1, round(1 / SHARE))
SLOW = [pytest.mark.slow, pytest.mark.timeout(600)]


def suite(folder: Path, files: list[Path]) -> "subprocess.CompletedProcess[str]":
    """The suite against the firmware of another checkout's folder."""
    words = ["-q", "-x", "--no-header", "-m", "not slow", "-p", "no:cacheprovider", *map(str, files)]
    return forked.run(words, {**os.environ, "HILCTL_FIRMWARE": str(folder)}, HOUSE, 300.0, program="pytest")


@pytest.fixture
def copy(tmp_path):
    if compiler() is None:
        pytest.skip("needs a C compiler")
    return shutil.copytree(HERE, tmp_path / "firmware", ignore=shutil.ignore_patterns("__pycache__"))


@pytest.fixture
def emulated():
    if cross_compiler() is None or emulator() is None:
        pytest.skip("needs arm-none-eabi-gcc and qemu-system-arm")


def killed(source: Path, there: str, instead: str, copy: Path, files: list[Path]) -> None:
    source.write_text(source.read_text().replace(there, instead))
    done = suite(copy, files)
    assert done.returncode == 1 and "failed" in done.stdout, f"it survives\n{done.stdout[-2000:]}"


def test_each_mutants_text_is_there_once():
    sources = {name: (HERE / "core" / f"{file}.c", *texts) for name, (file, *texts) in MUTANTS.items()}
    sources |= {name: (HERE / "boards/metal" / file, *texts) for name, (file, *texts) in METAL_MUTANTS.items()}
    counts = {name: source.read_text().count(there) for name, (source, there, _) in sources.items()}
    assert {name: count for name, count in counts.items() if count != 1} == {}
    assert all(there != instead for _, there, instead in sources.values())


@pytest.mark.slow
@pytest.mark.long
def test_the_suite_passes_without_a_mutant(copy):
    assert suite(copy, SUITE).returncode == 0


@pytest.mark.slow
@pytest.mark.long
def test_the_suite_passes_in_qemu_without_a_mutant(copy, emulated):
    assert suite(copy, METAL_SUITE).returncode == 0


@pytest.mark.parametrize(
    "name", [*QUICK, *(pytest.param(name, marks=SLOW) for name in [n for n in MUTANTS if n not in QUICK][::STEP])]
)
def test_the_suite_kills(copy, name):
    file, there, instead = MUTANTS[name]
    killed(copy / "core" / f"{file}.c", there, instead, copy, SUITE)


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", METAL_MUTANTS)
def test_the_suite_kills_in_qemu(copy, name, emulated):
    file, there, instead = METAL_MUTANTS[name]
    killed(copy / "boards/metal" / file, there, instead, copy, METAL_SUITE)
