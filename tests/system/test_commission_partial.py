"""A commissioning of which a part cannot be done: what it keeps, applies, and says."""

import json

import pytest

from hilctl.client import Client, private_service
from hilctl.commission import Commissioning, How, compensating, identifying, sines
from hilctl.commission.parameters import settable
from hilctl.experiment.drive import LegFault
from hilctl.report import page
from hilctl.results.stored import as_json, decoded

pytestmark = pytest.mark.timeout(900)
SHORT = {"warm_up_s": 1.0, "speeds_m_s": (0.005, 0.02, 0.1, 0.3, 0.6), "campaign_s": 20.0, "sines_hz": (1.0, 2.0)}
REPEATED = "too much of it was lost, three times over; check the link"


@pytest.fixture
def commissioned(tmp_path, monkeypatch):
    """The result, read from its file; the page; the parameters that were changed, and those that are active."""
    monkeypatch.setattr(page, "pictures_of", lambda result: iter(()))

    def run(changes=None, **how):
        with private_service("table-500", changes={"twin.seed": 3, **(changes or {})}) as service, \
                Client(service.commands) as rig:  # fmt: skip
            before = settable(rig)
            work = Commissioning(rig, How(tmp_path / "c", **SHORT, **how))
            result = work.run()
            now = settable(rig)
        result = decoded(as_json(result), "commission.json")
        changed = {key for key in now if now[key] != before.get(key) and ".offset" not in key}
        return result, page.page(result), changed, now

    return run


def missing(result, html, part, says):
    """The part is said to be missing, with its reason and its command, in JSON and page; and the work is complete."""
    gone = result.missing[part]
    assert says in gone.reason and gone.remedy.startswith("hilctl commission --only ") and part in gone.remedy
    assert json.loads(as_json(result))["missing"][part] == {"reason": gone.reason, "remedy": gone.remedy}
    body = html.split(f'id="{part}">')[1].split("</section>")[0]
    assert 'class="absent"' in body and "measures it alone" in body and "--only" in body
    assert f'href="#{part}"' in html.split("<nav>")[0]
    assert result.complete and result.failed is None


def fails(monkeypatch, name, fault):
    def measure(*args, **named):
        raise fault

    monkeypatch.setattr(identifying, name, measure)


def test_without_an_accelerometer_gain_sines_and_tracking_are_kept_and_nothing_is_applied(commissioned):
    result, html, changed, now = commissioned({"twin.sensors.acceleration.gain_error": 0.45})
    for part in ("plant", "friction"):
        missing(result, html, part, "the accelerometer shows 1.45 times what displacement shows")
    for part in ("reversals", "compensation"):
        missing(result, html, part, "no friction model was identified")
    assert "--only friction,compensation" in result.missing["compensation"].remedy
    assert result.plant is result.fit is result.presliding is result.friction is result.sent is None
    assert changed == set() and now["law.feed.inverse"] == 0.0
    assert {key: bool(one.before and one.after) for key, one in result.thd.items()} == {"1": True, "2": True}
    assert all(row.before and row.after for row in result.tracking)
    assert result.campaign is not None and not result.campaign.complete


def test_without_a_machine_friction_is_compensated_with_that_of_the_rig_file(commissioned, monkeypatch):
    fails(monkeypatch, "identify_plant", LegFault("the mass is not identifiable"))
    result, html, changed, now = commissioned()
    missing(result, html, "plant", "the mass is not identifiable")
    assert result.plant is None and result.plant_fit is None
    assert result.fit and result.friction and result.choice.kept
    assert changed and not any(key.startswith("machine.") for key in changed)
    assert {key: now.get(key) for key in result.sent.values} == result.sent.values
    assert now["law.feed.inverse"] == 1.0 and result.thd["1"].factor > 3.0


