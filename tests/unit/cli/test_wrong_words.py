"""Every verb with every wrong word: exit code 2, the argument named, what is allowed, and an example; no traceback.

The rows are made from the parsers themselves: a new verb or argument is tested without a word here.
"""

import argparse
import shlex
from itertools import product

import pytest

from hilctl.cli.main import main, parser_for
from hilctl.cli.verbs import GROUPS, VERBS, overview
from hilctl.errors import DONE, RIG_SAID_NO, WRONG_USE
from hilctl.results.commissioned import Commissioned
from hilctl.results.stored import as_json


def _children(parser):
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            return dict(action.choices)
    return {}


def _leaves():
    """Every command with its parser: `move`, `track sine`, `identify plant`."""
    found = []
    for verb in VERBS:
        parser = _children(parser_for([verb]))[verb]
        below = _children(parser)
        found += [((verb, kind), part) for kind, part in below.items()] if below else [((verb,), parser)]
    return found


LEAVES = _leaves()
IDS = [" ".join(words) for words, _ in LEAVES]
POSITIONAL = [
    (words, a) for words, parser in LEAVES for a in parser._actions
    if not a.option_strings and a.nargs not in ("?", "*")
]  # fmt: skip


def filled(words, parser):
    """The command with a good value for every required word."""
    if words == ("wait",):
        return ["wait", "1"]
    needed = [a for a in parser._actions if not a.option_strings and a.nargs not in ("?", "*")]
    return [*words, *(str(next(iter(a.choices))) if a.choices else "1" if a.type else "name" for a in needed)]


def refused(capsys, *words, says=()):
    assert main(list(words)) == WRONG_USE
    said = capsys.readouterr()
    assert not said.out
    assert "Traceback" not in said.err
    assert said.err.startswith("hilctl")
    for part in says:
        assert part in said.err, said.err
    return said.err


def test_there_is_much_to_try():
    assert len(LEAVES) > 30
    assert sum(a.type is not None for _, parser in LEAVES for a in parser._actions) > 60


@pytest.mark.parametrize(("words", "parser"), LEAVES, ids=IDS)
def test_an_option_that_there_is_not_is_named_with_the_nearest_and_an_example(words, parser, capsys):
    said = refused(capsys, *filled(words, parser), "--helpp", says=("--helpp", "--help", "example: hilctl "))
    assert said.splitlines()[0].startswith(f"hilctl {words[0]}")


COUNTED = [
    (words, parser) for words, parser in LEAVES
    if words != ("wait",) and not any(a.nargs in ("*", "+") and not a.option_strings for a in parser._actions)
]  # fmt: skip


@pytest.mark.parametrize(("words", "parser"), COUNTED, ids=[" ".join(words) for words, _ in COUNTED])
def test_a_word_too_many_is_named(words, parser, capsys):
    optional = ["x" for a in parser._actions if a.nargs == "?" and not a.option_strings]
    refused(capsys, *filled(words, parser), *optional, "surplus", says=("surplus",))


@pytest.mark.parametrize(("words", "action"), POSITIONAL, ids=lambda x: " ".join(x) if isinstance(x, tuple) else x.dest)
def test_a_word_that_is_missing_is_named(words, action, capsys):
    refused(capsys, *words, says=(action.metavar or action.dest, "is missing", "example: "))


@pytest.mark.parametrize(("words", "parser"), LEAVES, ids=IDS)
def test_an_option_without_its_value_is_named(words, parser, capsys):
    for option in (a.option_strings[0] for a in parser._actions if a.option_strings and a.nargs is None):
        refused(capsys, *filled(words, parser), option, says=(option, "example: "))


@pytest.mark.parametrize(("words", "parser"), LEAVES, ids=IDS)
def test_a_value_that_is_no_number_or_out_of_bounds_is_named_with_its_bounds(words, parser, capsys):
    for action, value in product((a for a in parser._actions if a.type), ("abc", "nan", "1e30", "-1e30")):
        name, *_ = action.option_strings or [action.metavar]
        before = [*filled(words, parser), name] if action.option_strings else words
        refused(capsys, *before, value, says=(name, value, "refused", "must be", " to "))


CHOICES = [(words, a) for words, parser in LEAVES for a in parser._actions if a.choices]


@pytest.mark.parametrize(("words", "action"), CHOICES, ids=lambda x: " ".join(x) if isinstance(x, tuple) else x.dest)
def test_a_choice_that_there_is_not_comes_with_the_nearest(words, action, capsys):
    near = f"{next(iter(action.choices))}x"
    head = [*filled(words, dict(LEAVES)[words]), action.option_strings[0]] if action.option_strings else [*words]
    refused(capsys, *head, near, says=(near, "did you mean"))


@pytest.mark.parametrize("verb", [v for v in VERBS if _children(_children(parser_for([v]))[v])])
def test_a_kind_that_is_missing_or_misspelt_is_named(verb, capsys):
    refused(capsys, verb, says=("is missing", "example: "))
    kind = next(iter(_children(_children(parser_for([verb]))[verb])))
    refused(capsys, verb, f"{kind[:-1]}", says=(f"did you mean {kind!r}",))


