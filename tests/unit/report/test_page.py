import copy
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hilctl.report import page as module
from hilctl.report import write

SECTIONS = ("prepared", "measured", "law", "friction", "plant", "sent", "proof", "tracking", "learning",
            "unidentified", "lost", "times", "raw")  # fmt: skip

# What each section is made of: without these it says so, and every other section stays as it is.
MADE_OF = {
    "prepared": ("prepared",), "measured": ("campaign_data", "fit"), "sent": ("sent",), "tracking": ("tracking",),
    "learning": ("learning",), "unidentified": ("not_identified",), "lost": ("losses",),
    "times": ("stages", "rig_seconds", "wall_seconds"),
    "plant": ("plant", "plant_fit"), "proof": ("thd", "sines", "preview"), "law": ("fit", "presliding", "choice"),
    "friction": ("friction", "fit"), "raw": ("friction", "fit", "plant"),
}  # fmt: skip
JUNK = (None, "", "text", 3.5, -1, 0, True, float("nan"), [], {}, [[]], [None], {"a": 1}, ["x", 2.0])


@pytest.fixture
def plain(monkeypatch):
    """Without figures: these tests are about the text."""
    monkeypatch.setattr(module, "inline", lambda told: {})
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
    page = plain({})
    assert tuple(key for key in read(page).sections if key) == SECTIONS
    assert page.count('class="absent"') >= len(SECTIONS)


@pytest.mark.parametrize("section", MADE_OF)
def test_a_missing_part_is_said_and_the_rest_stands(section, told, plain, read):
    whole, before = read(plain(told)).sections, plain(told)
    for key in MADE_OF[section]:
        told[key] = None
    page = plain(told)
    seen = read(page).sections
    body = page.split(f'id="{section}">')[1].split("</section>")[0]
    assert 'class="absent"' in body
    assert 'class="absent"' not in before.split(f'id="{section}">')[1].split("</section>")[0]
    touched = {name for name, parts in MADE_OF.items() if set(parts) & set(MADE_OF[section])} | {"law", "prepared"}
    for other in set(SECTIONS) - touched:
        assert seen[other] == whole[other]


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_piece_may_be_missing_or_of_another_kind(data, anew, plain, read):
    broken = anew()
    ways = list(paths(broken))
    for at in data.draw(st.lists(st.sampled_from(ways), min_size=1, max_size=12)):
        changed(broken, at, copy.deepcopy(data.draw(st.sampled_from(("gone", *JUNK)))))
    seen = read(plain(broken))
    assert tuple(key for key in seen.sections if key) == SECTIONS
    text = "".join(seen.sections.values())
    assert "nan" not in text.split() and "None" not in text


def test_texts_stay_texts(told, plain, read):
    evil = '<b onclick="x">&amp;</b>'

    def spoiled(value):
        if isinstance(value, dict):
            kept = {k: spoiled(v) for k, v in value.items()}
            return kept | {evil: copy.deepcopy(next(iter(kept.values())))} if kept else kept
        if isinstance(value, list):
            return [spoiled(item) for item in value]
        return f"{value} {evil}" if isinstance(value, str) else value

    clean, seen = read(plain(told)), read(plain(spoiled(told)))
    assert set(seen.elements) <= set(clean.elements) | {"strong"}
    assert "b" not in seen.elements and "onclick" not in seen.ids
    for section in {"", *SECTIONS} - {"proof"}:  # which holds nothing but numbers
        assert evil in seen.sections[section]


def numbers_in(text):
    """Every number as it is written, and half of its last digit."""
    tidy = text.replace("\u202f", "").replace("−", "-")
    for found in re.finditer(r"(?<![\w.])-?\d+(\.\d+)?", tidy):
        yield float(found[0]), 0.5 * 10.0 ** -(len(found[1] or ".") - 1)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(scale=st.floats(0.02, 50.0), seed=st.integers(0, 999))
