"""`hilctl identify WHAT`: campaigns on a running rig, or on a private twin.

hilctl identify friction                                 the rig that runs here
hilctl identify friction table-500 --twin                its twin, as fast as it computes
hilctl identify friction --resume out/friction-…         what is left of a campaign that was cut off
"""

import argparse

from hilctl.cli import connect


def identify(parser: argparse.ArgumentParser) -> None:
    """The arguments of `identify`."""
    kinds = parser.add_subparsers(metavar="WHAT", required=True, parser_class=type(parser))
    text = "triangles of constant speed in both directions; the friction curve, and the law that it follows"
    _friction(kinds.add_parser("friction", help=text, description=f"{text[0].upper()}{text[1:]}."))


def _friction(parser: argparse.ArgumentParser) -> None:
    from hilctl.cli.identify_friction import run

    twin_options(parser)
    connect.options(parser, moves=True)
    parser.add_argument("--out", default="", metavar="DIR", help="for samples and results (out/friction-DATE)")
    parser.add_argument("--resume", default="", metavar="DIR", help="go on with the campaign in this directory")
    parser.add_argument(
        "--speeds", nargs="+", type=float, default=None, metavar="M/S", help="24 from 0.001 to 0.8 when not given"
    )
    parser.add_argument("--budget", type=float, default=None, metavar="S", help="of the rig's time (150)")
    parser.add_argument("--stands-at", type=float, default=None, metavar="M",
                        help="zero displacement too: where the table stands now, from mid-stroke")  # fmt: skip
    parser.add_argument("--no-prepare", dest="prepare", action="store_false", help="no zeroing, arming and warm-up")
    parser.add_argument("--json", action="store_true", help="the result as one JSON object")
    parser.set_defaults(do=run)


def twin_options(parser: argparse.ArgumentParser) -> None:
    """RIG --twin, for a private one."""
    parser.add_argument("rig", nargs="?", default="", metavar="RIG", help="with --twin: a rig file, or a preset's name")
    parser.add_argument("--twin", action="store_true", help="a private twin of RIG, on the virtual clock")
    parser.add_argument("--set", dest="changes", nargs="+", action="extend", default=[], metavar="KEY=VALUE",
                        help="with --twin: values laid over the rig file")  # fmt: skip
