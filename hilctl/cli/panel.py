"""`hilctl panel`: the operator's page."""

import argparse

from hilctl.cli import connect
from hilctl.cli.arguments import count
from hilctl.errors import DONE


def panel(parser: argparse.ArgumentParser) -> None:
    """The arguments of `panel`."""
    connect.options(parser)
    parser.add_argument("--host", default="127.0.0.1", metavar="ADDRESS",
                        help="where to serve the page; elsewhere than on loopback with TLS and a password")  # fmt: skip
    parser.add_argument("--port", type=count(0, 65535), default=8088, metavar="PORT",
                        help="its port (8088); 0: any free one")  # fmt: skip
    parser.add_argument("--tls-cert", default="", metavar="FILE", help="certificate, PEM")
    parser.add_argument("--tls-key", default="", metavar="FILE", help="its private key, PEM")
    parser.add_argument("--password-file", default="", metavar="FILE",
                        help="password of the page, in a file that only its owner can read; not given: a new one is in "
                             "the address that is printed")  # fmt: skip
    parser.add_argument("--behind-proxy", action="store_true",
                        help="a server with TLS passes requests on to this one")  # fmt: skip
    parser.add_argument("--name", action="append", default=[], metavar="HOST",
                        help="a further host name under which browsers may ask for it")  # fmt: skip
    parser.set_defaults(do=_panel)


def _panel(given: argparse.Namespace) -> int:
    from hilctl.cli.output import say
    from hilctl.panel.feed import Where
    from hilctl.panel.server import Address, serve

    where = Where(connect.where(given), given.key, given.telemetry)
    serve(where, Address(given.host, given.port, given.tls_cert, given.tls_key, given.password_file, given.behind_proxy,
                         tuple(given.name)), say)  # fmt: skip
    return DONE
