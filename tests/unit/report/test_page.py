import copy
import json
import re

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from hilctl.errors import WrongUse
from hilctl.report import page as module
from hilctl.report import write
from hilctl.results.commissioned import PARTS, Commissioned, Failed, Missing
from hilctl.results.proof import Thd
from hilctl.results.stored import decoded

SECTIONS = ("prepared", "friction", "law", "reversals", "parameters", "plant", "gains", "sent", "compensation", "sines",
            "tracking", "learning", "unidentified", "lost", "times", "raw")  # fmt: skip

# What each section is made of: without these it says so, and every other section stays as it is.
MADE_OF = {
    "prepared": ("prepared",), "friction": ("campaign", "fit"), "law": ("fit",), "reversals": ("presliding",),
    "parameters": ("friction", "fit"), "plant": ("plant", "plant_fit"), "gains": ("tuning",), "sent": ("sent",),
    "compensation": ("choice", "preview"), "sines": ("thd", "sines"), "tracking": ("tracking",),
    "learning": ("learning",), "unidentified": ("not_identified",), "lost": ("losses",),
    "times": ("stages",), "raw": ("friction", "fit", "plant"),
}  # fmt: skip
JUNK = (None, "", "text", 3.5, -1, 0, True, float("nan"), [], {}, [[]], [None], {"a": 1}, ["x", 2.0])


@pytest.fixture
def plain(monkeypatch):
    """Without figures: these tests are about the text."""
    monkeypatch.setattr(module, "pictures_of", lambda told: iter(()))
    return module.page


def paths(value, at=()):
    """The way to every piece of a dict, lists by their first and last entry."""
    yield from ([at] if at else [])
    if isinstance(value, dict):
        for key, item in value.items():
            yield from paths(item, (*at, key))
    elif isinstance(value, list) and value:
        for index in {0, len(value) - 1}:
            yield from paths(value[index], (*at, index))


def changed(told, at, junk):
    """In place; a way that an earlier change has closed is left."""
    for step in at[:-1]:
        if not isinstance(told, (dict, list)) or (isinstance(told, dict) and step not in told) or (
            isinstance(told, list) and not (isinstance(step, int) and step < len(told))
        ):  # fmt: skip
            return
        told = told[step]
    if isinstance(told, dict):
        if junk == "gone":
            told.pop(at[-1], None)
        else:
            told[at[-1]] = junk
    elif isinstance(told, list) and isinstance(at[-1], int) and at[-1] < len(told):
        told[at[-1]] = None if junk == "gone" else junk


def test_the_whole_stands_in_one_file_that_needs_nothing_else(told, tmp_path, read):
    path = write(told, tmp_path / "new" / "report.html")
    page = path.read_text(encoding="utf-8")
    seen = read(page)
    assert path == tmp_path / "new" / "report.html" and [p.name for p in path.parent.iterdir()] == ["report.html"]
    assert tuple(key for key in seen.sections if key) == SECTIONS
    assert seen.elements.count("figure") == seen.elements.count("svg") == 10
    assert not {"script", "link", "img", "iframe"} & set(seen.elements)
    assert not re.search(r"https?:|@import|\burl\((?!#)", page)
    assert 'class="absent"' not in page
    assert len(seen.ids) == len(set(seen.ids))
    used = set(re.findall(r'href="#([^"]+)"|url\(#([^)]+)\)', page))
    assert {a or b for a, b in used} <= set(seen.ids)


def test_nothing_at_all_is_a_report_that_says_so(plain, read):
    page = plain(Commissioned())
    assert tuple(key for key in read(page).sections if key) == SECTIONS
    assert page.count('class="absent"') >= len(SECTIONS)


@pytest.mark.parametrize("section", MADE_OF)
def test_a_missing_part_is_said_and_the_rest_stands(section, told, plain, read):
    whole, before = read(plain(told)).sections, plain(told)
    for key in MADE_OF[section]:
        setattr(told, key, getattr(Commissioned(), key))
    page = plain(told)
    seen = read(page).sections
    assert 'class="absent"' in body(page, section)
    assert 'class="absent"' not in body(before, section)
    for other, parts in MADE_OF.items():
        if not set(parts) & set(MADE_OF[section]) and other != "unidentified":
            assert seen[other] == whole[other]


def body(page, section):
    return page.split(f'id="{section}">')[1].split("</section>")[0]