CONNECTS = [
    (words, parser)
    for words, parser in LEAVES
    if any(a.dest == "connect" for a in parser._actions) and words != ("panel",)  # its page waits for a service
]


@pytest.mark.parametrize(("words", "parser"), CONNECTS, ids=[" ".join(words) for words, _ in CONNECTS])
def test_without_a_service_every_verb_says_how_to_start_one(words, parser, capsys, tmp_path, monkeypatch):
    line = filled(words, parser)
    if words[0] == "tune":
        line = ["tune", "table-500", "--notches"]
    elif words == ("track", "waveform"):
        line = [*words, "--uploaded", "quake"]
    elif words == ("params", "export"):
        line = [*words, "history.csv"]
    elif words == ("job", "upload"):
        (tmp_path / "shake.csv").touch()
        line = ["job", "upload", "shake.csv"]
    elif words == ("set",):
        line = ["set", "machine.m=450"]
    elif words == ("verify",):
        (tmp_path / "commission.json").write_bytes(as_json(Commissioned()))
        line = ["verify", "commission.json"]
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    monkeypatch.delenv("RUNTIME_DIRECTORY", raising=False)
    monkeypatch.chdir(tmp_path)
    assert main(line) == RIG_SAID_NO
    said = capsys.readouterr()
    assert said.err.strip().startswith("hilctl: no service runs here"), said.err
    assert "hilctl run" in said.err


def named(part):
    return " ".join(part) if isinstance(part, tuple) else part


UNWRITABLE = [
    (("commission", "table-500", "--twin"), "--out", "/proc/none/x"),
    (("commission", "table-500", "--twin"), "--json", "/proc/none/x"),
    (("verify", "out/mine", "table-500", "--twin"), "--out", "/proc/none/x"),
    (("demo",), "--out", "/proc/none/x"),
    (("demo",), "--json", "/proc/none/x"),
    (("models",), "--out", "/proc/none/x"),
    (("tune", "table-500"), "--save", "/proc/none/x"),
    (("set",), "--save", "/proc/none/x"),
    (("identify", "friction", "table-500", "--twin"), "--out", "/proc/none/x"),
    (("identify", "presliding", "table-500", "--twin"), "--out", "/proc/none/x"),
    (("identify", "plant", "table-500", "--twin"), "--out", "/proc/none/x"),
    (("identify", "dynamics", "table-500", "--twin"), "--out", "/proc/none/x"),
    (("run", "table-500", "--twin"), "--recordings", "/proc/none/x"),
    (("emulate", "serial", "table-500"), "--link", "/proc/none/x"),
    (("emulate", "modbus-tcp", "table-500"), "--at", "/proc/none/x"),
]  # fmt: skip
UNREADABLE = [
    (("commission", "table-500", "--twin"), "--history"),
    (("identify", "presliding", "table-500", "--twin"), "--curve"),
    (("identify", "dynamics"), "--record"),
    (("track", "waveform"), ""),
    (("export", "--csv"), ""),
    (("check",), ""),
    (("run",), ""),
    (("doctor",), ""),
]  # fmt: skip


@pytest.mark.parametrize(("words", "option", "place"), UNWRITABLE, ids=named)
def test_a_place_that_cannot_be_written_is_refused_before_anything_begins(words, option, place, capsys):
    refused(capsys, *words, option, place, says=(option, place, "cannot be written", "name a place"))


@pytest.mark.parametrize(("words", "option"), UNREADABLE, ids=named)
def test_a_file_that_is_not_there_is_named(words, option, capsys, tmp_path):
    missing = tmp_path / "none.csv"
    refused(capsys, *words, *([option] if option else []), str(missing), says=(option, str(missing)))


@pytest.mark.parametrize("where", ["localhost:5555", "tcp://h:99999", "tcp://h", "tcp://:80", "http://h:80"])
@pytest.mark.parametrize(("words", "parser"), CONNECTS[:3], ids=[" ".join(words) for words, _ in CONNECTS[:3]])
def test_an_address_that_is_none_is_refused(words, parser, where, capsys):
    refused(capsys, *filled(words, parser), "--connect", where, says=(where, "tcp://"))


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_stands_in_a_group_and_its_help_has_an_example_that_parses(verb, capsys):
    declared = VERBS[verb]
    assert declared.group in GROUPS
    assert f"  {verb} " in overview()
    assert declared.examples
    for example in declared.examples:
        words = shlex.split(example)
        assert words[:2] == ["hilctl", verb]
        parser_for(words[1:]).parse_args(words[1:])
    assert main([verb, "--help"]) == DONE
    told = capsys.readouterr().out
    assert declared.examples[0] in told


def test_the_help_of_a_kind_shows_an_example_of_its_own(capsys):
    for words, _ in LEAVES:
        assert main([*words, "--help"]) == DONE
        assert f"  hilctl {words[0]}" in capsys.readouterr().out.partition("examples:")[2]


def test_the_overview_groups_the_verbs_by_what_people_do(capsys):
    assert main(["--help"]) == DONE
    told = capsys.readouterr().out
    assert all(f"{title}:" in told for title in GROUPS.values())
