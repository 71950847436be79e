"""Every command that a page shows is one: the verb exists, its arguments parse, files and tests that it names exist."""

import argparse
import ast
import re
import shlex
from pathlib import Path

import pytest

HOUSE = Path(__file__).resolve().parents[3]
PAGES = sorted([HOUSE / "README.md", *(HOUSE / "docs").rglob("*.md"), *(HOUSE / "deploy").rglob("*.md")])
PAGES.remove(HOUSE / "docs" / "cli.md")  # its examples are those of the verbs, which tests/unit/cli parses
PROMISES = HOUSE / "docs" / "promises.md"
_LINE = re.compile(r"^(?: {4,}|\$ )((?:hilctl|pytest|make) .*)$", re.MULTILINE)
_CELL = re.compile(r"`((?:hilctl|pytest|make) [^`]+)`")


def shown(page: Path) -> list[str]:
    """The commands of a page: lines of its blocks, without comment and `&`; on the page of promises its cells too."""
    text = re.sub(r" *\\\n *", " ", page.read_text(encoding="utf-8"))
    found = [re.split(r"\s{2,}|\s#|\s&|\s;|\s\||\s>", line)[0].strip() for line in _LINE.findall(text)]
    return found + (_CELL.findall(text) if page == PROMISES else [])


COMMANDS = sorted({(page, command) for page in PAGES for command in shown(page)})


def inline() -> dict[str, list[tuple[str, str]]]:
    """By verb, the options that stand beside it in a sentence's `hilctl VERB …`, and where."""
    found: dict[str, list[tuple[str, str]]] = {}
    for page in PAGES:
        for span in re.findall(r"`hilctl\s([^`]+)`", page.read_text(encoding="utf-8")):
            verb, *words = span.split()
            found.setdefault(verb, []).extend((page.name, word) for word in words if word.startswith("--"))
    return {verb: options for verb, options in found.items() if options}


INLINE = inline()


def of(program: str) -> list[object]:
    """By page, the words of its commands."""
    found: dict[Path, list[list[str]]] = {}
    for page, command in COMMANDS:
        if command.split()[0] == program and not re.search(r"…|─| NAME\b", command):
            found.setdefault(page, []).append(shlex.split(command)[1:])
    return [pytest.param(commands, id=str(page.relative_to(HOUSE))) for page, commands in found.items()]


@pytest.mark.parametrize("commands", of("hilctl"))
def test_commands_of_ours_parse(commands):
    from hilctl.cli.main import parser_for

    for words in commands:
        assert parser_for(words).parse_args(words).do, words


def options(parser: argparse.ArgumentParser) -> set[str]:
    """Of a verb and of all below it."""
    found: set[str] = set()
    for action in parser._actions:
        found |= set(action.option_strings)
        if isinstance(action, argparse._SubParsersAction):
            found |= {option for below in action.choices.values() for option in options(below)}
    return found


@pytest.mark.parametrize("verb", sorted(INLINE))
def test_options_that_a_sentence_names_exist(verb):
    from hilctl.cli.main import parser_for

    known = options(parser_for([verb]))
    assert [f"{where}: {option}" for where, option in INLINE[verb] if option not in known] == []


@pytest.mark.parametrize("commands", of("pytest"))
def test_commands_of_pytest_name_a_file_and_a_test_in_it(commands):
    for words in commands:
        (path,) = (word for word in words if word.startswith("tests/"))
        tree = ast.parse((HOUSE / path).read_text(encoding="utf-8"))
        tests = [f.name for f in ast.walk(tree) if isinstance(f, ast.FunctionDef) and f.name.startswith("test_")]
        assert tests, words
        wanted = words[words.index("-k") + 1].split(" or ") if "-k" in words else []
        assert [part for part in wanted if not any(part in test for test in tests)] == [], words


@pytest.mark.parametrize("commands", of("make"))
def test_commands_of_make_name_a_target(commands):
    targets = re.search(r"^\.PHONY: (.*)$", (HOUSE / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert targets is not None
    assert {words[0] for words in commands} <= set(targets[1].split())


def test_every_promise_has_a_command():
    rows = [line for line in PROMISES.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    rows = [row for row in rows if not row.startswith("| promise |")]
    assert len(rows) >= 20
    assert [row for row in rows if not _CELL.search(row.rsplit(" | ", 1)[1])] == []
