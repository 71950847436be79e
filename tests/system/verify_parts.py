"""What the tests of `hilctl verify` share: a commissioning in a folder, and a rig that is held against it."""

from pathlib import Path
from typing import Any

from hilctl.client import Client, private_service
from hilctl.commission import Commissioning, How
from hilctl.results.stored import read
from hilctl.results.verified import Verified
from hilctl.verify import Asked, verify

RIG = "table-500"


def commissioned(folder: Path, changes: dict[str, Any], rig: str = RIG, **how: Any) -> Path:
    """The file of its result."""
    with private_service(rig, changes=changes) as service, Client(service.commands) as client:
        work = Commissioning(client, How(folder, **how))
        work.run()
        return work.work.notes.write(folder / "commission.json")


def asked(file: Path, folder: Path, warm_up_s: float = 1.0) -> Asked:
    return Asked(read(file), file, folder, warm_up_s)


def verified(file: Path, folder: Path, changes: dict[str, Any], rig: str = RIG) -> Verified:
    """On a private twin with these changes; nothing is left changed."""
    with private_service(rig, changes=changes) as service, Client(service.commands) as client:
        before = client.get()
        shares: list[float] = []
        told = verify(client, asked(file, folder), lambda text, now: shares.append(now.fraction))
        assert client.get() == before
        assert shares[0] == 0.0 and 0.8 < shares[-1] <= 1.0 and shares == sorted(shares), shares
        assert client.status()["mode"] == "hold"
        return told


def changed(told: Verified) -> set[str]:
    return {key for key, one in told.compared.items() if one.verdict == "changed"}
