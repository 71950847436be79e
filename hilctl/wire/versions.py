"""What to do where client and service speak different versions of the protocol."""

from hilctl.wire import MAJOR, MINOR, PROTOCOL

_UPDATE = "update hilctl on the rig PC"
_BOTH = "use hilctl of one version on both sides"


def other_major(client: object) -> str:
    """A service's word to a client of another major version, or of none."""
    if isinstance(client, bool) or not isinstance(client, int):
        return f"the client does not say which protocol it speaks, the service speaks {PROTOCOL}: send v: {MAJOR}"
    older = "the client is older: update it" if client < MAJOR else f"the client is newer: {_UPDATE}"
    return f"the client speaks protocol {client}, the service {PROTOCOL}; {older}, or {_BOTH}"


def newer_minor(minor: int) -> str:
    """A service's word to a client that may ask for more than there is; empty to all others."""
    if minor <= MINOR:
        return ""
    theirs = f"{MAJOR}.{minor}"
    return f"the client speaks protocol {theirs}, the service {PROTOCOL}: what {theirs} added is refused; {_UPDATE}"


def older_service(protocol: str) -> str:
    """A client's word on a service that does not know all that the client does; empty on all others."""
    minor = protocol.partition(".")[2]
    if not minor.isdecimal() or int(minor) >= MINOR:
        return ""
    both = f"the service speaks protocol {protocol}, this client {PROTOCOL}"
    return f"{both}: what was added since is refused; {_UPDATE}"


def other_program(service: object, client: str) -> str:
    """A client's word on a service of another version of the program that speaks its protocol; empty on its own."""
    if service == client or not isinstance(service, str):
        return ""
    return f"the service is hilctl {service}, this client {client}: they work together, but may differ; {_BOTH}"


def refused_by(said: str) -> str:
    """A client's word on a service that refuses its major version."""
    return said if PROTOCOL in said else f"{said}; this client speaks protocol {PROTOCOL}: {_BOTH}"
