"""What was set, kept in a file that the rig file includes: the next start has the same settings, to the bit."""

from pathlib import Path
from typing import Any

import pytest

from hilctl import rig, rig_file
from hilctl.service.included import included_text, to_keep
from hilctl.service.store import Author, Set, Store

LUGRE = {"friction.model": "lugre", "friction.s0": 1e8, "friction.s1": 1e5}


@pytest.fixture
def main(tmp_path: Path) -> Path:
    """A rig file that includes what is not there yet."""
    path = tmp_path / "mine.toml"
    text = rig_file.find("table-500").read_text()
    path.write_text(text.replace('model = "karnopp"', 'model = "karnopp"\nnegative = { fc = 250.0, fs = 3000.0 }'))
    return path


def started(main: Path) -> Store:
    return Store(rig.load(main, twin=True))


def save(store: Store, main: Path, name: str = "identified.toml") -> str:
    target = (main.parent / name).resolve()
    old = next((file for file in store.file.files[1:] if file.path == target), None)
    text = included_text(store, "a run", old)
    target.write_text(text)
    if old is None:
        main.write_text(f'include = ["{name}"]\n' + main.read_text())
    return text


def same(store: Store, main: Path) -> None:
    again = rig.load(main, twin=True)
    assert again.settings(7).tobytes() == store.record(Set(store.rig, 7, ())).tobytes()


SETS: list[dict[str, Any]] = [
    {"friction.fc": 301.5},
    {"friction.negative.fs": 2900.0, "machine.m": 511.25},
    {"friction.negative.fc": None},  # the rig file's must go, and TOML knows no null
    LUGRE,
    {**LUGRE, "friction.sigma": 3000.0, "machine.beta": 8.25e8, "law.valve.dither": -0.0},
    {"friction.model": "gms", "friction.alpha": [0.25, 0.75], "friction.k": [5e7, 4e7]},
    {"law.feedback": "pid", "sensors.acceleration.offset": 1e-5},
]


@pytest.mark.parametrize("values", SETS)
def test_the_next_start_has_the_same_settings(main: Path, values: dict[str, Any]) -> None:
    store = started(main)
    store.adopt(store.propose(values))
    assert store.record(Set(store.rig, 7, ())).tobytes() != rig.load(main, twin=True).settings(7).tobytes()
    save(store, main)
    same(store, main)
    assert not Store(rig.load(main)).differs()[1:]


def test_a_second_run_keeps_what_the_first_has_saved(main: Path) -> None:
    store = started(main)
    store.adopt(store.propose({**LUGRE, "machine.m": 505.0}), Author("alice", "campaign 1"))
    save(store, main)
    store = started(main)
    store.adopt(store.propose({"friction.s0": 9e7, "machine.m": 500.0}), Author("bob", "campaign 2"))
    text = save(store, main)
    same(store, main)
    assert "campaign 1" in text and "campaign 2" in text
    store = started(main)
    store.adopt(store.propose({"friction.model": "stribeck"}))  # and from a file that names a model to another model
    save(store, main)
    same(store, main)


def test_saving_twice_says_the_same(main: Path) -> None:
    store = started(main)
    store.adopt(store.propose(LUGRE))
    assert included_text(store, "r", None, 0.0) == included_text(store, "r", None, 0.0)
    store.adopt(store.back())
    assert not to_keep(store)


def test_only_what_differs_is_said_with_what_stood_there_who_and_why(main: Path) -> None:
    store = started(main)
    author = Author("a client", "campaign 9, fit 1", 0, 0)
    store.adopt(store.propose({"machine.m": 505.0, "friction.fc": 290.0}), author)
    store.adopt(store.propose({"friction.fc": 287.0, "law.blend_s": 0.5}))
    text = included_text(store, "a run", None)
    assert to_keep(store) == {"machine.m": 505.0}
    assert "m = 505.0  # epoch 2, before: 500.0" in text
    assert "# set 1970-01-01 00:00:00 UTC by a client, epoch 2: campaign 9, fit 1" in text
    assert "table-500" in text and "epoch 3 of run a run" in text


def test_a_friction_that_names_its_model_replaces_the_whole_table(main: Path) -> None:
    (main.parent / "other.toml").write_text('[friction]\nmodel = "coulomb"\nfc = 100.0\n')
    main.write_text('include = ["other.toml"]\n' + main.read_text())
    friction = rig.load(main).friction
    assert (friction.model, friction.table()["negative"]) == ("coulomb", {"fc": None})
