"""The documents say what the code says."""

import re
from pathlib import Path

import pytest

from hilctl.signals import Mode, Trip
from tests import documents

HOUSE = Path(__file__).resolve().parents[3]
DOCS = HOUSE / "docs"
_DEFINITION = re.compile(r"^( *)(class|def) (\w+)", re.MULTILINE)
PAGES = sorted([HOUSE / "README.md", *DOCS.rglob("*.md"), *(HOUSE / "deploy").rglob("*.md")])


def test_what_is_made_from_declarations_is_up_to_date():
    old = [page.name for page, text in documents.pages().items() if page.read_text(encoding="utf-8") != text]
    assert old == [], "run `python -m tests.documents`"


def _defined():
    """Every function, and every method as Class.method, of the house."""
    names = set()
    for room in ("hilctl", "firmware_bridge", "sim"):
        for path in (HOUSE / room).rglob("*.py"):
            within = ""
            for indent, kind, name in _DEFINITION.findall(path.read_text(encoding="utf-8")):
                if kind == "class":
                    within = name if not indent else within
                else:
                    names |= {name, f"{within}.{name}"} if indent else {name}
    return names


def test_every_function_that_the_architecture_names_exists():
    text = (DOCS / "architecture.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`(_?rt_\w+|[A-Z]\w+\.[a-z]\w+|[a-z]+_[a-z_]+)`", text)) - {"firmware_bridge"}
    assert len(named) > 50
    assert named - _defined() == set()


def test_every_file_that_the_architecture_names_exists():
    text = (DOCS / "architecture.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:hilctl|firmware_bridge|sim)/[\w/.]+)`", text))
    assert len(named) > 12
    assert [name for name in sorted(named) if not (HOUSE / name).exists()] == []


def test_the_architecture_names_every_room():
    text = (DOCS / "architecture.md").read_text(encoding="utf-8")
    rooms = {
        p.name for p in (HOUSE / "hilctl").iterdir() if (p.is_dir() or p.suffix == ".py") and p.name[0] not in "_p"
    }
    rooms.add("params")
    assert [room for room in sorted(rooms) if f"hilctl/{room}`" not in text] == []


def test_the_safety_page_has_every_mode_and_every_trip():
    text = (DOCS / "safety.md").read_text(encoding="utf-8")
    assert [m.name for m in Mode if f"\n| `{m.name.lower()}` |" not in text] == []
    assert [t.name for t in Trip if t is not Trip.NONE and f"| {t.value} | `{t.name.lower()}` |" not in text] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(HOUSE)))
def test_no_link_of_a_page_is_dead(page):
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    targets = re.findall(r"\]\(([^)\s]+)\)", text)
    dead = [t for t in targets if not t.startswith(("http", "#")) and not (page.parent / t.split("#")[0]).exists()]
    assert dead == []


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(HOUSE)))
def test_every_verb_that_a_page_names_is_one(page):
    from hilctl.cli.main import VERBS

    text = page.read_text(encoding="utf-8")
    named = set(re.findall(r"(?:`|^ {4}|^\$ |\n)hilctl ([a-z][a-z-]+)", text))
    assert named - set(VERBS) == set()


def test_the_index_names_every_page():
    index = (DOCS / "README.md").read_text(encoding="utf-8")
    pages = [p.relative_to(DOCS) for p in DOCS.rglob("*.md") if p.name != "README.md"]
    assert [str(p) for p in pages if f"]({p})" not in index] == []


def test_the_protocol_names_every_kind_of_event():
    sources = [*(HOUSE / "hilctl" / "service").glob("*.py"), HOUSE / "hilctl" / "loop" / "keeper.py"]
    text = "\n".join(path.read_text(encoding="utf-8") for path in sources)
    kinds = set(re.findall(r"(?:\.tell|Seen|\.event)\(\s*\"(\w+)\"", text)) | {"core_gone", "core_ended"}
    assert {"set", "restored", "mode", "link_lost"} <= kinds
    row = re.search(r"^\| `event` .*$", (DOCS / "protocol.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert row is not None
    assert {kind for kind in kinds if f"`{kind}`" not in row[0]} == set()
