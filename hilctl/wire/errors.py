"""Why a request was refused: a code for programs, a key and a sentence for people."""

from enum import StrEnum

from hilctl.errors import HilctlError


class Code(StrEnum):
    """The codes of a refusal. A refused request has changed nothing."""

    BAD_MESSAGE = "bad_message"
    UNKNOWN_OP = "unknown_op"
    BAD_VALUE = "bad_value"
    WRONG_MODE = "wrong_mode"
    NO_ACCESS = "no_access"
    NO_ROLE = "no_role"
    NO_LEASE = "no_lease"
    LEASE_HELD = "lease_held"
    STALE = "stale"
    LIMIT = "limit"
    TRIPPED = "tripped"
    BUSY = "busy"
    TOO_LARGE = "too_large"
    GONE = "gone"
    VERSION = "version"
    INTERNAL = "internal"


MEANINGS: dict[Code, str] = {
    Code.BAD_MESSAGE: "not a request: malformed MessagePack, a missing or unknown field, an id that was used before",
    Code.UNKNOWN_OP: "no such operation; the message names the nearest one",
    Code.BAD_VALUE: "an argument or a parameter is unknown, mistyped, not finite or out of its bounds; `key` names it",
    Code.WRONG_MODE: "not in this mode, or not while the table moves",
    Code.NO_ACCESS: "the sender has shown no token that is valid, or its key was revoked",
    Code.NO_ROLE: "the role of the sender's key does not include this operation; the message names the one that does",
    Code.NO_LEASE: "this operation needs the lease, and the sender does not hold it",
    Code.LEASE_HELD: "another client holds the lease",
    Code.STALE: "the change is based on an older epoch; the message says who changed what since",
    Code.LIMIT: "the motion would pass a limit; the message names the instant, `key` the limit",
    Code.TRIPPED: "a trip is latched, or its cause is still present",
    Code.BUSY: "too many requests, or a queue is full: ask again later",
    Code.TOO_LARGE: "the message or the upload exceeds its size",
    Code.GONE: "what was asked for is no more: samples that were purged, a core that ended",
    Code.VERSION: "another major version of the protocol; the message says both",
    Code.INTERNAL: "a defect of the service; its log says more",
}


REMEDIES: dict[Code, str] = {
    Code.NO_LEASE: "arm first, or take it with --takeover",
    Code.LEASE_HELD: "--takeover takes it",
}


class Refused(HilctlError):
    """A request that was refused. Raised in the service, sent as `error`, raised again by the client."""

    code: Code

    def __init__(self, code: Code | str, message: str, key: str = "") -> None:
        self.code, self.message = Code(code), message
        super().__init__(f"{self.code}: {message}", key=key, remedy=REMEDIES.get(self.code, ""))

    @property
    def text(self) -> str:
        """Without the code: it is for programs."""
        return f"{self.message}; {self.remedy}" if self.remedy else self.message


def refusal_of(error: HilctlError) -> Refused:
    """What an error becomes on the wire. `key` names the first of several problems."""
    if isinstance(error, Refused):
        return error
    code = error.code if error.code in _CODES else Code.INTERNAL
    return Refused(code, error.text[:4000], error.key)


_CODES = frozenset(Code)
