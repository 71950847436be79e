"""`hilctl adapt`: what the running controller has learned of its valve; and keeping it."""

import argparse

from hilctl.cli import connect
from hilctl.cli.output import json_line, say
from hilctl.errors import DONE
from hilctl.wire.toml import toml_of


def adapt(parser: argparse.ArgumentParser) -> None:
    """The arguments of `adapt`."""
    of = parser.add_subparsers(metavar="ACTION", required=True, help="show, freeze")
    show = of.add_parser("show", help="null, flow gain and overlap as they are learned now")
    connect.options(show)
    show.add_argument("--json", action="store_true", help="as one JSON object")
    show.set_defaults(do=_show)
    freeze = of.add_parser("freeze", help="keep what is learned as parameters, in one set, and end learning")
    connect.options(freeze, moves=True)
    freeze.add_argument("--origin", default="", metavar="TEXT", help="why; it is recorded with the change")
    freeze.add_argument("--json", action="store_true", help="epoch and changes as one JSON object")
    freeze.set_defaults(do=_freeze)


def _show(given: argparse.Namespace) -> int:
    from hilctl.client.learned import SHARE, learned

    with connect.look(given) as rig:
        now = learned(rig)
    if given.json:
        say(json_line(now._asdict()))
        return DONE
    off = f"; `hilctl set {SHARE}=1` switches learning on" if now.share == 0.0 else ""
    ended = f"; ended: {', '.join(now.ended)} at its bound ({SHARE.rsplit('.', 1)[0]})" if now.ended else ""
    state = "in this tick" if now.learning else "not in this tick"
    say(f"learning   {SHARE} = {now.share:g}{off}{ended or (f', {state}' if now.share else '')}")
    say(f"null       {now.valve_null:+.5f} of full opening, {now.null:+.5f} of it learned")
    say(f"flow gain  {100 * now.gain:+.2f} % of machine.Qn")
    say(f"overlap    {now.overlap:+.5f} of full opening on both sides")
    return DONE


def _freeze(given: argparse.Namespace) -> int:
    from hilctl.client.learned import freeze

    with connect.command(given) as rig:
        made = freeze(rig, given.origin)
    if given.json:
        say(json_line(made))
        return DONE
    for edit in made["changed"]:
        say(f"{edit['key']}: {toml_of(edit['old'])} → {toml_of(edit['new'])}")
    say(f"epoch {made['epoch']}")
    return DONE
