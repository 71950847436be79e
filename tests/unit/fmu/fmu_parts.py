"""A unit in FMPy: written once a preset and kept, instantiated as often as a test likes."""

import atexit
import functools
import shutil
import tempfile
from pathlib import Path

import numpy as np
import pytest

from firmware_bridge.firmware.build import compiler
from hilctl.fmu.write import unit_of, write
from hilctl.rig import load

fmpy = pytest.importorskip("fmpy", reason="fmpy is not installed: `pip install 'hilctl[test]'`")
needs_compiler = pytest.mark.skipif(compiler() is None, reason="no C compiler (CC, gcc, cc)")


@functools.cache
def rig(preset="table-500", **changes):
    return load(preset, twin=True, changes={key.replace("__", "."): value for key, value in changes.items()})


@functools.cache
def unit(preset="table-500"):
    return unit_of(rig(preset))


@functools.cache
def archive(preset="table-500"):
    """The unit's file, with its library."""
    folder = Path(tempfile.mkdtemp(prefix="hilctl-fmu-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return write(unit(preset), folder / f"{preset}.fmu", compiler()).path


@functools.cache
def extracted(path):
    folder = fmpy.extract(path)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return fmpy.read_model_description(path), folder


class Run:
    """One instance in FMPy, by the variables' names."""

    def __init__(self, path=None, noise=False, **parameters):
        from fmpy.fmi3 import FMU3Slave

        self.description, folder = extracted(path or archive())
        self.reference = {v.name: v.valueReference for v in self.description.modelVariables}
        self.period_s = float(self.description.coSimulation.fixedInternalStepSize)
        self.said = []
        self.own = FMU3Slave(
            guid=self.description.instantiationToken, unzipDirectory=folder, instanceName="one",
            modelIdentifier=self.description.coSimulation.modelIdentifier,
        )  # fmt: skip
        self.own.instantiate(loggingOn=True)
        self.own.setBoolean([self.reference["noise"]], [noise])
        for name, value in parameters.items():
            self.set(name.replace("__", "."), value)
        self.own.enterInitializationMode()
        self.own.exitInitializationMode()
        self.now = 0

    def set(self, name, value):
        self.own.setFloat64([self.reference[name]], [value])

    def get(self, *names):
        return self.own.getFloat64([self.reference[name] for name in names])

    def outputs(self):
        return [v.name for v in self.description.modelVariables if v.causality == "output"]

    def run(self, commands):
        """The outputs after each command has acted for a period."""
        rows = []
        for u in commands:
            self.set("valve", float(u))
            self.own.doStep(self.now * self.period_s, self.period_s)
            self.now += 1
            rows.append(self.get(*self.outputs()))
        return np.array(rows)

    def close(self):
        self.own.freeInstance()
