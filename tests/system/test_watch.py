"""`hilctl watch` on a real terminal, of a real service."""

import json
import os
import signal
import subprocess

import pytest

from hilctl.client import Client, private_service
from hilctl.signals import NAMES
from tests.system.cli_parts import RIG, Shell, serving
from tests.system.service_parts import ARMS_FAST, LATE_HOST, arms, core_of, until
from tests.system.terminal_parts import Terminal, has_bar

pytestmark = [pytest.mark.realtime, pytest.mark.timeout(300)]
HEAD = ("trip", "lease", "loop", "link", "recording", "channel")


@pytest.fixture(scope="module")
def service():
    with private_service(RIG, clock="real", changes={**ARMS_FAST, **LATE_HOST, "service.timeout_s": 10.0}) as service:
        yield service


@pytest.fixture
def shell(tmp_path):
    return Shell(tmp_path)


def watching(shell, service, *words, columns=80, lines=24, **environment):
    words = ["watch", "--connect", service.commands, *words]
    return Terminal(words, {**shell.environment, **environment}, shell.folder, columns, lines)


def drawn(terminal, name):
    """The line of a channel once it has a curve."""
    return terminal.until(lambda: len(terminal.line(name).split()) > 2 and terminal.line(name), name)


def test_the_table_of_a_moving_rig_fits_into_80_columns_and_24_lines(shell, service):
    with Client(service.commands, name="driver") as rig, watching(shell, service) as terminal:
        until(lambda: arms(rig), "arming")
        rig.track("sine", amplitude_m=0.002, frequency_hz=2.0)
        terminal.until(lambda: "mode track, motion" in terminal.lines[0], "the mode")
        line = terminal.until(lambda: has_bar(drawn(terminal, "position_m")) and terminal.line("position_m"), "a curve")
        name, _, unit, low, high, curve = line.split()
        assert (name, unit) == ("position_m", "mm") and float(low) < float(high) and len(curve) >= 10
        assert terminal.lines[0].startswith(f"{RIG}: mode track") and "real clock, 1000 Hz" in terminal.lines[0]
        assert all(terminal.line(begin) for begin in HEAD), terminal.lines
        assert "held by" in terminal.line("lease") and "missed" in terminal.line("loop")
        assert terminal.line("recording").endswith("off") and "twin, open" in terminal.line("link")
        rig.off()
        terminal.until(lambda: "mode off" in terminal.lines[0], "off")
        assert terminal.interrupt() == 0


def test_a_spike_of_one_sample_is_in_the_curve_and_in_the_maximum(shell, service):
    with Client(service.commands, lease="none") as rig, watching(shell, service, "--channels", "skipped") as terminal:
        drawn(terminal, "skipped")
        begin = rig.status()["history"]["end"]
        core = core_of(service)
        os.kill(core, signal.SIGSTOP)
        terminal.until(lambda: rig.status()["history"]["end"] == rig.status()["history"]["end"], "a core that stands")
        os.kill(core, signal.SIGCONT)
        until(lambda: rig.samples(begin, channels=["skipped"])["skipped"].max(initial=0) > 0, "a missed tick")
        skipped = rig.samples(begin, channels=["skipped"])["skipped"]
        most = int(skipped.max())
        assert (skipped == most).sum() == 1
        line = terminal.until(lambda: f" {most} " in terminal.line("skipped")[36:] and terminal.line("skipped"), "it")
        assert has_bar(line)


def test_a_terminal_that_changes_its_size_is_filled_anew(shell, service):
    with watching(shell, service, "--channels", "all") as terminal:
        terminal.until(lambda: "more: --channels NAME" in terminal.lines[23], "a full table")
        more = int(terminal.lines[23].split()[0])
        shown = sum(line.split(" ")[0] in NAMES for line in terminal.lines[6:])
        assert shown == len(NAMES) - more and shown >= 12
        terminal.resize(160, 80)
        terminal.until(lambda: all(terminal.line(f"{name} ") for name in NAMES), "all channels")
        assert "off, standby, hold, track" in terminal.line("mode "), "there is room for meanings"
        terminal.resize(40, 8)
        terminal.until(lambda: "more: --channels" in terminal.lines[7], "a small table")
        assert terminal.lines[0].startswith(RIG) and terminal.line("tick ")
        assert terminal.interrupt() == 0


def test_without_colours_and_characters_for_curves_the_words_say_the_same(shell, service):
    with Client(service.commands) as holder, Client(service.commands, lease="none") as rig:
        until(lambda: arms(holder), "arming")
        holder.track("sine", amplitude_m=0.002, frequency_hz=2.0)
        holder.close()  # without a word: its beats stop
        until(lambda: rig.status()["trip"], "the trip")
        with watching(shell, service, TERM="linux", NO_COLOR="1") as terminal:
            drawn(terminal, "position_m")
            assert terminal.line("TRIPPED").startswith("TRIPPED    lease lost: ")
            assert "service.lease" in "".join(terminal.lines)
            cells = [cell for row in terminal.screen.buffer.values() for cell in row.values()]
            assert {(cell.fg, cell.bg) for cell in cells} == {("default", "default")}
            assert not any(0x2800 <= ord(c) < 0x2900 for line in terminal.lines for c in line)
    with Client(service.commands) as rig:
        rig.off()
        rig.reset()


@pytest.mark.slow
def test_a_service_that_goes_away_and_comes_back_is_watched_on(tmp_path):
    with serving(tmp_path, "--clock", "virtual") as (shell, process, _):
        lines = shell.start("watch", "--channels", "tick", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        stream = shell.start("watch", "--json", "--channels", "tick", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        with Terminal(["watch"], shell.environment, shell.folder) as terminal:
            drawn(terminal, "position_m")
            assert lines.stdout.readline().startswith("tick ")
            assert json.loads(stream.stdout.readline())["tick"] >= 0
            process.kill()
            process.wait()
            terminal.until(lambda: terminal.line("AWAY       since "), "that it is away")
            assert all("is away" in one.stderr.readline() for one in (lines, stream))
            with serving(tmp_path, "--clock", "virtual"):
                terminal.until(lambda: not terminal.line("AWAY") and "was away once" in terminal.line("service"), "it")
                assert all("is back" in one.stderr.readline() for one in (lines, stream))
                assert lines.stdout.readline().startswith("tick ") and json.loads(stream.stdout.readline())["tick"] >= 0
                assert terminal.interrupt() == 0
                for one in (lines, stream):
                    one.send_signal(signal.SIGINT)
                    one.communicate(timeout=30)
                    assert one.returncode == 0
