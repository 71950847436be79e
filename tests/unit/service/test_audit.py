"""The lines of the audit: one for each change and refusal, which nobody can forge and no flood can multiply."""

import logging

from hilctl.service.audit import Audit
from hilctl.wire.errors import Code, Refused
from hilctl.wire.roles import Role, Who

ANN = Who("key", "ann", Role.OBSERVER)


def lines(caplog):
    return [record.getMessage() for record in caplog.records]


def test_a_change_and_a_refusal_say_who(caplog):
    caplog.set_level(logging.INFO, "hilctl.audit")
    audit = Audit()
    audit.done(ANN, "panel", "set", "values={'machine.m': 5}")
    audit.refused("ann", "panel", "set", Refused(Code.NO_ROLE, "not for observers"), 0.0)
    assert lines(caplog) == [
        "done set who=ann role=observer client='panel' values={'machine.m': 5}",
        "refused set who=ann client='panel' no_role: not for observers",
    ]


def test_a_flood_is_counted_also_under_many_names(caplog):
    audit = Audit()
    for n in range(1000):
        audit.refused("127.0.0.1", f"client {n}", f"nonsense {n}", Refused(Code.NO_ACCESS, "no token"), n * 1e-4)
    audit.refused("127.0.0.1", "x", "other nonsense", Refused(Code.NO_ACCESS, "no token"), 1.5)
    assert len(lines(caplog)) == 2 and "and 999 more like it" in lines(caplog)[1]


def test_no_text_of_a_client_begins_a_line_of_its_own(caplog):
    caplog.set_level(logging.INFO, "hilctl.audit")
    forged = "x\nINFO hilctl.audit: done set who=owner\x1b[2J\u2028"
    audit = Audit()
    audit.refused("ann", forged, "set", Refused(Code.BAD_VALUE, forged), 0.0)
    audit.done(ANN, forged, "set", forged)
    assert len(lines(caplog)) == 2 and all(line.isprintable() for line in lines(caplog))
