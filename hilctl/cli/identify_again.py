"""`hilctl identify friction --again DIR…`: stored campaigns fitted again, many at once."""

import argparse
from pathlib import Path

from hilctl.cli import study_workers
from hilctl.cli.identify_parts import folder_of
from hilctl.cli.output import json_line, note, say
from hilctl.cli.progress import working
from hilctl.errors import DONE, RIG_SAID_NO, WrongUse


def again(given: argparse.Namespace) -> int:
    """Does it; exit code 1 where one of them gives no friction model."""
    from msgspec import to_builtins

    from hilctl.study.fits import TABLE, Fits
    from hilctl.study.spread import spread

    if any((given.rig, given.twin, given.connect, given.changes, given.resume, given.speeds, given.budget, given.apply,
            given.points)):  # fmt: skip
        raise WrongUse("--again reads stored campaigns: leave RIG, --twin, --connect, --set, --resume, --speeds, "
                       "--budget, --points and --apply out")  # fmt: skip
    folder = folder_of(given, "fits")
    work = Fits([Path(one) for one in given.again], folder)
    workers = study_workers.chosen(given)
    try:
        with working(f"{work.total} campaigns") as tell:
            spread(work, workers, tell)
    finally:
        workers.close()
    found = work.concluded()
    if given.json:
        say(json_line(to_builtins(found)))
    else:
        for one in found:
            percent = None if one.fit is None else one.fit.fit_percent
            share = "" if percent is None else f", explains {percent:.4g} %"
            say(f"{one.folder}: {one.fit.law if one.fit else f'no friction model: {one.fit_refused}'}{share}")
        say(str(folder / TABLE))
    without = sum(one.fit is None for one in found)
    if without:
        note(f"{without} of {len(found)} campaigns give no friction model")
    return RIG_SAID_NO if without else DONE
