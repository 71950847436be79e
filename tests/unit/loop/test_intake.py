"""What the loop took in is noted for the service, in order; what finds no place is counted."""

import pytest

from hilctl.loop import layout
from hilctl.loop.intake import IntakeKind, rt_note
from hilctl.loop.layout import INTAKE_SLOTS, INTAKES
from hilctl.loop.ring import LOST, READ, WRITTEN
from tests.unit.loop.given import Shared

pytestmark = pytest.mark.usefixtures("forms")


def note(rig, id=7):
    rt_note(rig.memory, rig.words, rig.loop, IntakeKind.END.value, id, 3, 0.25, 0.5)


@pytest.mark.parametrize("between", [0, 1])
def test_an_entry_holds_what_was_taken_and_when(between):
    rig = Shared()
    rig.loop.status.tick, rig.loop.between = 4711, between
    rig.words[INTAKES + WRITTEN] = rig.words[INTAKES + READ] = INTAKE_SLOTS + 2
    note(rig)
    entry = layout.intakes.of(rig.memory)[2]
    assert (entry.kind, entry.tick, entry.between) == (IntakeKind.END, 4711, between)
    assert (entry.id, entry.refusal, entry.value, entry.limit) == (7, 3, 0.25, 0.5)
    assert (rig.words[INTAKES + WRITTEN], rig.words[INTAKES + LOST]) == (INTAKE_SLOTS + 3, 0)


def test_where_there_is_no_place_it_is_counted_and_nothing_is_overwritten():
    rig = Shared()
    for id in range(1, INTAKE_SLOTS + 3):
        note(rig, id)
    assert (rig.words[INTAKES + WRITTEN], rig.words[INTAKES + LOST]) == (INTAKE_SLOTS, 2)
    assert [int(one.id) for one in layout.intakes.of(rig.memory)] == list(range(1, INTAKE_SLOTS + 1))
    rig.words[INTAKES + READ] = 1
    note(rig, 99)
    assert layout.intakes.of(rig.memory)[0].id == 99
