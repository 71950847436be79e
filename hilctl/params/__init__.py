"""One declaration of a parameter: from it come its check, its place in a record, and its documentation.

A table of parameters is a `Params` class; a leaf is annotated with `number`, `whole` or `note`:

    class Pid(Params):
        '''Displacement PID.'''

        kp_per_s: Annotated[float, number(0, 500, "1/s", "proportional gain")] = 20.0

A parameter that protects says with `loosens` which way it protects less: `up`, `down`, `both`; `never` where it does
not protect. `down` of a choice is towards its first.

`check` walks a mapping (a rig file, a message) leaf by leaf and reports every problem at once; `dtype_of`, `pack` and
`unpack` carry the values to the loop as a record whose fields are all eight bytes wide; `leaves` lists them for
documents and for the wire. Nothing here knows what the parameters are for.
"""

from typing import Annotated, Literal

from hilctl.params.checking import assign, check
from hilctl.params.declare import (
    BadValues,
    Leaf,
    Loosens,
    Params,
    Problem,
    extended,
    fields_of,
    flatten,
    leaves,
    nearest,
    note,
    number,
    numbers,
    plain,
    whole,
)
from hilctl.params.page import document
from hilctl.params.record import dtype_of, pack, real_words, record_of, unpack

__all__ = [
    "Annotated",
    "BadValues",
    "Leaf",
    "Literal",
    "Loosens",
    "Params",
    "Problem",
    "assign",
    "check",
    "document",
    "dtype_of",
    "extended",
    "fields_of",
    "flatten",
    "leaves",
    "nearest",
    "note",
    "number",
    "numbers",
    "pack",
    "plain",
    "real_words",
    "record_of",
    "unpack",
    "whole",
]