@pytest.mark.parametrize("part", PARTS)
def test_a_part_that_was_not_done_is_said_with_its_reason_and_the_command_that_measures_it(part, told, plain, read):
    told.missing[part] = Missing("plant: the pump stood still", f"hilctl commission --only {part} --out 'a b'")
    sentence = f"Plant: the pump stood still. hilctl commission --only {part} --out 'a b' measures it alone."
    assert sentence in read(plain(told)).sections[part], "of a part that is there, but not whole"
    for key in MADE_OF["friction" if part == "friction" else part]:
        setattr(told, key, getattr(Commissioned(), key))
    page = plain(told)
    assert sentence in read(page).sections[part]
    assert f'href="#{part}">{PARTS[part]}</a>' in page.split("<nav>")[0], "and in the summary"


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_whatever_a_file_holds_is_refused_or_a_page(data, each_time, plain, read):
    broken = each_time()
    ways = list(paths(broken))
    for at in data.draw(st.lists(st.sampled_from(ways), min_size=1, max_size=3)):
        changed(broken, at, copy.deepcopy(data.draw(st.sampled_from(("gone", *JUNK)))))
    try:
        result = decoded(json.dumps(broken).encode(), "file.json")
    except WrongUse:
        return
    seen = read(plain(result))
    assert tuple(key for key in seen.sections if key) == SECTIONS
    text = "".join(seen.sections.values())
    assert "nan" not in text.split() and "None" not in text


@pytest.mark.parametrize(
    ("at", "junk", "refused"),
    [(("presliding", "evidence", "loops", 0, "chord_n_m"), {"another": 1.0}, False),
     (("choice", "before_by_hz"), {"fast": 1.0}, True), (("choice", "tried", 0, "by_hz"), {"fast": 1.0}, True)],
)  # fmt: skip
def test_names_that_belong_to_another_file_are_refused_or_leave_a_dash(at, junk, refused, each_time, plain, read):
    other = each_time()
    changed(other, at, junk)
    told = json.dumps(other).encode()
    if refused:
        with pytest.raises(WrongUse, match=at[0]):
            decoded(told, "file.json")
    else:
        assert ", –" in read(plain(decoded(told, "file.json"))).sections["reversals"]


CHOICES = ("origin", "kind", "format", "choice")


def test_texts_stay_texts(plain_told, plain, read):
    evil = '<b onclick="x">&amp;</b>'

    def spoiled(value, key=""):
        if isinstance(value, dict):
            return {k: v if k in CHOICES and isinstance(v, str) else spoiled(v, k) for k, v in value.items()}
        if isinstance(value, list):
            return [spoiled(item) for item in value]
        return f"{value} {evil}" if isinstance(value, str) else value

    clean = read(plain(msgspec.convert(plain_told, Commissioned)))
    for named in ("plant", "missing"):
        plain_told.setdefault(named, {})[evil] = {"value": 1.0, "reason": "r", "remedy": "x"}
    seen = read(plain(msgspec.convert(spoiled(plain_told), Commissioned)))
    assert set(seen.elements) <= set(clean.elements) | {"strong"}
    assert "b" not in seen.elements and "onclick" not in seen.ids
    for section in {"", *SECTIONS} - {"sines", "gains"}:  # which hold nothing but numbers and keys
        assert evil in seen.sections[section], section


def numbers_in(text):
    """Every number as it is written, and half of its last digit."""
    tidy = text.replace("\u202f", "").replace("−", "-")
    for found in re.finditer(r"(?<![\w.])-?\d+(\.\d+)?", tidy):
        yield float(found[0]), 0.5 * 10.0 ** -(len(found[1] or ".") - 1)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(scale=st.floats(0.02, 50.0), seed=st.integers(0, 999))
def test_every_number_of_the_summary_is_the_results(scale, seed, each_time, plain, read):
    told = each_time()
    for index, one in enumerate(told["thd"].values()):
        one["before"] *= scale * (1 + 0.01 * ((seed + index) % 7))
        one["after"] *= scale
    for q in told["friction"]["parameters"].values():
        for end in ("value", "low", "high"):
            q[end] *= scale
    page = plain(msgspec.convert(told, Commissioned))
    text = read(page.split("<h2>Summary</h2>")[1].split("<nav>")[0]).sections[""]
    known = [x for key in ("thd", "friction") for x in leaves(told[key])]
    known += [float(key) for key in told["thd"]] + [one["before"] / one["after"] for one in told["thd"].values()]
    known += [100.0, 95.0, 3.0, told["sent"]["epoch"]]  # harmonics up to 100 Hz, 95 % intervals, parameters sent
    shown = list(numbers_in(text))
    assert len(shown) > 35
    for number, half in shown:
        sizes = [10.0 ** (3 * k) for k in range(-4, 4)]
        assert any(abs(x * size - number) <= 1.001 * half for x in known for size in sizes), number


def test_the_summary_tells_each_parameter_with_its_interval(told, plain, read):
    text = read(plain(told)).sections[""]
    assert "fc\n300.0\n[291.0, 306.0]\nN\n" in text and "vs\n0.1000\n[0.0970, 0.1020]\nm/s\n" in text


