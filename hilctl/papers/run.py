"""Runs a case and writes its page and the JSON twin of it."""

import json
from pathlib import Path
from typing import NamedTuple

import msgspec

from hilctl.errors import HilctlError
from hilctl.papers.declaration import Case, Page, Tell, changed, page_of, same_words
from hilctl.papers.page import page
from hilctl.params.finite import finite
from hilctl.report.document import save


class Written(NamedTuple):
    """A case that was run."""

    page: Page
    files: tuple[Path, ...]
    without: str  # why there are no figures, where there are none


class Incomplete(HilctlError):
    """A case gave no row for a result of its paper, or a row that differs without a reason."""


class NotKept(HilctlError):
    """There is no stored page, or it cannot be read."""


def run(case: Case, folder: Path, tell: Tell = lambda text: None) -> Written:
    """Into this folder: NAME.html and NAME.json. Incomplete if a result of the paper has no row."""
    outcome = case.run(tell)
    made = page_of(case, outcome)
    tell("writing the page")
    text, without = page(made, outcome.drawings)
    files = (save(text, folder / f"{case.name}.html"), save(stored(made), folder / f"{case.name}.json"))
    if made.faults:
        raise Incomplete(f"{files[0]}: {'; '.join(made.faults)}")
    return Written(made, files, without)


def keep(made: Page, folder: Path) -> bool:
    """Into the folder, unless the page that is kept there says the same; whether it was written."""
    place = folder / f"{made.paper}.json"
    if place.exists() and not changed(kept := read(place), made) and same_words(kept, made):
        return False
    save(stored(made), place)
    return True


def stored(made: Page) -> str:
    """As a file holds it."""
    return json.dumps(finite(made.told()), indent=1, ensure_ascii=False) + "\n"


def read(place: Path) -> Page:
    """What `stored` wrote; NotKept if the file is missing or holds something else."""
    try:
        return msgspec.json.decode(place.read_bytes(), type=Page)
    except FileNotFoundError:
        raise NotKept(f"{place}: no such page; `make pages` writes it") from None
    except msgspec.DecodeError as error:
        raise NotKept(f"{place} cannot be read: {error}; `make pages` writes it again") from None
