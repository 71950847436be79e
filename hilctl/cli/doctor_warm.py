"""`hilctl doctor RIG --warm`: compiles what the first `hilctl run RIG` would compile."""

import contextlib
import time
from typing import TYPE_CHECKING, Any

from hilctl.cli.output import as_json, say
from hilctl.errors import DONE, HilctlError

if TYPE_CHECKING:
    from hilctl.rig import Rig


def needed(rig: "Rig | None") -> list[Any]:
    """The compiled functions that a start loads: the loop, the driver's exchange, what plans the first motion, and what
    packs the first set of another friction model.

    Compiled in one process: types are inferred once for all of them, which is most of the time.
    """
    from hilctl.friction.registry import rt_curve
    from hilctl.law.motions.demand import rt_demand
    from hilctl.law.reference.scan import rt_scan, rt_table
    from hilctl.law.smoothing import rt_turn
    from hilctl.loop.core import rt_run
    from hilctl.loop.mailbox import mail_put

    shared = [rt_run, rt_demand, rt_scan, rt_table, rt_curve, rt_turn, mail_put]
    return shared if rig is None else [*shared, *_of_driver(rig)]


def _of_driver(rig: "Rig") -> list[Any]:
    """Its exchange, and what else its start calls; nothing is opened."""
    from firmware_bridge import registry

    found: list[Any] = []
    try:
        driver = registry.find(rig.driver)(rig.driver_config, rig.facts())
    except Exception as error:  # a driver's code may raise anything
        raise HilctlError(f"driver {rig.driver}: {error}; `hilctl check {rig.path}` says more") from error
    found += [one.exchange for one in (driver, *getattr(driver, "parts", {}).values())]
    if rig.driver == "twin":
        from sim.random import rt_seed

        found.append(rt_seed)
    if rig.driver in ("serial_text", "mixed"):
        from firmware_bridge.serial_text.desk import rt_desk

        found.append(rt_desk)
    with contextlib.suppress(Exception):  # it was never opened
        driver.close()
    return found


def warm(rig: "Rig", *, json: bool) -> int:
    """Compiles what is missing, with progress."""
    from hilctl.cli.progress import working
    from hilctl.rt import store
    from hilctl.rt.jit import PLAIN, compile_now, is_warm

    begun_s = time.monotonic()
    functions = needed(rig)
    missing = [] if PLAIN else [one for one in functions if not is_warm(one)]
    with working("compiling") as tell:
        for k, one in enumerate(missing):
            tell(k, len(missing), f"compiling {one.__name__}")
            compile_now(one)
    left = [] if PLAIN else [one.__name__ for one in missing if not is_warm(one)]
    if left:
        raise HilctlError(
            f"{', '.join(left)}: compiled, and cannot be kept in {store.root()}: each start compiles again; "
            "let this user write there, or set XDG_CACHE_HOME (CacheDirectory= in a unit) to a folder of yours"
        )
    seconds = time.monotonic() - begun_s
    if json:
        as_json({"rig": rig.name, "compiled": [one.__name__ for one in missing], "needed": len(functions),
                 "seconds": seconds, "folder": str(store.folder())})  # fmt: skip
    else:
        say(f"{rig.name}: {len(missing)} functions compiled in {seconds:.0f} s, {len(functions) - len(missing)} were "
            f"there already; kept in {store.folder()}")
    return DONE
