"""The command line against a running service: wrong mode, a trip, a lease held by another, values out of bounds.

One private twin for all rows, on the virtual clock; every command is called in this process.
"""

import json

import pytest

from hilctl.cli.main import main
from hilctl.client import Client, private_service
from hilctl.errors import DONE, RIG_SAID_NO, WRONG_USE
from tests.system.service_parts import ARMS_FAST, RIG

pytestmark = pytest.mark.timeout(300)

OFF = [
    (("move", "0.01"), RIG_SAID_NO, ("hold", "off", "`hilctl arm` first")),
    (("track", "sine", "--amplitude", "0.01", "--frequency", "1"), RIG_SAID_NO, ("hold", "off", "`hilctl arm` first")),
    (("track", "sine", "--frequency", "1", "--json"), RIG_SAID_NO, ("`hilctl arm` first",)),
    (("hold",), RIG_SAID_NO, ("off", "hilctl arm")),
    (("wait", "--motion", "99"), WRONG_USE, ("motion", "99", "the last one is")),
    (("record", "stop"), RIG_SAID_NO, ("nothing is being recorded", "hilctl record start")),
    (("record", "start", "/x/y"), WRONG_USE, ("name", "/x/y", "must be")),
    (("zero", "displacment"), WRONG_USE, ("displacment", "did you mean 'displacement'")),
    (("set", "machine.mm=3"), WRONG_USE, ("machine.mm", "3", "did you mean 'machine.m'")),
    (("set", "machine.m=-1"), WRONG_USE, ("machine.m", "-1", "1 to 1e+06 kg")),
    (("set", "machine.m=heavy"), WRONG_USE, ("machine.m", "heavy", "must be a number")),
    (("set", "machine.m"), WRONG_USE, ("machine.m", "KEY=VALUE")),
    (("set", "loop.rate_hz=500"), WRONG_USE, ("loop.rate_hz", "500", "restart")),
    (("set", "--undo"), WRONG_USE, ("nothing to undo", "those of the start")),
    (("set",), WRONG_USE, ("KEY=VALUE", "--undo", "--save")),
    (("get", "machine.mm"), WRONG_USE, ("machine.mm", "did you mean 'machine.m'")),
    (("get", "--changes", "machine"), WRONG_USE, ("--changes", "machine")),
    (("watch", "--once", "--channels", "positon_m"), WRONG_USE, ("positon_m", "did you mean 'position_m'")),
    (("lease", "--release", "--takeover"), WRONG_USE, ("--release", "--takeover")),
    (("status", "--connect", "no-such-rig"), RIG_SAID_NO, ("no-such-rig", "running: table-500")),
    (("status", "--connect", "tcp://127.0.0.1:1"), RIG_SAID_NO, ("tcp://127.0.0.1:1", "check host and port")),
]  # fmt: skip
HELD = [
    (("arm",), RIG_SAID_NO, ("already armed", "hold", "hilctl move")),
    (("move", "0.2"), RIG_SAID_NO, ("limits.position.max_m", "0.09 m", "the largest position_m that fits is 0.08")),
    (("track", "sine", "--amplitude", "0.2", "--frequency", "1"), RIG_SAID_NO,
     ("limits.position", "the largest amplitude_m that fits is 0.08")),
    (("track", "sine", "--frequency", "1"), WRONG_USE, ("amplitude_m", "missing", "m")),
    (("track", "waveform", "--uploaded", "nope"), WRONG_USE, ("nope",)),
    (("move", "0.02", "--speed", "0.1", "--duration", "3"), WRONG_USE, ("speed_m_s", "duration_s", "give one")),
    (("zero", "displacement"), RIG_SAID_NO, ("sensors.displacement.offset", "hold", "`hilctl off`")),
    (("set", "sensors.displacement.offset=0.001"), RIG_SAID_NO, ("sensors.displacement.offset", "`hilctl off`")),
    (("set", "limits.velocity.max_m_s=0.99", "law.feedback=rig"), WRONG_USE, ("law.feedback", "restart")),
    (("wait", "--motion", "1"), WRONG_USE, ("motion", "no such motion was started; the last one is 0")),
]  # fmt: skip
MOVES = [
    ("arm",), ("hold",), ("move", "0.01"), ("track", "sine", "--amplitude", "0.01", "--frequency", "1"), ("reset",),
    ("set", "law.blend_s=0.2"), ("zero", "acceleration"), ("shutdown",), ("wait", "0.1"), ("lease", "--release"),
    ("track", "triangle", "--speed", "0.02", "--amplitude", "0.005", "--wait"),
]  # fmt: skip


def _id(part):
    return " ".join(part) if isinstance(part, tuple) else ""


@pytest.fixture(scope="module")
def service():
    """A twin of its own."""
    with private_service(RIG, changes={**ARMS_FAST, "service.console_idle_s": 3600.0}) as started:
        yield started


@pytest.fixture
def said(service, monkeypatch, capsys):
    """Runs a command against it, and gives what it says on standard error."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(service.folder))
    monkeypatch.delenv("RUNTIME_DIRECTORY", raising=False)

    def run(words, code, *names):
        found = main(list(words))
        out = capsys.readouterr()
        assert "Traceback" not in out.err
        assert found == code, out.err
        for name in names:
            assert name in out.err, out.err
        if "--json" in words and out.out.strip():
            json.loads(out.out)
        return out.err

    return run


@pytest.mark.parametrize(("words", "code", "names"), OFF, ids=_id)
def test_off(said, words, code, names):
    said(words, code, *names)


@pytest.mark.parametrize(("words", "code", "names"), HELD, ids=_id)
def test_held(service, said, words, code, names):
    with Client(service.commands, lease="none") as rig:
        if rig.status()["mode"] != "hold":
            said(("arm",), DONE)
    said(words, code, *names)


@pytest.mark.parametrize("words", MOVES, ids=" ".join)
def test_a_lease_that_another_holds_is_named_with_how_to_take_it(service, said, words):
    said(("off",), DONE)
    with Client(service.commands, name="panel"):
        said(words, RIG_SAID_NO, "held by panel", "--takeover")


def test_a_trip_says_what_happened_which_limit_and_what_to_do(said):
    said(("arm",), DONE)
    said(("set", "limits.tracking_error.max_m=1e-5"), DONE)
    told = said(("move", "0.02", "--wait"), RIG_SAID_NO, "tripped by tracking_error", "limit 1e-05 m")
    assert "limits.tracking_error.max_m" in told
    assert told.strip().endswith("then `hilctl reset`")
    said(("off",), DONE)
    said(("arm",), RIG_SAID_NO, "a trip is latched", "hilctl status", "reset")
    said(("reset",), DONE)
    said(("set", "--undo"), DONE)
    said(("off",), DONE)
