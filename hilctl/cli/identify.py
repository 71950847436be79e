"""`hilctl identify WHAT`: campaigns on a running rig, or on a private twin.

hilctl identify friction                                 the rig that runs here
hilctl identify friction table-500 --twin                its twin, as fast as it computes
hilctl identify friction --resume out/friction-…         what is left of a campaign that was cut off
hilctl identify friction --again out/friction-*          many stored campaigns, judged again on all processors
hilctl identify presliding --curve out/friction-…/friction.json    on the curve that a campaign has found
hilctl identify dynamics table-500 --twin --out DIR      how it answers, and to how fast a motion
hilctl identify plant --no-prepare --apply               right after another one; applies the identified values
"""

import argparse

from hilctl.cli import identify_again
from hilctl.cli.arguments import BUDGET, SPEED, count, number
from hilctl.cli.identify_parts import apply_option, options, resume_option


def identify(parser: argparse.ArgumentParser) -> None:
    """The arguments of `identify`."""
    kinds = parser.add_subparsers(
        metavar="WHAT", required=True, parser_class=type(parser), help="what to identify; `hilctl identify WHAT --help`"
    )
    for name, declare, text in (
        ("friction", _friction,
         "triangles of constant speed in both directions; the friction curve, and the law that it follows"),
        ("presliding", _presliding,
         "small reversals; whether friction jumps or bends first, which law that is, and its parameters"),
        ("plant", _plant, "sines and chirps; moving mass, flow gain, oil, leakage, valve and delays"),
        ("dynamics", _dynamics,
         "multisine, sweep and stepped sine; frequency response, transfer functions, grey box, and whether they hold"),
    ):  # fmt: skip
        below = kinds.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.")
        declare(below)
        identify_again.options(below, name)


def _friction(parser: argparse.ArgumentParser) -> None:
    from hilctl.cli.identify_friction import run

    options(parser, "friction")
    apply_option(parser)
    parser.add_argument("--resume", default="", metavar="DIR", help="go on with the campaign in this directory")
    parser.add_argument(
        "--speeds", nargs="+", type=SPEED, default=None, metavar="M/S", help="24 from 0.001 to 0.8 when not given"
    )
    parser.add_argument("--budget", type=BUDGET, default=None, metavar="S", help="of the rig's time (150)")
    parser.add_argument("--points", default="", metavar="FILE", help="fit points that were measured elsewhere: a table "
                        "of speed_m_s and force_n, or of speed_rad_s and torque_n_m for a joint")  # fmt: skip
    parser.set_defaults(do=run)


def _presliding(parser: argparse.ArgumentParser) -> None:
    from hilctl.cli.identify_presliding import run
    from hilctl.friction.gms import ELEMENTS

    options(parser, "presliding")
    apply_option(parser)
    resume_option(parser)
    curve = "a JSON file with the sliding curve, as `identify friction` writes it (default: the active friction)"
    parser.add_argument("--curve", default="", metavar="FILE", help=curve)
    parser.add_argument("--elements", type=count(0, ELEMENTS), default=None, metavar="N",
                        help="of a GMS law (as many as pay)")  # fmt: skip
    parser.add_argument("--center", type=number(-5, 5, "m"), default=None, metavar="M",
                        help="of the reversals (mid-travel)")  # fmt: skip
    parser.add_argument("--budget", type=BUDGET, default=None, metavar="S", help="of the rig's time (60)")
    parser.set_defaults(do=run)


def _plant(parser: argparse.ArgumentParser) -> None:
    from hilctl.cli.identify_plant import run

    options(parser, "plant")
    apply_option(parser)
    resume_option(parser)
    parser.set_defaults(do=run)


def _dynamics(parser: argparse.ArgumentParser) -> None:
    from hilctl.cli.identify_dynamics import options as dynamics_options

    dynamics_options(parser)
