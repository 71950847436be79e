"""`hilctl probe` shows what comes on a line, and names its framing; it sends nothing."""

import json
import random

import pytest

from firmware_bridge.serial_text.probe import Chunk, framing
from hilctl.cli.main import main
from tests.unit.serial_text.devices import port, streaming
from tests.unit.serial_text.text_talk import BINARY, LINES, desk_of


def chunks(pieces):
    return tuple(Chunk(0.001 * k, piece) for k, piece in enumerate(pieces))


def sent(base, count=40):
    desk, name = desk_of(base), "sample"
    fields = desk.tables.described.messages[name].answer.names
    chance = random.Random(1)
    return [desk.answer(name, {field: float(chance.randrange(1000)) for field in fields}) for _ in range(count)]


def test_lines_are_found_with_their_checksum_and_a_template_that_reads_them():
    pieces = sent(LINES)
    found = framing(chunks(pieces))
    assert (found.terminator, found.checksum) == (b"\r\n", "crc16_ccitt")
    desk = desk_of({**LINES, "messages": {"sample": {**LINES["messages"]["sample"], "answer": found.template}},
                    "reading": {}})  # fmt: skip
    assert all(desk.read("sample", piece) == len(piece) for piece in pieces)


def test_binary_messages_are_found_with_header_length_and_checksum():
    found = framing(chunks([sent(BINARY)[0][4:], *sent(BINARY)]))
    assert (found.length, found.checksum) == (10, "crc16_ccitt")
    assert found.header.startswith(b"\xaa\x55") and "{check:u16le}" in found.template


def test_noise_and_silence_are_named_as_that():
    assert "nothing came" in framing(()).text
    noise = random.Random(1).randbytes(400)
    found = framing(chunks([noise]))
    assert not found.template and "wrong baud or parity" in found.text


@pytest.mark.parametrize("speed", [["--baud", "115200"], []], ids=["a known speed", "any speed"])
def test_the_command_listens_and_sends_nothing(speed, capsys):
    heard = []
    pieces = sent(LINES)
    with port(streaming(lambda k: pieces[k % len(pieces)])) as there:
        assert main(["probe", there, "--seconds", "2.2" if not speed else "0.3", "--json", *speed]) == 0
        said = json.loads(capsys.readouterr().out)
        assert said["bytes"] > 100 and said["framing"]["terminator"] == b"\r\n".hex()
        if speed:
            assert main(["probe", there, "--seconds", "0.3", *speed]) == 0
            shown = capsys.readouterr()
            assert "checksum crc16_ccitt" in shown.err and "answer = '" in shown.err and " mm*" in shown.out
    assert heard == []


def test_a_silent_line_is_told_and_ends_with_1(capsys):
    with port(lambda master, over: over.wait(5)) as there:
        assert main(["probe", there, "--baud", "9600", "--seconds", "0.2"]) == 1
    assert "nothing came" in capsys.readouterr().err


def test_a_port_that_is_not_there_is_named(capsys):
    assert main(["probe", "/dev/no-such-port", "--seconds", "0.2"]) == 1
    assert "/dev/no-such-port" in capsys.readouterr().err
