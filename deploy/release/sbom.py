"""The bill of materials of an installation, CycloneDX 1.6: every package of the lock that a rig's PC gets, with its
hashes, licence and dependencies. The same lock gives the same bytes."""

import uuid
from datetime import UTC, datetime

from cyclonedx.model import HashAlgorithm, HashType
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.model.license import LicenseExpression
from cyclonedx.output.json import JsonV1Dot6
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packageurl import PackageURL

from deploy.release.shipped import OURS, RUNTIME, licence, locked, needed

_NAMESPACE = uuid.uuid5(uuid.NAMESPACE_URL, "https://pypi.org/project/hilctl/")


def bill(version: str, path: list[str], epoch: int) -> str:
    """As JSON; `path`: where the packages are installed, whose metadata name their licences."""
    packages, graph = locked(), needed(RUNTIME)
    parts = {name: _component(name, version if name == OURS else packages[name]["version"], packages[name], path)
             for name in graph}  # fmt: skip
    bom = Bom(components=[part for name, part in parts.items() if name != OURS])
    bom.metadata.component = parts[OURS]
    bom.metadata.timestamp = datetime.fromtimestamp(epoch, UTC)
    bom.serial_number = uuid.uuid5(_NAMESPACE, repr(sorted((str(p.purl), *graph[n]) for n, p in parts.items())))
    for name, wanted in graph.items():
        bom.register_dependency(parts[name], [parts[one] for one in wanted])
    text = JsonV1Dot6(bom).output_as_string(indent=1)
    problem = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)
    if problem is not None:
        raise ValueError(f"the bill of materials is not valid: {problem}")
    return text + "\n"


def _component(name: str, version: str, package: dict[str, object], path: list[str]) -> Component:
    purl = PackageURL("pypi", name=name, version=version)
    files = [*package.get("wheels", ()), *filter(None, [package.get("sdist")])]  # type: ignore[misc]
    expression = licence(name, path)
    return Component(
        type=ComponentType.APPLICATION if name == OURS else ComponentType.LIBRARY,
        name=name,
        version=version,
        purl=purl,
        bom_ref=str(purl),
        hashes=[HashType(alg=HashAlgorithm.SHA_256, content=one["hash"].removeprefix("sha256:")) for one in files],
        licenses=[LicenseExpression(expression)] if expression else (),
    )
