"""Pairs of CURVE keys in files: of a service, and of its clients."""

import struct
import tomllib
from pathlib import Path
from typing import NamedTuple

import zmq
from zmq.utils import z85

from hilctl.access.files import read_secret, write_secret
from hilctl.errors import HilctlError
from hilctl.wire.toml import toml_of

SERVICE_KEY = "service.key"
LENGTH = 40  # characters of a key in Z85


class Pair(NamedTuple):
    """A public key and its secret."""

    public: str
    secret: str


class ClientKey(NamedTuple):
    """What a client needs to be known, and to know that it speaks with the right service."""

    name: str
    rig: str
    public: str
    secret: str
    server: str  # the service's public key


def new_pair() -> Pair:
    """A fresh pair."""
    public, secret = zmq.curve_keypair()
    return Pair(public.decode(), secret.decode())


def is_key(text: object) -> bool:
    """Whether this can be a key."""
    if not isinstance(text, str) or len(text) != LENGTH or not text.isascii():
        return False
    try:
        return len(z85.decode(text)) == 32
    except (ValueError, KeyError, struct.error):
        return False


def service_pair(folder: Path) -> Pair:
    """The pair of a service; made where there is none yet."""
    path = folder / SERVICE_KEY
    if not path.exists():
        pair = new_pair()
        text = f"# The key of a hilctl service: keep it secret.\n{_lines(pair._asdict())}"
        write_secret(path, text, new=True)
    return read_service(folder)


def read_service(folder: Path) -> Pair:
    """The pair of a service."""
    found = _read(folder / SERVICE_KEY, "the service's key", Pair._fields)
    pair = Pair(found["public"], found["secret"])
    if zmq.curve_public(pair.secret.encode()).decode() != pair.public:
        raise HilctlError(f"the service's key {folder / SERVICE_KEY}: public and secret do not belong together")
    return pair


def write_client(path: Path, key: ClientKey) -> None:
    """A client's key file; another one is never overwritten."""
    text = f"# A key for the rig {key.rig}: keep it secret, and copy it by secure means only.\n{_lines(key._asdict())}"
    write_secret(path, text, new=True)


def read_client(path: Path) -> ClientKey:
    """A client's key file."""
    found = _read(path, "the key file", ClientKey._fields)
    return ClientKey(**found)


def _lines(values: dict[str, str]) -> str:
    return "".join(f"{name} = {toml_of(value)}\n" for name, value in values.items())


def _read(path: Path, what: str, names: tuple[str, ...]) -> dict[str, str]:
    text = read_secret(path, what)
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise HilctlError(f"{what} {path}: no TOML: {error}", remedy="`hilctl keys make` writes key files") from None
    for name in names:
        value = found.get(name)
        good = is_key(value) if name in ("public", "secret", "server") else isinstance(value, str)
        if not good:
            told = f"{what} {path}: `{name}` is missing or wrong"
            raise HilctlError(told, remedy="`hilctl keys make` writes key files")
    return {name: found[name] for name in names}
