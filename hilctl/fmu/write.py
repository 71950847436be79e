"""A rig file's twin as an FMI 3.0 co-simulation unit: sources, descriptions, a library where there is a compiler."""

import hashlib
import os
import platform
import subprocess
import sys
import tempfile
import uuid
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from hilctl.errors import HilctlError
from hilctl.fmu.description import SOURCE, build_description, model_description
from hilctl.fmu.parameters import filled, parameters_of
from hilctl.fmu.sources import sources_of
from hilctl.fmu.variables import Variable, variables_of
from hilctl.friction import friction_of
from hilctl.rig import Rig
from sim.settings import TwinConfig

OPTIONS = ("-std=c99", "-O2", "-ffp-contract=off")
SHARED = ("-shared", "-fPIC", "-fvisibility=hidden")
_STAMP = (1980, 1, 1, 0, 0, 0)  # of every file, so that the same rig file gives the same bytes
_SPACE = uuid.UUID("5f3f7f2a-6d0e-4e3c-9f0b-6f1f1c0a7d11")  # of the tokens; drawn once


class NoTwin(HilctlError):
    """The rig's simulation is not the twin that can be exported."""


class NotCompiled(HilctlError):
    """The compiler refused the unit's sources."""


class Unit(NamedTuple):
    """Everything that goes into the archive, before a library is compiled."""

    identifier: str
    token: str
    period_s: float
    variables: list[Variable]
    files: dict[str, bytes]  # by path in the archive


class Written(NamedTuple):
    """What was written."""

    path: Path
    library: str  # its path in the archive; empty: sources only
    variables: int
    parameters: int
    period_s: float


def unit_of(rig: Rig) -> Unit:
    """The unit of a rig that was loaded with its twin; NoTwin where it has another simulation."""
    config = rig.driver_config
    if not isinstance(config, TwinConfig):
        why = "is simulated by a model of its own, which has no valve, chambers and friction to export"
        remedy = "take a rig with [machine] and [twin], such as table-500"
        raise NoTwin(f"driver.kind: {rig.driver!r} {why}; {remedy}", key="driver.kind", value=rig.driver, remedy=remedy)
    parameters, start = parameters_of(config, rig.dt_s), filled(config, rig.dt_s)
    variables = variables_of(config, parameters)
    identifier = "".join(c if c.isalnum() and c.isascii() else "_" for c in rig.name)
    identifier = identifier if not identifier[:1].isdigit() else f"rig_{identifier}"
    friction = friction_of(config.friction).model
    about = (f"Simulated plant of the rig {rig.name}: servo valve, cylinder, {friction} friction, sensors; "
             f"specimen: {config.specimen.kind}")  # fmt: skip
    made = sources_of(config, rig.dt_s, "", start, parameters, variables)
    digest = hashlib.sha256("\0".join(f"{name}\0{made[name]}" for name in sorted(made)).encode())
    token = f"{{{uuid.uuid5(_SPACE, digest.hexdigest())}}}"
    made["tables.h"] = made["tables.h"].replace('#define TOKEN ""', f'#define TOKEN "{token}"', 1)
    files = {f"sources/{name}": text.encode() for name, text in made.items()}
    files["sources/buildDescription.xml"] = build_description(identifier)
    files["modelDescription.xml"] = model_description(rig.name, identifier, token, about, rig.dt_s, variables)
    return Unit(identifier, token, rig.dt_s, variables, files)


def write(unit: Unit, path: Path, compiler: str | None) -> Written:
    """The archive at this path, complete or not at all; with a library where there is a compiler."""
    files, library = dict(unit.files), ""
    if compiler is not None:
        library = f"binaries/{_platform()}/{unit.identifier}{_suffix()}"
        files[library] = compiled(unit, compiler)
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as out:
        try:
            with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
                for name, content in sorted(files.items()):
                    archive.writestr(zipfile.ZipInfo(name, _STAMP), content, zipfile.ZIP_DEFLATED)
            Path(out.name).chmod(0o666 & ~_umask())
            Path(out.name).replace(path)
        except BaseException:
            Path(out.name).unlink(missing_ok=True)
            raise
    tuned = sum(v.causality == "parameter" for v in unit.variables)
    return Written(path, library, len(unit.variables), tuned, unit.period_s)


def unpacked(files: Mapping[str, bytes], folder: Path) -> Path:
    """The sources in a folder; the one to compile."""
    for name, content in files.items():
        if name.startswith("sources/"):
            Path(folder, Path(name).name).write_bytes(content)
    return folder / SOURCE


def compiled(unit: Unit, compiler: str, *options: str) -> bytes:
    """The unit's library for this machine."""
    with tempfile.TemporaryDirectory() as folder:
        source, out = unpacked(unit.files, Path(folder)), Path(folder, "unit")
        command = [compiler, *OPTIONS, *SHARED, *options, "-o", str(out), str(source), "-lm"]
        made = subprocess.run(command, capture_output=True, text=True, check=False)
        if made.returncode:
            what = f"{compiler} could not compile the unit; --sources-only writes it without a library"
            raise NotCompiled(f"{what}:\n{made.stderr}")
        return out.read_bytes()


def _platform() -> str:
    """FMI's name of this platform."""
    machine = {"AMD64": "x86_64", "arm64": "aarch64"}.get(platform.machine(), platform.machine())
    system = {"linux": "linux", "darwin": "darwin", "win32": "windows"}.get(sys.platform, sys.platform)
    return f"{machine}-{system}"


def _suffix() -> str:
    return {"darwin": ".dylib", "win32": ".dll"}.get(sys.platform, ".so")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
