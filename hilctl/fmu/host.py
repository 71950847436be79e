"""A host for one library of ours: as much of FMI 3.0 as a run takes, without a simulation tool."""

import ctypes
from collections.abc import Sequence
from pathlib import Path

from hilctl.errors import HilctlError
from hilctl.fmu.write import Unit

_OK = 0
_Log = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p)


class UnitFailed(HilctlError):
    """The unit refused a call; the message is its own."""


class Host:
    """One instance of a unit, with its noise on or off, ready for its first step."""

    def __init__(self, unit: Unit, library: Path, noise: bool) -> None:
        self._reference = {v.name: v.reference for v in unit.variables}
        self._library, self._said = ctypes.CDLL(str(library)), ""
        self._log = _Log(self._hear)
        make = self._library.fmi3InstantiateCoSimulation
        make.restype = ctypes.c_void_p
        none = ctypes.c_void_p(None)
        self._own = ctypes.c_void_p(make(
            b"host", unit.token.encode(), b"", ctypes.c_bool(False), ctypes.c_bool(True), ctypes.c_bool(False),
            ctypes.c_bool(False), none, ctypes.c_size_t(0), none, self._log, none,
        ))  # fmt: skip
        if self._own.value is None:
            raise UnitFailed(self._said)
        one, size = (ctypes.c_uint32 * 1)(self._reference["noise"]), ctypes.c_size_t(1)
        self._done(self._library.fmi3SetBoolean(self._own, one, size, (ctypes.c_bool * 1)(noise), size))
        no, zero = ctypes.c_bool(False), ctypes.c_double(0.0)
        self._done(self._library.fmi3EnterInitializationMode(self._own, no, zero, zero, no, zero))
        self._done(self._library.fmi3ExitInitializationMode(self._own))

    def set(self, name: str, value: float) -> None:
        """A real variable."""
        one, size = (ctypes.c_uint32 * 1)(self._reference[name]), ctypes.c_size_t(1)
        self._done(self._library.fmi3SetFloat64(self._own, one, size, (ctypes.c_double * 1)(value), size))

    def step(self, now_s: float, step_s: float) -> None:
        """One communication step."""
        told, reached = (ctypes.c_bool * 3)(), ctypes.c_double()
        self._done(self._library.fmi3DoStep(
            self._own, ctypes.c_double(now_s), ctypes.c_double(step_s), ctypes.c_bool(True), ctypes.byref(told, 0),
            ctypes.byref(told, 1), ctypes.byref(told, 2), ctypes.byref(reached),
        ))  # fmt: skip

    def get(self, names: Sequence[str]) -> list[float]:
        """Real variables."""
        size, out = ctypes.c_size_t(len(names)), (ctypes.c_double * len(names))()
        wanted = (ctypes.c_uint32 * len(names))(*(self._reference[name] for name in names))
        self._done(self._library.fmi3GetFloat64(self._own, wanted, size, out, size))
        return list(out)

    def close(self) -> None:
        """Frees the instance."""
        self._library.fmi3FreeInstance(self._own)

    def _hear(self, _environment: object, _status: int, _category: bytes, message: bytes) -> None:
        self._said = message.decode()

    def _done(self, status: int) -> None:
        if status != _OK:
            raise UnitFailed(self._said)
