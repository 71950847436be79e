"""A commissioned rig, later: as it was, or with another payload, other oil, other friction; and what interrupts it."""

import json

import pytest

from hilctl.client import Client, private_service
from hilctl.commission.parameters import INVERSE, applicable
from hilctl.errors import WrongUse
from hilctl.results.stored import read
from hilctl.results.verified import Verified
from hilctl.verify import VerifyFailed, verify
from tests.system.cli_parts import Shell
from tests.system.verify_parts import RIG, asked, changed, commissioned, verified

pytestmark = pytest.mark.timeout(600)
SHORT = {"warm_up_s": 1.0, "speeds_m_s": (0.005, 0.02, 0.1, 0.2, 0.3, 0.6), "campaign_s": 24.0, "sines_hz": (1.0,)}
LATER = {"twin.seed": 9}


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    return commissioned(tmp_path_factory.mktemp("commissioned"), {"twin.seed": 3}, **SHORT)


@pytest.mark.slow
def test_a_rig_that_has_not_changed_is_found_unchanged_and_keeps_its_compensation(stored, tmp_path):
    shell = Shell(tmp_path)
    told = shell.json("verify", str(stored.parent), RIG, "--twin", "--set", "twin.seed=9", "--out", "v")
    assert told == json.loads((tmp_path / "v" / "verify.json").read_text())
    assert told["verdict"] == "unchanged" and told["causes"] == []
    assert {one["verdict"] for one in told["compared"].values()} == {"unchanged"}
    assert told["compensation"]["may_stay"] is True
    assert told["compensation"]["sines"]["1"]["compensated"] < 0.5 * told["compensation"]["sines"]["1"]["without"]
    assert told["rig_seconds"] < 120.0
    assert "were not those of the commissioning" in told["notes"][0], "a twin of the rig file begins with its values"
    assert told["notes"][-1] == "the parameters are restored"


CHANGES = {
    "payload": ({"twin.machine.m": 570.0}, {"m"}, ["payload"], "heavier by 70 ± 3"),
    "hotter oil": (
        {"twin.friction.sigma": 2500.0, "twin.machine.Ctc": 6.5e-12, "twin.sensors.oil_temperature.value_degc": 48.0},
        {"friction_middle", "friction_fast", "Ctc"}, ["oil_temperature"], "hotter by 8 K",
    ),
    "Coulomb friction": ({"twin.friction.fc": 430.0}, {"friction_middle", "friction_fast"}, ["wear"], "Coulomb"),
}  # fmt: skip


@pytest.mark.parametrize("what", list(CHANGES))
def test_what_has_changed_is_found_with_its_cause(what, stored, tmp_path):
    changes, keys, codes, says = CHANGES[what]
    told = verified(stored, tmp_path / "v", changes | LATER)
    assert told.verdict == "changed" and changed(told) == keys
    assert [cause.code for cause in told.causes] == codes
    assert says in told.causes[0].text
    assert f"--only {'plant' if what == 'payload' else 'friction'}" in told.causes[0].remedy


@pytest.mark.slow
def test_compensation_that_makes_it_worse_may_not_stay_on_which_has_an_exit_code_of_its_own(stored, tmp_path):
    done = Shell(tmp_path).run("verify", str(stored.parent), RIG, "--twin", "--set", "twin.friction.fs=700",
                               "twin.seed=9", code=3)  # fmt: skip
    assert "compensation must not stay on: it distorts more than it removes: distortion at 1 Hz" in done.stdout
    assert "`hilctl set law.feed.inverse=0` switches it off" in done.stdout
    assert "static friction fell" in done.stdout


def test_a_trip_ends_it_with_its_limit_and_it_can_be_repeated(stored, tmp_path):
    with private_service(RIG, changes=LATER) as service, Client(service.commands) as rig:
        before = rig.get()

        def disturb(text, now):
            if text == "machine: fast sine":
                rig.set({"limits.tracking_error.max_m": 2e-4, "limits.tracking_error.action": "null"})

        with pytest.raises(VerifyFailed, match=r"^machine: fast sine: .*limits\.tracking_error.*restored$") as failed:
            verify(rig, asked(stored, tmp_path / "v"), disturb)
        assert "tripped by tracking_error" in str(failed.value)
        rig.pass_time(1.0)
        assert rig.get() == before
        assert (rig.status()["mode"], rig.status()["trip"]["name"]) == ("off", "tracking_error")
        with pytest.raises(VerifyFailed, match="hilctl reset"):
            verify(rig, asked(stored, tmp_path / "w"))
        rig.reset()
        told = verify(rig, asked(stored, tmp_path / "x"))
        assert isinstance(told, Verified) and told.verdict == "unchanged"


@pytest.mark.slow
def test_a_trip_tells_what_was_found_until_then(stored, tmp_path):
    with private_service(RIG, changes={"twin.machine.m": 1500.0}) as service, Client(service.commands) as rig:
        with pytest.raises(VerifyFailed, match=r"tripped by .* Until then: the payload is heavier by 10") as failed:
            verify(rig, asked(stored, tmp_path / "v"))
        assert "resume" not in str(failed.value)
        assert rig.status()["trip"]


def test_an_interrupt_stops_the_table_and_switches_compensation_on_again(stored, tmp_path):
    with private_service(RIG, changes=LATER) as service, Client(service.commands) as rig:
        rig.arm()
        rig.set(applicable(read(stored).sent.values))
        rig.set({INVERSE: 1.0})
        before = rig.get()

        def interrupt(text, now):
            if text.startswith("machine"):
                assert rig.get(INVERSE)[INVERSE] == 0.0
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            verify(rig, asked(stored, tmp_path / "v"), interrupt)
        assert rig.get() == before
        assert rig.status()["mode"] == "hold"
        with pytest.raises(WrongUse, match="already holds samples; name another folder"):
            verify(rig, asked(stored, stored.parent))
        rig.off()
        rig.set({"sensors.pressure_a.gain": 1.05})
        with pytest.raises(VerifyFailed, match=r"not computed as .*: sensors\.pressure_a\.gain was 1\.0, is 1\.05; re"):
            verify(rig, asked(stored, tmp_path / "w"))
        other = asked(stored, tmp_path / "w")
        other.stored.rig = "another"
        with pytest.raises(WrongUse, match="is of the rig another, this is table-500"):
            verify(rig, other)
