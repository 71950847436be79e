"""What breaks away cannot be less than what slides, in either direction."""

from collections.abc import Iterator
from typing import Any

from hilctl.params import Problem


def refuse_low_breakaway(law: Any, at: str, breakaway: str, sliding: str, unit: str) -> Iterator[Problem]:
    """A problem for each direction in which the level named `breakaway` lies below the one named `sliding`."""
    most, least = getattr(law, breakaway), getattr(law, sliding)
    if most < least:
        yield Problem(f"{at}.{breakaway}", most, f"must be at least {sliding} = {least:g} {unit}")
    own_most, own_least = getattr(law.negative, breakaway), getattr(law.negative, sliding)
    if own_most is None and own_least is None:
        return
    remedy = "what [negative] leaves out is as in the positive direction"
    if own_most is None:
        if most < own_least:
            limit = f"must be at most {breakaway} = {most:g} {unit}"
            yield Problem(f"{at}.negative.{sliding}", own_least, limit, remedy)
    elif own_most < (other := least if own_least is None else own_least):
        limit = f"must be at least {sliding} = {other:g} {unit}"
        yield Problem(f"{at}.negative.{breakaway}", own_most, limit, remedy)
