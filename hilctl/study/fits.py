"""Stored friction campaigns fitted again, many at once, over the workers of a study: today's judgement and today's fit
of what was measured then. A campaign travels as the bytes of its files, so that a cluster needs no shared disk.
"""

import csv
import hashlib
import io
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from hilctl.errors import HilctlError, WrongUse
from hilctl.experiment.store import write
from hilctl.results.identified import IdentifiedFriction
from hilctl.study.program import need_same, program

PLAN, LEGS = "campaign.json", "legs"
TABLE, RESULT = "fits.csv", "fits.json"
_HEAD = ("folder", "rig", "begun", "model", "fit_percent", "refused")


def fit(expected: Mapping[str, str], packed: bytes) -> bytes:
    """The friction of one campaign, as JSON; what cannot be fitted says why."""
    from hilctl.identify.friction import Campaign, campaign_of, fit_friction, points_of
    from hilctl.params import BadValues
    from hilctl.results.identified import answer

    need_same(expected, "a worker")
    with TemporaryDirectory(prefix="hilctl-fit-") as place:
        for name, content in msgspec.msgpack.decode(packed).items():
            file = Path(place) / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
        campaign = Campaign.resume(None, place)
        made, refused = None, ""
        try:
            made = fit_friction(points_of(campaign)).told()
        except (BadValues, HilctlError) as bad:
            refused = str(bad)
        return msgspec.json.encode(answer(IdentifiedFriction, campaign_of(campaign), fit=made, fit_refused=refused))


class Fits:
    """Campaigns, and where their fits are kept: by a hash of what was measured and of the program that fits."""

    def __init__(self, folders: list[Path], out: Path) -> None:
        without = [str(folder) for folder in folders if not (folder / PLAN).is_file()]
        if without:
            raise WrongUse(f"{', '.join(without)}: no friction campaign, for it has no {PLAN}; give the folders that "
                           "`hilctl identify friction` left")  # fmt: skip
        self.folders, self.out = folders, out
        mine = msgspec.json.encode(program())
        self._names = [hashlib.sha256(mine + _packed(folder)).hexdigest()[:24] for folder in folders]

    @property
    def total(self) -> int:
        """See Work."""
        return len(self.folders)

    def missing(self) -> list[int]:
        """See Work."""
        return [number for number in range(self.total) if self._read(number) is None]

    def call(self, number: int) -> tuple[Any, ...]:
        """See Work."""
        return fit, program(), _packed(self.folders[number])

    def keep(self, number: int, content: bytes) -> None:
        """See Work."""
        msgspec.json.decode(content, type=IdentifiedFriction)
        self._file(number).parent.mkdir(parents=True, exist_ok=True)
        write(self._file(number), content)

    def told(self, number: int) -> str:
        """See Work."""
        return str(self.folders[number])

    def _file(self, number: int) -> Path:
        return self.out / "fits" / f"{self._names[number]}.json"

    def _read(self, number: int) -> IdentifiedFriction | None:
        try:
            return msgspec.json.decode(self._file(number).read_bytes(), type=IdentifiedFriction)
        except (OSError, msgspec.DecodeError):
            return None

    def concluded(self) -> list[IdentifiedFriction]:
        """All of them in the order of the folders, and in a table and one JSON file."""
        found = [msgspec.structs.replace(one, folder=str(folder)) for number, folder in enumerate(self.folders)
                 if (one := self._read(number)) is not None]  # fmt: skip
        write(self.out / RESULT, msgspec.json.format(msgspec.json.encode(found), indent=1) + b"\n")
        write(self.out / TABLE, _table(found))
        return found


def _packed(folder: Path) -> bytes:
    """The plan and the legs of a campaign, always in the same order."""
    files = [folder / PLAN, *sorted(file for file in (folder / LEGS).rglob("*") if file.is_file())]
    return msgspec.msgpack.encode({str(PurePosixPath(file.relative_to(folder))): file.read_bytes() for file in files})


def _table(found: list[IdentifiedFriction]) -> bytes:
    names = list(dict.fromkeys(name for one in found if one.fit for name in one.fit.parameters))
    out = io.StringIO()
    lines = csv.writer(out, lineterminator="\n")
    lines.writerow([*_HEAD, *(f"{name}{end}" for name in names for end in ("", "_low", "_high"))])
    for one in found:
        row: list[object] = [one.folder, one.rig, one.begun, "", "", one.fit_refused]
        if one.fit is not None:
            row[3:5] = [one.fit.law, one.fit.fit_percent]
        for name in names:
            q = one.fit.parameters.get(name) if one.fit is not None else None
            row += ["", "", ""] if q is None else [q.value, q.low, q.high]
        lines.writerow(["" if cell is None else cell for cell in row])
    return out.getvalue().encode()
