"""The glossary names what is declared; so does every page that names a key."""

import re
from pathlib import Path

import pytest

from firmware_bridge.modbus.settings import Config as Modbus
from hilctl.friction import MODELS
from hilctl.params import leaves
from hilctl.rig import Tables
from hilctl.signals import NAMES
from hilctl.wire.ops import OPS
from sim.settings import TwinConfig

HOUSE = Path(__file__).resolve().parents[3]
PAGES = sorted([HOUSE / "README.md", *(HOUSE / "docs").rglob("*.md")])
TABLES = "machine|friction|sensors|limits|loop|law|arming|service|recording|twin"
ROWS = [
    [cell.strip() for cell in line.strip("|").split(" | ")]
    for line in (HOUSE / "docs" / "words.md").read_text(encoding="utf-8").splitlines()
    if line.startswith("| ") and not line.startswith("| word |")
]


def declared() -> set[str]:
    """Every key of the rig file, and every table of it, as they stand there."""
    friction = {f"friction.{leaf.path}" for model in MODELS.values() for leaf in leaves(model.Params)}
    whole = {leaf.path for leaf in leaves(Tables)} | friction | {"friction.model", "driver.name", "rig.name"}
    whole |= {leaf.path for leaf in leaves(TwinConfig, "twin")}
    whole |= {f"twin.{key}" for key in whole if key.startswith(("machine.", "friction."))}
    whole |= {f"driver.{leaf.path}" for leaf in leaves(Modbus)}
    parts = (key.split(".") for key in whole)
    return {".".join(part[:k]) for part in parts for k in range(1, len(part) + 1)}


KEYS = declared()
KNOWN = {"channel": set(NAMES), "key": KEYS, "op": set(OPS)}


def test_the_glossary_has_a_row_of_three_for_each_word_once():
    assert 20 <= len(ROWS) <= 35
    assert [row for row in ROWS if len(row) != 3 or not all(row)] == []
    assert len({row[0] for row in ROWS}) == len(ROWS)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_the_channels_keys_and_operations_of_the_glossary_exist(row):
    if row[2] == "(reports)":
        return
    for part in row[2].split("; "):
        kind, names = part.split(" ", 1)
        named = re.findall(r"`([^`]+)`", names)
        assert named
        assert [name for name in named if name not in KNOWN[kind.removesuffix("s")]] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_keys_that_a_page_names_are_declared(page):
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    named = re.findall(rf"`((?:{TABLES})\.[\w.]*\w)`", text)
    assert [key for key in named if key not in KEYS and not re.search(r"\.([A-Z]{3,}|json)(\b|_)", key)] == []
