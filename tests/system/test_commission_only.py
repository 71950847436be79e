"""Parts of a commissioning that are measured alone, and complete the result in the folder."""

import json
import shlex

import pytest

from hilctl.client import Client, private_service
from hilctl.commission import Commissioning, How
from hilctl.experiment.store import StoreError
from hilctl.results.commissioned import PARTS, Sent
from hilctl.results.proof import Thd
from hilctl.results.stored import as_json
from tests.system.cli_parts import Shell, serving

pytestmark = pytest.mark.timeout(900)
RIG = "table-500"
ASKED = ("commission", "--warm-up", "1", "--budget", "20", "--sines", "1", "--speeds", "0.005", "0.02", "0.1", "0.3",
         "0.6")  # fmt: skip


def result_in(folder):
    return json.loads((folder / "commission.json").read_text())


@pytest.mark.slow
def test_the_sentence_on_each_missing_part_is_followed_until_nothing_is_missing(tmp_path):
    folder = tmp_path / "a folder"
    with serving(tmp_path, "--clock", "virtual") as (shell, _, _):
        said = shell.said(*ASKED, "--only", "plant,friction,reversals", "--out", str(folder))
        told = result_in(folder)
        assert told["plant"]["m"]["value"] and not told["complete"]
        assert set(told["missing"]) == {"sines", "tracking", "compensation"}
        assert shell.json("get", "machine.m")["machine.m"] == told["plant"]["m"]["value"]
        followed = []
        while told["missing"]:
            part, gone = list(told["missing"].items())[-1]
            assert f"`{gone['remedy']}` measures it alone" in said
            assert shlex.quote(str(folder)) in (folder / "report.html").read_text().replace("&#x27;", "'")
            program, *words = shlex.split(gone["remedy"])
            assert program == "hilctl" and part in words[words.index("--only") + 1]
            said, told = shell.said(*words), result_in(folder)
            followed.append(part)
            assert part not in told["missing"] and len(followed) < 9, followed
        active = shell.json("get")
    assert told["complete"] and told["failed"] is None
    assert told["thd"]["1"]["factor"] > 4.0, followed
    assert all(row["before"] and row["after"] for row in told["tracking"])
    assert {key: active.get(key) for key in told["sent"]["values"]} == told["sent"]["values"]
    assert active["law.feed.inverse"] == 1.0
    page = (folder / "report.html").read_text()
    shell.said("report", str(folder), "--out", "again")
    assert (tmp_path / "again" / "report.html").read_text() == page, "drawn again from the stored result"
    assert "measures it alone" not in page and all(f'id="{part}"' in page for part in PARTS)


def test_a_wrong_part_is_refused_with_the_list_and_a_suggestion(tmp_path):
    said = Shell(tmp_path).refused("commission", RIG, "--twin", "--only", "plant,frction", code=2)
    assert "--only: no part 'frction'; did you mean 'friction'? The parts are sines, tracking, plant," in said
    said = Shell(tmp_path).refused("commission", RIG, "--twin", "--only", "valve", code=2)
    assert all(part in said for part in PARTS)


SHORT = {"warm_up_s": 1.0, "sines_hz": (1.0,), "only": ("sines",)}


class CutOff(Client):
    """A client whose user presses Ctrl-C in a motion."""

    left = 10**6

    def wait(self, motion, timeout_s=0.0):
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt
        return super().wait(motion, timeout_s)


def test_a_part_alone_that_is_cut_off_goes_on_and_the_earlier_result_stands(tmp_path):
    with private_service(RIG, changes={"twin.seed": 3}) as service, CutOff(service.commands) as rig:
        whole = Commissioning(rig, How(tmp_path, **SHORT)).run()
        before = rig.get()
        assert whole.thd["1"].before > 10.0 and whole.thd["1"].after is None, "nothing was sent"
        whole.campaign = whole.fit = None
        (tmp_path / "commission.json").write_bytes(as_json(whole))
        again = How(tmp_path, warm_up_s=1.0, sines_hz=(2.0, 1.0), only=("sines",))
        rig.left = 3  # the warm-up, a sine, and in the second
        with pytest.raises(KeyboardInterrupt):
            Commissioning(rig, again).run()
        assert rig.get() == before
        samples = tmp_path / "only" / "sines" / "legs"
        kept = {path.name: path.read_bytes() for path in samples.glob("the-sine*")}
        assert len(kept) == 1
        rig.left = 10**6
        work = Commissioning(rig, again._replace(resume=True))
        assert work.result == whole, "the result before the first part"
        told = work.run()
        assert set(told.thd) == {"1", "2"} and told.thd["1"].before == pytest.approx(whole.thd["1"].before, rel=0.05)
        assert all((samples / name).read_bytes() == content for name, content in kept.items())
        with pytest.raises(StoreError, match=r"sines_hz was .2.0, 1.0., is .1.0"):
            Commissioning(rig, How(tmp_path, resume=True, **SHORT))


def test_parameters_of_the_earlier_result_count_and_what_was_measured_under_others_is_missing(tmp_path):
    with private_service(RIG, changes={"twin.seed": 3}) as service, Client(service.commands) as rig:
        rig.set({"law.feed.inverse": 1.0})
        how = How(tmp_path, warm_up_s=1.0, sines_hz=(1.0,), only=("plant",))
        told = Commissioning(rig, how).result
        told.thd["1"] = Thd(0.08, 18.0, 2.0, 9.0)
        told.sent = Sent(3, "a person", "before", {"machine.m": 470.0}, {"machine.m": 500.0})
        (tmp_path / "commission.json").write_bytes(as_json(told))
        result = Commissioning(rig, how).run()
        made = rig.changes(first=1)["sets"]
        assert rig.get("law.feed.inverse")["law.feed.inverse"] == 1.0, "as it was"
    again = next(one for one in made if one["origin"] == "before, again")
    assert again["changed"] == [{"key": "machine.m", "old": 500.0, "new": 470.0}]
    assert result.plant["m"].before == 470.0 and result.sent.old["machine.m"] == 500.0
    assert result.sent.values["machine.m"] == result.plant["m"].value != 470.0
    assert (result.thd["1"].before, result.thd["1"].after, result.thd["1"].factor) == (18.0, None, None)
    assert "parameters were changed since it was measured" in result.missing["sines"].reason


def test_a_result_of_another_rig_and_one_that_cannot_be_read_are_refused_before_anything_moves(tmp_path):
    with private_service(RIG) as service, Client(service.commands) as rig:
        told = Commissioning(rig, How(tmp_path / "x", **SHORT)).result
        told.rig = "another"
        (tmp_path / "commission.json").write_bytes(as_json(told))
        with pytest.raises(StoreError, match="is of the rig another, this is table-500; name another folder"):
            Commissioning(rig, How(tmp_path, **SHORT))
        (tmp_path / "commission.json").write_text('{"format": 2, "thd": {"1": {"amplitude_m": "x"}}}')
        with pytest.raises(ValueError, match=r"commission.json: thd.1.amplitude_m: Expected `float`, got `str`"):
            Commissioning(rig, How(tmp_path, **SHORT))
        with pytest.raises(ValueError, match=r"no friction model; measure it too: .* --only friction,compensation"):
            Commissioning(rig, How(tmp_path / "y", **{**SHORT, "only": ("compensation",)}))
        assert rig.status()["last_motion"] == 0
