"""`hilctl commission --plan`: what it would do, how long that takes, and how far the table goes. Nothing moves."""

import argparse
from typing import TYPE_CHECKING

from hilctl.cli.output import say
from hilctl.errors import WrongUse

if TYPE_CHECKING:
    from hilctl.client import Client
    from hilctl.commission import How


def tell(rig: "Client", how: "How") -> None:
    """The parts in their order; each triangle of the friction campaign, as the service accepts it."""
    from hilctl.commission.progress import expected_s
    from hilctl.experiment.facts import read_facts
    from hilctl.identify.friction import CannotPlan
    from hilctl.identify.friction.plan_accepted import accepted

    legs = []
    if how.does("friction"):
        try:
            legs = accepted(rig, read_facts(rig), how.speeds_m_s, how.campaign_s)
        except CannotPlan as cannot:
            raise WrongUse(f"--speeds, --budget: {cannot}") from None
    stages = {name: seconds for name, seconds in expected_s(how).items() if seconds}
    say("part                               rig time, about")
    for name, seconds in stages.items():
        say(f"  {name:<32} {seconds:6.0f} s")
    say(f"  {'in all':<32} {sum(stages.values()):6.0f} s")
    if not legs:
        return
    say("friction campaign: speed, m/s   amplitude, mm   cycles   rig time, s")
    for leg in legs:
        say(f"  {leg.speed_m_s:27.4g} {1e3 * leg.amplitude_m:15.4g} {leg.cycles:8d} {leg.seconds:13.1f}")
    travel_m = sum(4 * leg.amplitude_m * leg.cycles for leg in legs)
    farthest_mm = 1e3 * max(abs(leg.center_m) + leg.amplitude_m for leg in legs)
    say(f"  {len(legs)} triangles, {sum(leg.seconds for leg in legs):.0f} s, {travel_m:.2f} m of travel, "
        f"never farther than {farthest_mm:.3g} mm from mid-stroke")  # fmt: skip


def option(parser: argparse.ArgumentParser) -> None:
    """--plan."""
    parser.add_argument("--plan", action="store_true", help="print what it would do and how long; nothing moves")
