"""The token of a user: what programs on this host show to a service of the same user that listens on loopback.

Only this user can read the file. Where it was read by somebody else, `hilctl keys token --renew` makes another, which a
running service adopts at once.
"""

import os
import secrets
from contextlib import suppress
from pathlib import Path

from hilctl.access.files import read_secret, write_secret
from hilctl.errors import HilctlError
from hilctl.wire import places

TOKEN = "access.token"
VARIABLE = "HILCTL_TOKEN"  # the file, where it is another one
_BYTES = 24


def token_path() -> Path:
    """Where the token of this user is."""
    given = os.environ.get(VARIABLE)
    return Path(given) if given else places.runtime_root() / TOKEN


def own_token(path: Path) -> str:
    """The token; made where there is none yet."""
    if not path.exists():
        _need_folder(path)
        with suppress(HilctlError):  # another program was faster
            write_secret(path, secrets.token_urlsafe(_BYTES) + "\n", new=True)
    return read_token(path)


def read_token(path: Path) -> str:
    """The token."""
    token = read_secret(path, "the access token").strip()
    if len(token) < _BYTES or not token.isascii() or len(token.split()) != 1:
        raise HilctlError(f"the access token {path}: is no token", remedy="`hilctl keys token --renew` makes one")
    return token


def renew_token(path: Path) -> None:
    """Another token; a program that shows the old one is refused from now on."""
    _need_folder(path)
    write_secret(path, secrets.token_urlsafe(_BYTES) + "\n")


def _need_folder(path: Path) -> None:
    """Our own folder, for this user alone; one that was named is left as it is."""
    if path.parent == places.runtime_root():
        places.own_directory(path.parent)
