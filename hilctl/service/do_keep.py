"""Requests that tell who changed which parameters, and what of it a rig file should keep."""

from hilctl.params import BadValues, Problem
from hilctl.service.included import included_text, to_keep
from hilctl.service.service import Asked, Service
from hilctl.service.tasks import Result, Task, finished
from hilctl.wire.errors import Code, Refused
from hilctl.wire.ops import Arguments

_PAGE = 32  # sets


def changes(s: Service, asked: Asked, given: Arguments) -> Result:
    """The sets since the start, page by page, and what differs from the rig file."""
    wanted = [done for done in s.store.done if done.epoch >= given.args.first]
    return {
        "epoch": s.store.epoch,
        "sets": [done.plain() for done in wanted[:_PAGE]],
        "next": wanted[_PAGE].epoch if len(wanted) > _PAGE else None,
        "differs": [edit._asdict() for edit in s.store.differs()],
        "files": [str(file.path) for file in s.store.file.files],
    }


def journal(s: Service, asked: Asked, given: Arguments) -> Task[Result]:
    """Sets since the rig's first start, page by page."""
    records, next_ = yield from finished(s.journal.read(given.args.first, given.args.newest))
    return {"records": records, "next": next_, "path": str(s.journal.path), "problem": s.journal.problem}


def toml(s: Service, asked: Asked, given: Arguments) -> Result:
    """What differs, as the text of a file."""
    files, place = s.store.file.files, given.args.replaces
    if place >= len(files):
        raise BadValues([Problem("replaces", place, f"there are {len(files)} files", "`changes` lists them")])
    keys = list(to_keep(s.store))
    if not keys and not place:
        raise Refused(Code.BAD_VALUE, "nothing differs from the rig file", "toml")
    return {"text": included_text(s.store, s.identity.run, files[place] if place else None), "keys": keys}
