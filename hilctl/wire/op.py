"""What an operation is: its arguments, its result, the lease and the role that it needs."""

from typing import Literal, NamedTuple

from hilctl.params import Params
from hilctl.wire.roles import Role

LAST = 1 << 62
MAX_POINTS = 2000  # of a motion's preview: 64 kB
MAX_NAME = 80  # characters of any text argument
MAX_CHUNK = 48 * 1024  # bytes of one chunk of an upload: fits a request with room for its envelope


class Open(NamedTuple):
    """An argument that a parameter declaration cannot hold: a map of keys that others declare, names, or bytes."""

    name: str
    kind: Literal["map", "maps", "texts", "numbers", "bytes"]
    meaning: str


class Op(NamedTuple):
    """One operation."""

    name: str
    args: type[Params]
    result: str
    meaning: str
    lease: bool = False  # needs the lease
    effect: bool = True  # changes something: its reply is remembered, so that a repeat does nothing twice
    open: tuple[Open, ...] = ()
    role: Role = Role.OPERATOR  # the least that may ask for it


class Nothing(Params):
    """No arguments."""
