"""Who may ask for what: three roles, each with the rights of those before it. `ops` says which each operation needs."""

from enum import IntEnum
from typing import NamedTuple


class Role(IntEnum):
    """The rights of a key or of a token."""

    OBSERVER = 1
    OPERATOR = 2
    COMMISSIONER = 3

    @property
    def word(self) -> str:
        """As files and messages write it."""
        return self.name.lower()


RIGHTS: dict[Role, str] = {
    Role.OBSERVER: "look, fetch, `stop`",
    Role.OPERATOR: "also the lease, motions, recordings",
    Role.COMMISSIONER: "also parameters, zeroing, limits",
}


class Who(NamedTuple):
    """Who sent a request. `id` stands for the key or the token itself; a name is for people."""

    id: str
    name: str
    role: Role