def test_every_number_of_the_summary_is_the_dicts(scale, seed, anew, plain, read):
    told = anew()
    for index, one in enumerate(told["thd"].values()):
        one["before"] *= scale * (1 + 0.01 * ((seed + index) % 7))
        one["after"] *= scale
    for q in told["friction"]["parameters"].values():
        for end in ("value", "low", "high"):
            q[end] *= scale
    page = plain(told)
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
    told["thd"]["1"] |= {"before": 18.0, "after": 2.4, "resolution_after": 2.4, "factor": 7.5}
    text = read(plain(told)).sections[""]
    assert "from 18.0\u202f% to ≤ 2.4\u202f%" in text and "≥ 7.5 ×" in text


def test_compensation_that_makes_it_worse_is_not_praised(told, plain, read):
    told["thd"]["1"] |= {"before": 5.0, "after": 9.0}
    text = read(plain(told)).sections[""]
    assert "does not lower" in text and "5.0\u202f% without it and 9.0\u202f% with it" in text


def test_what_was_broken_off_is_said_first(told, plain, read):
    told |= {"complete": False, "failed": {"stage": "reversals", "text": "the table did not move"}}
    summary = read(plain(told)).sections[""].split("Summary")[1]
    assert summary.strip().startswith("Broken off at “reversals”. The table did not move.")


def test_windows_left_out_are_counted_by_reason(told, plain, read):
    text = read(plain(told)).sections["measured"]
    assert re.search(r"0\.001\s+forward\s+2\s+The table hunted\.", text)
    assert re.search(r"0\.8\s+backward\s+1\s+The valve was saturated\.", text)


def test_a_sentence_does_not_change_a_name(told, plain, read):
    assert "m is relative to the area." in read(plain(told)).sections["plant"]


def test_keys_are_those_of_the_rig_file(told, plain, read):
    told["plant"] = {"m": told["plant"]["machine.m"], "loop_delay_s": told["plant"]["machine.beta"]}
    raw = read(plain(told)).sections["raw"]
    assert "machine.m" in raw and "loop_delay_s" in raw and "machine.loop_delay_s" not in raw
    assert "friction.fc" in raw


def test_a_sliding_law_alone_is_told_as_such(told, plain, read):
    told["friction"] = None
    seen = read(plain(told)).sections
    assert "Friction: Stribeck, delta 2" in seen[""] and "at a reversal is not known" in seen[""]
    assert "[291.0, 306.0]" in seen[""] and "friction.fc" in seen["raw"]


def test_a_twin_that_is_told_is_compared(told, plain, read):
    assert "the twin's own" not in read(plain(told)).sections["raw"]
    told["truth"] = {"machine.m": 501.25, "friction.fc": 298.5}
    raw = read(plain(told)).sections["raw"]
    assert "the twin's own" in raw and "501.25" in raw and "298.5" in raw


def test_tuned_gains_are_told_beside_what_was_measured_and_any_piece_of_it_may_be_missing(told, plain, read):
    margins = {"rise_db": 8.5, "fall_db": None, "phase_deg": 46.1, "modulus": 0.62}
    told["tuning"] = {
        "values": {"law.three_state.kd_per_m": 27.99}, "taken_back": "",
        "predicted": {"nominal": margins, "crossover_hz": 7.81, "minus_3_db_hz": 70.4},
        "measured_after": {"margins": {**margins, "phase_deg": 44.9}, "crossover_hz": 7.77, "minus_3_db_hz": None},
    }  # fmt: skip
    text = " ".join(read(plain(told)).sections["plant"].split())
    for part in ("predicted, now", "7.81", "46.1", "measured, now", "44.9", "law.three_state.kd_per_m", "27.99"):
        assert part in text, part
    assert "None" not in text
    told["tuning"] = {"values": None, "predicted": [1], "taken_back": "the margin was not there"}
    assert "the margin was not there" in read(plain(told)).sections["plant"]
