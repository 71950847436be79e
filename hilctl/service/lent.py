"""Rights that are lent to jobs: a key or a token for one process, which it is given through a pipe and no file holds.

Each is bound to who started the job: never more than that role, nor more than the role at the start; nothing once the
starter is revoked, or the job has ended.
"""

import hmac
import secrets
from collections.abc import Callable
from typing import NamedTuple

from hilctl.wire.errors import Code, Refused
from hilctl.wire.roles import Role, Who

_BYTES = 24


class Pass(NamedTuple):
    """What a job shows: a token, or a pair of CURVE keys. `id` is what `Who` has of it."""

    id: str
    token: str = ""
    public: str = ""
    secret: str = ""


class _Loan(NamedTuple):
    who: Who  # as at the start
    starter: str
    token: str


class Lent:
    """The passes that are valid now. Read by the thread that admits connections too."""

    def __init__(self, role: Callable[[str], Role | None]) -> None:
        self._role = role  # of who is no job, by now
        self._loans: dict[str, _Loan] = {}

    def lend(self, starter: Who, name: str, pair: tuple[str, str] | None) -> Pass:
        """A pass with the starter's rights; by key where connections are encrypted, else by token."""
        if starter.id in self._loans:
            raise Refused(Code.NO_ROLE, f"{starter.name} is a job: jobs start no jobs", "role")
        if pair is not None:
            made = Pass(pair[0], public=pair[0], secret=pair[1])
        else:
            made = Pass(f"job {secrets.token_hex(8)}", token=secrets.token_urlsafe(_BYTES))
        who = Who(made.id, f"{starter.name}/{name}", starter.role)
        self._loans[made.id] = _Loan(who, starter.id, made.token)
        return made

    def take_back(self, id: str) -> None:
        """Its bearer may do nothing any more."""
        self._loans.pop(id, None)

    def role(self, id: str) -> Role | None:
        """What the bearer of this pass may do by now; None where it is none."""
        loan = self._loans.get(id)
        if loan is None:
            return None
        now = self._role(loan.starter)
        return None if now is None else min(now, loan.who.role)

    def of_key(self, public: str) -> Who | None:
        """Whose key that is."""
        role, loan = self.role(public), self._loans.get(public)
        return loan.who._replace(role=role) if role is not None and loan is not None else None

    def of_token(self, token: str) -> Who | None:
        """Whose token that is."""
        for id, loan in list(self._loans.items()):
            if loan.token and hmac.compare_digest(token.encode(), loan.token.encode()):
                role = self.role(id)
                return None if role is None else loan.who._replace(role=role)
        return None
