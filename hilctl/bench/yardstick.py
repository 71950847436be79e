"""A C yardstick for a benchmark: our sources, built with gcc -O3 when it runs, on the memory that our code works on.

Records that a yardstick reads are generated from ours (`c_records`): a field that is added cannot shift the rest.
"""

import ctypes
import subprocess
from collections.abc import Iterable, Mapping
from enum import IntEnum
from pathlib import Path
from typing import Any

import numpy as np

from hilctl.errors import HilctlError

SOURCES = Path(__file__).with_name("csrc")


def build(source: str, folder: str, headers: Mapping[str, str] | None = None) -> ctypes.CDLL:
    """The library made of one of our C sources; `headers` are generated ones, by file name."""
    for name, text in (headers or {}).items():
        Path(folder, name).write_text(text, encoding="utf-8")
    place = Path(folder, source).with_suffix(".so")
    options = ["-O3", "-std=c11", "-shared", "-fPIC", "-I", folder]
    command = ["gcc", *options, "-o", str(place), str(SOURCES / source), "-lm"]
    try:
        made = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise HilctlError("needs gcc, to build what it measures against") from None
    if made.returncode:
        raise HilctlError(f"gcc could not build {source}:\n{made.stderr}")
    return ctypes.CDLL(str(place))


def c_records(
    records: Mapping[str, "np.dtype[Any]"], codes: Mapping[str, type[IntEnum]], constants: Mapping[str, float]
) -> str:
    """A header: the records as structs (inner ones before those that hold them), codes as enums, constants."""
    lines = ["#pragma once", "#include <stdint.h>"]
    lines += [f"#define {name} {value!r}" for name, value in constants.items()]
    lines += [f"enum {{ {', '.join(f'{name}_{c.name} = {c.value}' for c in kind)} }};" for name, kind in codes.items()]
    named: dict[np.dtype[Any], str] = {}
    for name, dtype in records.items():
        lines.append(f"typedef struct {{ {_members(dtype, named)} }} {name};")
        lines.append(f'_Static_assert(sizeof({name}) == {dtype.itemsize}, "{name}");')
        named.setdefault(dtype, name)
    return "\n".join(lines) + "\n"


def _members(dtype: "np.dtype[Any]", named: Mapping["np.dtype[Any]", str]) -> str:
    out: Iterable[str] = (_member(name, dtype.fields[name][0], named) for name in dtype.names)  # type: ignore[index,union-attr]
    return " ".join(out)


def _member(name: str, dtype: "np.dtype[Any]", named: Mapping["np.dtype[Any]", str]) -> str:
    base, shape = dtype.subdtype or (dtype, ())
    sizes = "".join(f"[{n}]" for n in shape)
    if base in named:
        return f"{named[base]} {name}{sizes};"
    if base.names:
        return f"struct {{ {_members(base, named)} }} {name}{sizes};"
    return f"{ {np.dtype(np.float64): 'double', np.dtype(np.int64): 'int64_t'}[base] } {name}{sizes};"
