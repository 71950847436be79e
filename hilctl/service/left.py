"""What a run left whose service died: the black box that its core saved, packed into a recording by the next start."""

import logging
import pickle
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from hilctl import __version__
from hilctl.errors import HilctlError
from hilctl.loop.box import SUFFIX as SAVED
from hilctl.loop.box import WIDTH, Box, saved
from hilctl.loop.intake import IntakeKind
from hilctl.recording.layout import Event, Header, Known, Taken
from hilctl.service.black_box import box_path
from hilctl.service.filing import header_of
from hilctl.service.service import Service
from hilctl.service.tasks import Result, Task, finished
from hilctl.service.watch import Watch
from hilctl.signals import NAMES, Action, Trip
from hilctl.trips import TRIP_TEXTS
from hilctl.wire import places

log = logging.getLogger(__name__)

FOLDER = "left"  # in the rig's state directory
_EVENTS = 300  # the newest
_PIECE = 1 << 14  # rows


class OfAnotherVersion(HilctlError):
    """A black box that this version cannot pack. The message says which one can."""

    def __init__(self, file: Path, version: str, why: str) -> None:
        remedy = f"start hilctl {version} once on this rig, which packs it, or delete the file"
        super().__init__(f"{file} was left by hilctl {version}, this is {__version__}: {why}", remedy=remedy)


def tell_story(s: Service, box: Box) -> None:
    """What the next start must know of this run, should this service not be there any more."""
    known = s.inputs.states_from(max(s.core.history.end - box.capacity, 0))
    header = header_of(s, known[0] if known else None, always=False)
    taken = s.inputs.since(known[0].taken) if known else []
    events = s.events.since(max(0, s.events.next - _EVENTS))
    plain = [tuple(one) for one in known], [tuple(one) for one in taken], [tuple(one) for one in events]
    box.tell(pickle.dumps((header._asdict(), *plain)))


def pack_left(s: Service) -> Task[Result]:
    """Everything that earlier runs of this rig left; what cannot be read stays where it is."""
    thread = ThreadPoolExecutor(1, "left")
    for file in sorted((places.state_root() / s.rig.name / FOLDER).glob(f"*{SAVED}")):
        path = box_path(s.places.recordings)
        try:
            with s.writing(path, "an earlier run left it as its black box; `black_box` reports it"):
                rows, trip = yield from finished(thread.submit(_pack, file, path, s.identity.schema))
            s.tell("black_box", path=str(path), trip=trip, rows=rows, left_by=file.stem)
        except Exception as error:  # a file that is spoilt may raise anything
            why = error.text if isinstance(error, HilctlError) else f"{type(error).__name__}: {error}"
            s.tell("black_box_failed", path=str(file), trip="", reason=why)
    thread.shutdown(wait=False)
    return {}


def _pack(file: Path, path: Path, schema: str) -> tuple[int, str]:
    from hilctl.recording.writer import Writer

    facts, story, parts = saved(file)
    fields, known, taken, events = pickle.loads(story)
    version = facts.get("hilctl", "of an older version")
    if (fields.get("schema"), facts["width"]) != (schema, WIDTH):
        raise OfAnotherVersion(file, version, "its channels are not those of this version")
    if fields.keys() - set(Header._fields):
        raise OfAnotherVersion(file, version, "it holds more of its run than this version knows")
    trip = Trip(facts["trip"])
    header = Header(**fields)
    path.parent.mkdir(parents=True, exist_ok=True)
    writer = Writer(path, header, parts[0][0])
    watch, followed, rows = Watch(header.rate_hz), list[dict[str, Any]](), 0
    for first, words in parts:
        for at in range(0, len(words), _PIECE):
            piece = np.ascontiguousarray(words[at : at + _PIECE])
            writer.write([(first + at, piece)], [], [])
            rows += len(piece)
            seen = watch.look(first + at, np.ascontiguousarray(piece[:, : len(NAMES)]))
            followed += [{"kind": one.kind, "tick": one.tick, **one.body} for one in seen
                         if one.tick >= facts["trip_tick"]]  # fmt: skip
    inputs: list[Known | Taken] = [Known(*one) for one in known]
    inputs += [Taken(*one) for one in taken]
    if known and facts["taken"] > (expected := taken[-1][0] + 1 if taken else known[0][3]):
        # What the loop took last the service never heard of: there a replay ends.
        inputs.append(Taken(expected, IntakeKind.LOST.value, facts["trip_tick"], 0, 0, 0, 0.0, 0.0, b""))
    writer.write([], [Event(*one) for one in events], [], inputs)
    text = TRIP_TEXTS[trip]
    cause = {"trip": trip.name.lower(), "value": facts["trip_value"], "limit": facts["trip_limit"], "key": text.key,
             "unit": text.unit, "meaning": text.meaning,
             "action": Action(facts["trip_action"]).name.lower()}  # fmt: skip
    writer.describe_trip({"tick": facts["trip_tick"], "cause": cause, "consequences": followed, "log": [],
                          "left": "the service died; its core saved this, and the next start packed it"})  # fmt: skip
    writer.close()
    file.unlink()
    log.info("%s: packed into %s at %s", file.name, path, time.strftime("%H:%M:%S"))
    return rows, trip.name.lower()
