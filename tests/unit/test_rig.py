"""The rig file: what is refused, with key, value, bound and nearest key, all at once; presets; includes."""

from pathlib import Path

import pytest

from hilctl import rig, rig_file
from hilctl.params import BadValues, Problem

PRESET = rig_file.find("table-500")


def problems(**changes: object) -> list[Problem]:
    with pytest.raises(BadValues) as caught:
        rig.load("table-500", changes={key.replace("__", "."): value for key, value in changes.items()})
    return caught.value.problems


@pytest.mark.parametrize("name", sorted(rig_file.presets()))
def test_every_preset_is_a_rig(name: str) -> None:
    loaded = rig.load(name)
    assert loaded.name == name
    assert loaded.settings().dt_s == 1 / loaded.tables.loop.rate_hz


REFUSED = [
    ("limits__position__max_m", 0.2, "limits.position.max_m", "within the stroke"),
    ("limits__position__min_m", 0.095, "limits.position.min_m", "below max_m"),
    ("loop__time_to_live_s", 0.05, "loop.time_to_live_s", "crosses the margin"),
    ("loop__time_to_live_s", 0.0015, "loop.time_to_live_s", "two ticks"),
    ("limits__velocity__max_m_s", 2.0, "limits.velocity.max_m_s", "no-load speed"),
    ("machine__m", -1, "machine.m", "must be 1 to"),
    ("machine__m", "heavy", "machine.m", "must be a number"),
    ("machine__mass", 500, "machine.mass", "no such key"),
    ("machine__Vt", 5e-4, "machine.Vt", "swept volume"),
    ("machine__Ps_low", 3e7, "machine.Ps_low", "must not exceed Ps"),
    ("frction__fc", 1.0, "frction", "no such table"),
    ("friction__model", "lugr", "friction.model", "must be one of"),
    ("friction__fs", 100.0, "friction.fs", ""),
    ("driver__name", "modbuss", "driver.name", "no driver"),
    ("service__bind", "0.0.0.0", "service.bind", "loopback"),
    ("rig__name", "a/b", "rig.name", "letters"),
    ("schema", 2, "schema", "must be 1"),
    ("sensors__displacement__delay_s", 0.02, "", ""),
    ("twin__machine__m", -4, "twin.machine.m", "must be"),
    ("machine__wv", 11.0, "machine.wv", "ticks ahead"),
]


@pytest.mark.parametrize(("key", "value", "named", "said"), REFUSED)
def test_a_bad_value_is_refused_with_its_key_and_bound(key: str, value: object, named: str, said: str) -> None:
    if not named:
        rig.load("table-500", changes={key.replace("__", "."): value})  # 20 ticks: allowed at 1 kHz
        return
    found = [p for p in problems(**{key: value}) if p.key == named]
    assert found, [str(p) for p in problems(**{key: value})]
    assert said in str(found[0])


def test_an_overlap_of_both_sides_that_contradicts_one_of_them_is_refused() -> None:
    (found,) = problems(machine__dead_band=0.02, machine__overlap_a=0.03)
    assert (found.key, found.value) == ("machine.dead_band", 0.02)
    assert "contradicts overlap_a = 0.03 and overlap_b = 0" in str(found)
    alike = {"machine.dead_band": 0.02, "machine.overlap_a": 0.02}
    assert rig.load("table-500", changes=alike).tables.machine.overlaps == (0.02, 0.02)
    one = rig.load("table-500", changes={"machine.overlap_b": 0.02}).tables.machine
    assert one.overlaps == (0.0, 0.02)


def test_all_problems_of_all_tables_are_told_at_once() -> None:
    keys = {p.key for p in problems(machine__m=-1, law__three_state__kd=1, friction__fs=1.0, driver__name="nil", x=1)}
    assert keys >= {"machine.m", "law.three_state.kd", "friction.fs", "driver.name", "x"}


def test_an_included_file_wins_over_the_file_that_includes_it(tmp_path: Path) -> None:
    (tmp_path / "identified.toml").write_text("[machine]\nm = 512.0\n")
    main = tmp_path / "mine.toml"
    main.write_text('include = ["identified.toml"]\n' + PRESET.read_text())
    loaded = rig.load(main)
    assert loaded.tables.machine.m == 512.0
    assert loaded.tables.machine.A == 3e-3
    assert "512" in loaded.text


