"""argparse, with answers that name the argument, the value, what is allowed, and an example that works."""

import argparse
import re
import sys
import textwrap
from collections.abc import Sequence
from typing import Any, NoReturn

from hilctl.cli.arguments import real, whole
from hilctl.cli.verbs import examples_for
from hilctl.errors import WRONG_USE

_MISSING = re.compile(r"the following arguments are required: (.*)")
_WIDTH = 100


class Parser(argparse.ArgumentParser):
    """Whole options only; -1e-3 is a number; wrong use ends with exit code 2."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        named.setdefault("allow_abbrev", False)
        named.setdefault("formatter_class", argparse.RawDescriptionHelpFormatter)
        if named.get("description"):
            named["description"] = textwrap.fill(named["description"], _WIDTH)
        super().__init__(*arguments, **named)
        self._negative_number_matcher = re.compile(r"^-\.?\d")
        self.rest = ""  # of the namespace: all words after `--`, for another command
        self.register("type", float, real)
        self.register("type", int, whole)
        if self.epilog is None:
            self.epilog = "examples:\n" + "\n".join(f"  {one}" for one in examples_for(self.prog))

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """A word that is left over is an error here, where its nearest option is known."""
        words, after = list(sys.argv[1:] if args is None else args), []
        if self.rest and "--" in words:
            at = words.index("--")
            words, after = words[:at], words[at + 1 :]
        found, rest = super().parse_known_args(words, namespace)
        if self.rest:
            setattr(found, self.rest, after)
        if rest:
            self.error(self._unknown(rest[0]))
        return found, rest

    def beside(self, given: argparse.Namespace, taken: Sequence[str]) -> list[str]:
        """What was given besides these: arguments as a person writes them."""
        return [_name(one) for one in self._actions if one.dest not in taken and hasattr(given, one.dest)
                and getattr(given, one.dest) != one.default]  # fmt: skip

    def _unknown(self, word: str) -> str:
        from hilctl.params import nearest

        if not word.startswith("-"):
            return f"{word!r} is one argument too many"
        hidden = {name for a in self._actions if a.help == argparse.SUPPRESS for name in a.option_strings}
        known = [name for name in self._option_string_actions if name.startswith("--") and name not in hidden]
        return f"no option {word}; {nearest(word, tuple(known))}"

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """argparse's own answer lists all choices; the nearest one comes first."""
        choices = [str(choice) for choice in action.choices or ()]
        if choices and str(value) not in choices:
            from hilctl.params import nearest

            self.error(f"{_name(action)}: no {value!r}; {nearest(str(value), tuple(choices))}")
        super()._check_value(action, value)

    def error(self, message: str) -> NoReturn:
        """What is wrong, an example, and where more stands."""
        missing = _MISSING.fullmatch(message)
        if missing:
            message = "; ".join(f"{name} is missing{self._meaning(name)}" for name in missing[1].split(", "))
        message = message.removeprefix("argument ")
        example = f"example: {examples_for(self.prog)[0]}; more: {self.prog} --help"
        self.exit(WRONG_USE, f"{self.prog}: {message}\n        {example}\n")

    def _meaning(self, name: str) -> str:
        texts = [a.help for a in self._actions if _name(a) == name and a.help]
        return f" ({texts[0]})" if texts else ""


def _name(action: argparse.Action) -> str:
    """As a person writes it."""
    if action.option_strings:
        return "/".join(action.option_strings)
    return action.metavar if isinstance(action.metavar, str) else action.dest


__all__: Sequence[str] = ("Parser",)
