"""modelDescription.xml and buildDescription.xml of the unit, as FMI 3.0 wants them."""

import math
import xml.etree.ElementTree as ET
from collections.abc import Iterable

from hilctl import __version__
from hilctl.fmu.units import base_unit
from hilctl.fmu.variables import Variable

SOURCE = "fmi.c"
LANGUAGE = "C99"


def model_description(
    name: str, identifier: str, token: str, about: str, period_s: float, variables: Iterable[Variable]
) -> bytes:
    """What the unit offers, and its variables."""
    listed = list(variables)
    root = ET.Element("fmiModelDescription", {
        "fmiVersion": "3.0", "modelName": name, "instantiationToken": token, "description": about,
        "generationTool": f"hilctl {__version__}", "variableNamingConvention": "structured",
    })  # fmt: skip
    ET.SubElement(root, "CoSimulation", {
        "modelIdentifier": identifier, "canGetAndSetFMUState": "true", "canSerializeFMUState": "true",
        "canHandleVariableCommunicationStepSize": "true", "fixedInternalStepSize": repr(period_s),
    })  # fmt: skip
    _units(root, sorted({v.unit for v in listed if v.unit} | {"s"}))
    log = ET.SubElement(root, "LogCategories")
    ET.SubElement(log, "Category", {"name": "logStatusError", "description": "why a call was refused"})
    ET.SubElement(root, "DefaultExperiment", {"startTime": "0", "stopTime": "10", "stepSize": repr(period_s)})
    variables_of = ET.SubElement(root, "ModelVariables")
    ET.SubElement(variables_of, "Float64", {
        "name": "time", "valueReference": "0", "causality": "independent", "variability": "continuous", "unit": "s",
        "description": "simulated time",
    })  # fmt: skip
    for v in listed:
        _variable(variables_of, v)
    structure = ET.SubElement(root, "ModelStructure")
    for kind in ("Output", "InitialUnknown"):
        for v in listed:
            if v.causality == "output":
                ET.SubElement(structure, kind, {"valueReference": str(v.reference)})
    return _text(root)


def build_description(identifier: str) -> bytes:
    """How the sources are compiled: one unit of C99, and the mathematical library."""
    root = ET.Element("fmiBuildDescription", {"fmiVersion": "3.0"})
    build = ET.SubElement(root, "BuildConfiguration", {"modelIdentifier": identifier})
    sources = ET.SubElement(build, "SourceFileSet", {"language": LANGUAGE})
    ET.SubElement(sources, "SourceFile", {"name": SOURCE})
    return _text(root)


def _units(root: ET.Element, units: list[str]) -> None:
    definitions = ET.SubElement(root, "UnitDefinitions")
    for unit in units:
        made, base = ET.SubElement(definitions, "Unit", {"name": unit}), base_unit(unit)
        if base is not None:
            ET.SubElement(made, "BaseUnit", {name: f"{power:g}" for name, power in base.items()})


def _variable(parent: ET.Element, v: Variable) -> None:
    row = {"name": v.name, "valueReference": str(v.reference), "causality": v.causality, "variability": v.variability,
           "description": v.meaning}  # fmt: skip
    if v.unit:
        row["unit"] = v.unit
    if v.causality in ("output", "local"):
        row["initial"] = "calculated"
    for key, bound in (("min", v.low), ("max", v.high)):
        if bound is not None and math.isfinite(bound):
            row[key] = repr(float(bound)) if v.type == "Float64" else str(int(bound))
    if v.start is not None:
        row["start"] = str(v.start).lower() if isinstance(v.start, bool) else repr(v.start)
    ET.SubElement(parent, v.type, row)


def _text(root: ET.Element) -> bytes:
    ET.indent(root)
    text = ET.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'.encode()
