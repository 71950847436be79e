"""Points that were measured elsewhere, of a cylinder or of a joint: read from a table, and fitted by every law.

    speed_m_s,force_n[,sd_n]          a cylinder, or anything that slides
    speed_rad_s,torque_n_m[,sd_n_m]   a joint
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from hilctl.errors import WrongUse
from hilctl.identify.frequency.intake_table import lines_of, number, parted, table_of, text_of
from hilctl.identify.friction.fit import fit_friction
from hilctl.identify.friction.fit_genetic import Evolution
from hilctl.identify.friction.fit_points import BadPoints, Points, check_points
from hilctl.identify.friction.model_laws import BREAKAWAY, FORMS, ROTARY
from hilctl.identify.friction.result import FrictionFit

COLUMNS = {False: ("speed_m_s", "force_n", "sd_n"), True: ("speed_rad_s", "torque_n_m", "sd_n_m")}
CLEARLY = 0.9  # of what the laws that jump leave: a smooth law must leave less, to be taken


class Elsewhere(NamedTuple):
    """What a file holds."""

    points: Points
    joint: bool


def read_points(path: Path) -> Elsewhere:
    """The points of a file; WrongUse names the line or the column that is wrong."""
    lines = lines_of(text_of(path, path.read_bytes()))
    if not lines:
        raise WrongUse(f"{path} is empty; it must hold {' or '.join(','.join(names) for names in COLUMNS.values())}")
    table = table_of(lines)
    header = [name.strip() for name in table.header]
    joint = next((joint for joint, names in COLUMNS.items() if set(names[:2]) <= set(header)), None)
    if joint is None:
        needed = " or ".join(" and ".join(names[:2]) for names in COLUMNS.values())
        told = f"the columns {', '.join(header):.80}" if header else "no header"
        raise WrongUse(f"{path} has {told}; its columns must be {needed}")
    wanted = [name for name in COLUMNS[joint] if name in header]
    columns: dict[str, list[float]] = {name: [] for name in wanted}
    for line, row in zip(table.rows, parted(table.rows, table.mark), strict=True):
        for name in wanted:
            at = header.index(name)
            value = number(row[at], table.mark) if at < len(row) else None
            if value is None:
                raise WrongUse(f"{path}, line {line.at}: {name} must be a number: {line.text.strip()!r}")
            columns[name].append(value)
    values = [np.array(columns[name]) for name in wanted]
    return Elsewhere(check_points(*values), joint)


def fit_elsewhere(points: Points, *, joint: bool = False, how: Evolution | None = None) -> FrictionFit:
    """The law that they follow: of those that jump at rest, or smooth through zero where that leaves clearly less."""
    fits, refused = [], []
    for forms in (FORMS, (ROTARY if joint else BREAKAWAY,)):
        try:
            fits.append(fit_friction(points, forms=forms, how=how))
        except BadPoints as bad:
            refused.append(bad)
    if not fits:
        raise refused[0]
    if len(fits) == 1:
        return fits[0]
    jumps, smooth = fits
    left = [1.0 - fit.r2 for fit in fits]
    if left[1] >= CLEARLY * left[0]:
        return jumps
    why = f"leaves {100 * left[1]:.2g} % of the variance, the best of the others, {jumps.law}, {100 * left[0]:.2g} %"
    return smooth._replace(why=f"{smooth.law}: smooth through zero, it {why}")
