"""`hilctl keys`: who may drive a rig from elsewhere. Everything is a file; a running service sees it change."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from hilctl.cli.output import json_line, say
from hilctl.errors import DONE, WrongUse

if TYPE_CHECKING:
    from hilctl.access.roles import Roles

_ROLES = ("observer", "operator", "commissioner")  # hilctl.wire.roles; a test compares


def keys(parser: argparse.ArgumentParser) -> None:
    """The arguments of `keys`."""
    of = parser.add_subparsers(metavar="ACTION", required=True, help="make, list, revoke; token: of local programs")
    make = of.add_parser("make", help="a key for a person or a program, and the service's own with the first one")
    _rig(make)
    make.add_argument("name", metavar="NAME", help="whose key: it stands in every line of the audit")
    make.add_argument("role", metavar="ROLE", help=f"what its holder may do: {', '.join(_ROLES)}")
    make.add_argument("--out", metavar="FILE", default="", help="the key file to write (NAME.key)")
    make.set_defaults(do=_make)
    told = of.add_parser("list", help="names, roles, when made and revoked")
    _rig(told)
    told.add_argument("--json", action="store_true", help="one JSON object a line")
    told.set_defaults(do=_list)
    revoke = of.add_parser("revoke", help="this key is admitted no longer; its connections end within a second")
    _rig(revoke)
    revoke.add_argument("name", metavar="NAME", help="whose key")
    revoke.set_defaults(do=_revoke)
    token = of.add_parser("token", help="the file by which programs of this user reach services on loopback")
    token.add_argument("--renew", action="store_true", help="another token; the old one is refused from now on")
    token.set_defaults(do=_token)


def _rig(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("rig", metavar="RIG", help="rig file, or a preset's name: `hilctl presets` lists them")


def _folder(given: argparse.Namespace) -> tuple[str, Path]:
    from hilctl.rig import load
    from hilctl.service.assemble import keys_folder

    rig = load(given.rig)
    return rig.name, keys_folder(rig)


def _known(folder: Path) -> "Roles":
    from hilctl.access.roles import ROLES, read_roles

    return read_roles(folder / ROLES) if (folder / ROLES).exists() else {}


def _make(given: argparse.Namespace) -> int:
    from hilctl.access.keys import ClientKey, new_pair, service_pair, write_client
    from hilctl.access.roles import ROLES, Entry, changing, need_name, now, role_of, write_roles
    from hilctl.wire import places

    need_name(given.name)
    role = role_of(given.role)
    rig, folder = _folder(given)
    out = Path(given.out or f"{given.name}.key")
    places.own_directory(folder)
    known = _known(folder)
    if given.name in known:
        state = f"revoked at {known[given.name].revoked}" if known[given.name].revoked else "in use"
        raise WrongUse(f"NAME {given.name}: has a key already, {state}; take another name: the audit tells keys by it")
    server, pair = service_pair(folder), new_pair()
    write_client(out, ClientKey(given.name, rig, pair.public, pair.secret, server.public))
    try:
        with changing(folder):
            entry = Entry(given.name, role, pair.public, now())
            write_roles(folder / ROLES, {**_known(folder), given.name: entry})
    except BaseException:
        out.unlink()
        raise
    say(f"{out}: the key of {given.name}, {given.role} of the rig {rig}; move it to its user by secure means")
    return DONE


def _list(given: argparse.Namespace) -> int:
    _, folder = _folder(given)
    known = _known(folder)
    for entry in known.values():
        if given.json:
            say(json_line({**entry._asdict(), "role": entry.role.word}))
        else:
            say(f"{entry.name:<20} {entry.role.word:<13} made {entry.made}{_revoked(entry.revoked)}")
    if not known and not given.json:
        say(f"no keys in {folder}; `hilctl keys make {given.rig} NAME ROLE` makes the first one")
    return DONE


def _revoked(when: str) -> str:
    return f", revoked {when}" if when else ""


def _revoke(given: argparse.Namespace) -> int:
    from hilctl.access.roles import ROLES, changing, now, write_roles
    from hilctl.params import nearest

    _, folder = _folder(given)
    known = _known(folder)
    if given.name not in known:
        raise WrongUse(f"NAME {given.name}: has no key in {folder}; {nearest(given.name, tuple(known))}")
    with changing(folder):
        known = _known(folder)
        entry = known[given.name]
        if not entry.revoked:
            entry = entry._replace(revoked=now())
            write_roles(folder / ROLES, {**known, given.name: entry})
    say(f"{given.name}: revoked {entry.revoked}")
    return DONE


def _token(given: argparse.Namespace) -> int:
    from hilctl.access.token import own_token, renew_token, token_path

    path = token_path()
    if given.renew:
        renew_token(path)
    own_token(path)
    say(str(path))
    return DONE
