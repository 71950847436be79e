"""Replays a recording with one term of the controller altered by a billionth: `FILE STATE ROWS NAME…`, in plain Python.

Each in a process of its own, forked once all libraries are loaded; its source is altered while it is imported. A line
of JSON for each: the name, how many ticks differ, the first difference.
"""

import importlib.machinery
import json
import os
import sys
import traceback
from types import CodeType
from typing import Any

import h5py  # noqa: F401
import msgspec  # noqa: F401
import numpy as np  # noqa: F401

_FACTOR = "0.999999999 * "

# The term; its module; what stands there once, with @ where the factor comes in.
TERMS: dict[str, tuple[str, str]] = {
    "displacement_m": ("law.sensors", "sensor.gain * @(raw - sensor.offset)"),
    "pressure_share": ("law.freshness", "f.share = @aim\n"),
    "load_pressure_pa": ("law.sample", "sample.load_pressure_pa = @pressure"),
    "position_m": ("law.estimate", "e.x += @(1.0 - q * q * q) * r"),
    "velocity_m_s": ("law.estimate", "(1.0 - q) / dt_s * @r"),
    "friction_n": ("law.sample", "sample.friction_n = @machine.A * pressure"),
    "error_m": ("law.sample", "= @s.delayed.x_m - e.x if closed"),
    "u_linear": ("law.feed", "return @float(c.c_x * ahead.x_m"),
    "u_inverse": ("law.inverse", "return @_rt_held(s.command, tick,"),
    "pressure_ref_pa": ("law.feed", "return @float(c.p_0 +"),
    "u_feed": ("law.tick_feed", "s.u_feed += @share *"),
    "u_position": ("law.three_state", "s.position = @c.kd_per_m"),
    "u_integral": ("law.three_state", "s.integral += @dt_s * c.ki_per_m_s"),
    "u_velocity": ("law.three_state", "s.velocity = @c.kv_s_per_m"),
    "u_acceleration": ("law.three_state", "s.acceleration = @c.ka_s2_per_m"),
    "u_pressure": ("law.three_state", "s.term = @-c.kp_per_mpa"),
    "u_pid_p": ("law.pid", "s.p = @c.kp_per_m"),
    "u_pid_i": ("law.pid", "s.i = @s.integral"),
    "u_pid_d": ("law.pid", "s.d = @c.kd_s_per_m"),
    "u_law": ("law.tick", "s.u_law = @feedback +"),
    "u_notched": ("law.notch", "return @opening - taken"),
    "u_cmd": ("law.valve_stage", "return @float(spool +"),
}


class _Altered(importlib.machinery.SourceFileLoader):
    """A module with a part of its source exchanged."""

    def __init__(self, name: str, path: str, old: str, new: str) -> None:
        super().__init__(name, path)
        self._old, self._new = old, new

    def get_code(self, fullname: str) -> CodeType:
        source = self.get_data(self.path).decode()
        assert source.count(self._old) == 1, f"{self._old!r} stands {source.count(self._old)} times in {self.path}"
        code: CodeType = compile(source.replace(self._old, self._new), self.path, "exec")
        return code


class _Finder:
    """Finds that module first."""

    def __init__(self, name: str) -> None:
        module, place = TERMS[name]
        self._module = f"hilctl.{module}"
        self._old, self._new = place.replace("@", ""), place.replace("@", _FACTOR)

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> Any:
        if fullname != self._module:
            return None
        spec = importlib.machinery.PathFinder.find_spec(fullname, path)
        assert spec is not None and spec.origin is not None
        spec.loader = _Altered(fullname, spec.origin, self._old, self._new)
        return spec


def _run(file: str, state: int, rows: int, name: str) -> None:
    if name:
        sys.meta_path.insert(0, _Finder(name))
    from hilctl.recording.reader import open_recording
    from hilctl.replay.run import Replay

    with open_recording(file) as recording:
        first = recording.row_of(recording.known[state].row)
        found = Replay(recording, rows=(first, first + rows)).run()
    first = found.first and [found.first.tick, found.first.term]
    print(json.dumps({"name": name, "ticks": found.ticks, "differ": found.differ, "first": first}), flush=True)


def _main(file: str, state: str, rows: str, *names: str) -> int:
    failed = 0
    for name in names:
        child = os.fork()
        if child == 0:
            try:
                _run(file, int(state), int(rows), name)
                os._exit(0)
            except BaseException:
                traceback.print_exc()
                os._exit(1)
        failed |= os.waitpid(child, 0)[1]
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(_main(*sys.argv[1:]))