@pytest.mark.slow
def test_without_reversals_the_static_model_is_used(commissioned, monkeypatch):
    fails(monkeypatch, "identify_presliding", LegFault("friction turned fully in no swing"))
    result, html, _, now = commissioned()
    missing(result, html, "reversals", "friction turned fully in no swing")
    assert result.presliding is None and [one.law for one in result.choice.tried] == [result.fit.law]
    assert not result.friction.certain and set(result.friction.parameters) == set(result.fit.parameters)
    assert now["machine.m"] == result.sent.values["machine.m"] == result.plant["m"].value
    assert {key: now.get(key) for key in result.sent.values} == result.sent.values


def test_without_friction_the_machine_alone_is_applied(commissioned, monkeypatch):
    fails(monkeypatch, "fit_friction", LegFault(REPEATED))
    result, html, _, now = commissioned()
    missing(result, html, "friction", REPEATED)
    missing(result, html, "compensation", "no friction model was identified")
    assert result.campaign.complete, "the speeds that were measured are kept"
    assert set(result.sent.values) == set(result.plant_fit.changes) >= {"machine.m", "machine.Qn"}
    assert {key: now[key] for key in result.sent.values} == result.sent.values
    assert now["law.feed.inverse"] == 0.0 and result.friction is None


def test_without_compensation_the_machine_alone_is_applied(commissioned, monkeypatch):
    def cannot(*args):
        raise LegFault(REPEATED)

    monkeypatch.setattr(compensating, "try_law", cannot)
    result, html, _, now = commissioned()
    missing(result, html, "compensation", REPEATED)
    assert result.fit and result.presliding and result.friction is None and result.choice.kept is None
    assert set(result.sent.values) == set(result.plant_fit.changes)
    assert {key: now[key] for key in result.sent.values} == result.sent.values
    assert now["law.feed.inverse"] == 0.0


@pytest.mark.slow
@pytest.mark.parametrize(("times", "kept"), [(0.95, True), (1.05, False)])
def test_the_inverse_model_stays_only_where_it_leaves_less_than_the_valves_inverse_alone(
    commissioned, monkeypatch, times, kept
):
    alone, measure, tried = [], compensating.distortion, compensating.try_law

    def measured(rig, sizes):
        alone.append(measure(rig, sizes))
        return alone[-1]

    def trial(*args):
        return tried(*args)._replace(by_hz={key: times * percent for key, percent in alone[0][0].items()})

    monkeypatch.setattr(compensating, "distortion", measured)
    monkeypatch.setattr(compensating, "try_law", trial)
    overlap = {f"twin.machine.overlap_{side}": 0.02 for side in "ab"}
    result, _, _, now = commissioned({**overlap, "twin.valve.hysteresis": 0.003})
    choice = result.choice
    assert choice.machine_by_hz == alone[0][0] and choice.machine_percent == alone[0][0]["1"]
    hz = {"1"} if result.presliding.certain else {"1", "2"}
    assert choice.before_by_hz.keys() == choice.machine_by_hz.keys() == choice.tried[0].by_hz.keys() == hz
    assert times * choice.machine_percent < choice.before_percent
    assert (choice.kept is not None, now["law.feed.inverse"]) == (kept, float(kept))
    assert f"({choice.machine_percent:.1f} % with the valve's inverse alone)" in choice.why
    assert now["machine.overlap_a"] == result.plant["overlap_a"].value


@pytest.mark.slow
def test_a_sine_repeated_too_often_is_left_out_and_the_others_stand(commissioned, monkeypatch):
    measure, times = sines.measure, []

    def repeated(rig, size, *rest, **more):
        times.append(size.key)
        if size.key == "2" and times.count("2") == 2:
            raise LegFault(REPEATED)
        return measure(rig, size, *rest, **more)

    monkeypatch.setattr(sines, "measure", repeated)
    result, html, _, now = commissioned()
    missing(result, html, "sines", REPEATED)
    assert result.thd["2"].before and result.thd["2"].after is None and result.thd["2"].factor is None
    assert result.thd["1"].factor > 3.0 and result.sines["2"].before and result.sines["2"].after is None
    assert "2 Hz after is missing" in " ".join(result.warnings)
    assert now["law.feed.inverse"] == 1.0 and {key: now.get(key) for key in result.sent.values} == result.sent.values