def test_a_file_that_includes_itself_is_refused(tmp_path: Path) -> None:
    main = tmp_path / "mine.toml"
    main.write_text('include = ["mine.toml"]\n' + PRESET.read_text())
    with pytest.raises(BadValues, match="includes itself"):
        rig.load(main)


def test_a_file_is_laid_over_its_base_and_says_only_what_differs(tmp_path: Path) -> None:
    (tmp_path / "identified.toml").write_text("[machine]\nm = 512.0\n")
    main = tmp_path / "mine.toml"
    own = '[rig]\nname = "mine"\n[machine]\nm = 505.0\nA = 2e-3\n'
    main.write_text(f'base = "{PRESET}"\ninclude = ["identified.toml"]\n{own}')
    loaded = rig.load(main)
    assert (loaded.name, loaded.tables.machine.m, loaded.tables.machine.A) == ("mine", 512.0, 2e-3)
    assert loaded.tables.machine.stroke_m == 0.1
    assert [file.path.name for file in loaded.files] == ["mine.toml", PRESET.name, "identified.toml"]
    main.write_text('base = "mine.toml"\n')
    with pytest.raises(BadValues, match="includes itself"):
        rig.load(main)
    main.write_text("base = 3\n")
    with pytest.raises(BadValues, match="must be a file name, or the name of a preset"):
        rig.load(main)


def test_a_base_is_a_file_beside_it_or_else_a_preset(tmp_path: Path) -> None:
    main = tmp_path / "mine.toml"
    main.write_text('base = "table-500-modbus"\n[rig]\nname = "mine"\n[machine]\nm = 505.0\n')
    loaded = rig.load(main)
    assert (loaded.name, loaded.tables.machine.m, loaded.driver) == ("mine", 505.0, "modbus")
    assert [file.path.name for file in loaded.files] == ["mine.toml", "table-500-modbus.toml", "table-500.toml"]
    assert rig_file.read_tree(main)["machine"]["stroke_m"] == 0.1
    (tmp_path / "table-500-modbus").mkdir()  # no rig file
    assert rig.load(main).driver == "modbus"
    (tmp_path / "table-500-modbus").rmdir()
    (tmp_path / "table-500-modbus").write_text('base = "table-500"\n[machine]\nA = 2e-3\n')
    assert (rig.load(main).driver, rig.load(main).tables.machine.A) == ("twin", 2e-3)


def test_a_base_that_is_neither_names_both_and_the_nearest(tmp_path: Path) -> None:
    main = tmp_path / "mine.toml"
    main.write_text('base = "table-50"\n')
    with pytest.raises(BadValues) as caught:
        rig.load(main)
    said = str(caught.value)
    assert f"base: 'table-50' refused, neither a file ({tmp_path / 'table-50'}) nor a preset" in said
    assert "table-500" in said
    main.write_text('base = "gone/mine.toml"\n')
    with pytest.raises(BadValues, match="neither a file"):
        rig.load(main)


def test_what_is_not_toml_is_told_with_its_line(tmp_path: Path) -> None:
    main = tmp_path / "mine.toml"
    main.write_text("schema = 1\n[rig\n")
    with pytest.raises(BadValues, match="line 2"):
        rig.load(main)


def test_an_unknown_rig_names_the_nearest_preset() -> None:
    with pytest.raises(BadValues, match="table-500"):
        rig.load("table-50")


def test_the_twin_is_nominal_where_nothing_else_is_said() -> None:
    loaded = rig.load("table-500", twin=True, changes={"twin.machine.m": 530.0})
    assert loaded.driver_config.machine.m == 530.0
    assert loaded.driver_config.machine.A == loaded.tables.machine.A
    assert loaded.tables.machine.m == 500.0
    assert loaded.driver_config.friction.fs == loaded.friction.params.fs


def test_the_digest_changes_with_any_value() -> None:
    assert rig.load("table-500").digest != rig.load("table-500", changes={"machine.m": 501.0}).digest