def leaves(value):
    if isinstance(value, dict):
        return [x for item in value.values() for x in leaves(item)]
    return [value] if isinstance(value, (int, float)) and not isinstance(value, bool) else []


def test_what_the_sensors_noise_hides_is_no_miracle(told, plain, read):
    told.thd["1"] = Thd(0.08, 18.0, 2.4, 7.5, resolution_after=2.4)
    text = read(plain(told)).sections[""]
    assert "from 18.0\u202f% to ≤ 2.4\u202f%" in text and "≥ 7.5 ×" in text


def test_compensation_that_makes_it_worse_is_not_praised(told, plain, read):
    told.thd["1"] = Thd(0.08, 5.0, 9.0)
    text = read(plain(told)).sections[""]
    assert "does not lower" in text and "5.0\u202f% without it and 9.0\u202f% with it" in text


def test_models_are_shown_beside_each_other_over_every_sine_they_were_tried_at(told, plain, read):
    text = " ".join(read(plain(told)).sections["compensation"].replace("\u202f", " ").split())
    for row in ("distortion at 0.5 Hz distortion at 1 Hz times less preview", "kept 1.3 % 0.80 % 17 0.2 ms",
                "– 2.5 % – 0.3 ms", "the valve's inverse alone 8.7 % 9.1 % 2", "nothing 17.0 % 18.0 %"):  # fmt: skip
        assert row in text, (row, text)


def test_what_was_broken_off_is_said_first(told, plain, read):
    told.complete, told.failed = False, Failed("reversals", "the table did not move")
    summary = read(plain(told)).sections[""].split("Summary")[1]
    assert summary.strip().startswith("Broken off at “reversals”. The table did not move.")


def test_windows_left_out_are_counted_by_reason(told, plain, read):
    text = read(plain(told)).sections["friction"]
    assert re.search(r"0\.001\s+forward\s+2\s+The table hunted\.", text)
    assert re.search(r"0\.8\s+backward\s+1\s+The valve was saturated\.", text)


def test_a_sentence_does_not_change_a_name(told, plain, read):
    assert "m is relative to the area." in read(plain(told)).sections["plant"]


def test_keys_are_those_of_the_rig_file(told, plain, read):
    told.plant = {"m": told.plant["machine.m"], "loop_delay_s": told.plant["machine.beta"]}
    raw = read(plain(told)).sections["raw"]
    assert "machine.m" in raw and "loop_delay_s" in raw and "machine.loop_delay_s" not in raw
    assert "friction.fc" in raw


def test_what_is_not_identifiable_is_no_number_to_rely_on(told, plain, read):
    assert re.search(r"machine\.Ctc\w*\n[^\n]*\nnot identified", read(plain(told)).sections["plant"])
    assert "not identifiable" in read(plain(told)).sections["raw"]


def test_a_sliding_law_alone_is_told_as_such(told, plain, read):
    told.friction = None
    seen = read(plain(told)).sections
    assert "Friction is not compensated" in seen[""] and "lowers the distortion" not in seen[""]
    assert "Friction: Stribeck, delta 2" in seen[""] and "at a reversal is not known" in seen[""]
    assert "[291.0, 306.0]" in seen[""] and "friction.fc" in seen["raw"]


def test_a_twin_that_is_told_is_compared(told, plain, read):
    assert "the twin's own" not in read(plain(told)).sections["raw"]
    told.truth = {"machine.m": 501.25, "friction.fc": 298.5, "friction.model": "lugre"}
    raw = read(plain(told)).sections["raw"]
    assert "the twin's own" in raw and "501.25" in raw and "298.5" in raw


def test_tuned_gains_are_told_beside_what_was_measured(told, plain, read):
    text = " ".join(read(plain(told)).sections["gains"].split())
    for part in ("predicted, now", "7.81", "46.1", "measured, now", "44.9", "law.three_state.kd_per_m", "27.99"):
        assert part in text, part
    assert "None" not in text and "measured, before" not in text
    told.tuning = replace(told.tuning, taken_back="the margin was not there")
    assert "the margin was not there" in read(plain(told)).sections["gains"]


def test_a_friction_model_stands_with_its_probability_and_its_reason_in_the_loops(told, plain, read):
    text = read(plain(told)).sections["reversals"]
    assert re.search(r"LuGre\s+97(\.0)?\s?%\s+0\.5", text) and re.search(r"GMS\s+3(\.0)?\s?%\s+10\.1", text), text
    assert "The loop of ±20 µm loses 1.91 mJ a cycle." in text
    assert re.search(r"20\s+40.*%\s+1\.91, 40\s", text), "measured loss and chord of the small swing"
    assert "negative over positive side" in text
