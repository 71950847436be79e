"""docs/cli.md's verbs, from the declarations of their arguments. `python -m tests.documents` writes them."""

import argparse
from collections.abc import Iterator

from hilctl.cli.main import parser_for
from hilctl.cli.verbs import GROUPS, VERBS, examples_for


def verbs() -> str:
    """Every verb by its group, with what it does, its arguments and examples."""
    parts = []
    for group, meaning in GROUPS.items():
        parts.append(f"## {meaning[0].upper()}{meaning[1:]}")
        parts += [_verb(name) for name, verb in VERBS.items() if verb.group == group]
    return "\n\n".join(parts)


def _verb(name: str) -> str:
    (below,) = (a for a in parser_for([name])._actions if isinstance(a, argparse._SubParsersAction))
    return "\n\n".join(_parser(below.choices[name], "###"))


def _parser(parser: argparse.ArgumentParser, heading: str) -> Iterator[str]:
    yield f"{heading} {parser.prog}"
    if parser.description:
        yield _plain(parser.description)
    rows, within = [], []
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            within += list(dict.fromkeys(action.choices.values()))
        elif action.help != argparse.SUPPRESS and not isinstance(action, argparse._HelpAction):
            rows.append(f"| {_written(action)} | {_meaning(action)} |")
    if rows:
        yield "\n".join(["| argument | meaning |", "|---|---|", *rows])
    examples = examples_for(parser.prog)
    if examples and not within:
        yield "\n".join(f"    {one}" for one in examples)
    for one in within:
        yield from _parser(one, "####")


def _written(action: argparse.Action) -> str:
    """As a person writes it."""
    value = "" if action.nargs == 0 else _value(action)
    names = action.option_strings or [value]
    return ", ".join(f"`{f'{name} {value}' if action.option_strings and value else name}`" for name in names)


def _value(action: argparse.Action) -> str:
    name = action.metavar
    if isinstance(name, tuple):
        return " ".join(map(str, name))
    if name is None and action.choices is not None:
        name = "{" + ",".join(map(str, action.choices)) + "}"
    name = str(name or (action.dest.upper() if action.option_strings else action.dest))
    return {"*": f"[{name} …]", "+": f"{name} …", "?": f"[{name}]"}.get(str(action.nargs), name)


def _meaning(action: argparse.Action) -> str:
    text = _plain(str(action.help or "").replace("%%", "%"))
    return f"{text} (required)" if action.option_strings and action.required else text


def _plain(text: str) -> str:
    """On one line, for a cell of a table."""
    return " ".join(text.split()).replace("|", "\\|").replace("<", "\\<").replace("*", "\\*")
