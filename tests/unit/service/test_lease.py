"""The lease: one holder at a time, whatever is asked in whatever order."""

import itertools

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from hilctl.service.lease import LeaseDesk
from hilctl.wire.errors import Code, Refused

_CLIENTS = st.sampled_from(["ann", "bob", "eve"])
_KINDS = st.sampled_from(["attended", "console"])
_TIMEOUT_S, _IDLE_S = 2.0, 5.0
_PATIENCE_S = {"attended": _TIMEOUT_S, "console": _IDLE_S}


class LeaseMachine(RuleBasedStateMachine):
    """Against a model that only knows who holds what, and since when."""

    def __init__(self) -> None:
        super().__init__()
        tokens = itertools.count()
        self.desk = LeaseDesk(_TIMEOUT_S, _IDLE_S, lambda: f"token{next(tokens)}")
        self.now_s = 0.0
        self.holder: tuple[str, str, str] | None = None  # client, kind, token
        self.beat_s = 0.0
        self.tokens: dict[str, str] = {}

    def _shows(self, client: str, with_token: bool) -> str:
        return self.tokens.get(client, "") if with_token else ""

    def _entitled(self, client: str, token: str) -> bool:
        if self.holder is None:
            return False
        owner, _, current = self.holder
        return token == current and client == owner

    @rule(client=_CLIENTS, kind=_KINDS, with_token=st.booleans(), force=st.booleans())
    def take(self, client: str, kind: str, with_token: bool, force: bool) -> None:
        token = self._shows(client, with_token)
        entitled = self._entitled(client, token)
        if self.holder is not None and not entitled and not force:
            with pytest.raises(Refused) as refused:
                self.desk.take(client, f"{client}'s", token, kind, self.now_s)  # type: ignore[arg-type]
            assert refused.value.code == Code.LEASE_HELD
            return
        held = self.desk.take(client, f"{client}'s", token, kind, self.now_s, force=force)  # type: ignore[arg-type]
        if not (entitled and self.holder is not None and self.holder[1] == kind):
            assert held.token not in self.tokens.values(), "a new grant bears a new token"
            self.holder = (client, kind, held.token)
        self.tokens[client] = held.token
        self.beat_s = self.now_s

    @rule(client=_CLIENTS, with_token=st.booleans())
    def release(self, client: str, with_token: bool) -> None:
        token = self._shows(client, with_token)
        if self._entitled(client, token):
            self.desk.release(client, token)
            self.holder = None
        else:
            with pytest.raises(Refused):
                self.desk.release(client, token)

    @rule(client=_CLIENTS, with_token=st.booleans())
    def beat(self, client: str, with_token: bool) -> None:
        token = self._shows(client, with_token)
        heard = self.desk.beat(client, token, self.now_s)
        assert heard == self._entitled(client, token)
        if heard:
            self.beat_s = self.now_s

    @rule(seconds=st.sampled_from([0.1, 0.5, 1.9, 2.1]))
    def time_passes(self, seconds: float) -> None:
        self.now_s += seconds
        silent_s = self.now_s - self.beat_s
        left_s = None if self.holder is None else max(0.0, _PATIENCE_S[self.holder[1]] - silent_s)
        assert self.desk.ends_in_s(self.now_s) == (None if left_s is None else pytest.approx(left_s))
        lost = self.desk.expired(self.now_s)
        assert (lost is not None) == (self.holder is not None and silent_s > _PATIENCE_S[self.holder[1]])
        if lost is not None:
            self.holder = None
        assert self.desk.expired(self.now_s) is None, "it is told once"

    @invariant()
    def exactly_the_holder_is_allowed(self) -> None:
        for client in ("ann", "bob", "eve"):
            for with_token in (False, True):
                token = self._shows(client, with_token)
                assert self.desk.allows(client, token) == self._entitled(client, token)


TestLease = LeaseMachine.TestCase


def test_without_a_lease_the_refusal_says_to_take_it() -> None:
    with pytest.raises(Refused) as refused:
        LeaseDesk(2.0, 600.0).need("ann", "", "track")
    assert refused.value.code == Code.NO_LEASE


def test_a_second_writer_is_told_who_holds_it() -> None:
    desk = LeaseDesk(2.0, 600.0)
    desk.take("ann", "ann", "", "attended", 0.0)
    with pytest.raises(Refused, match="held by ann") as refused:
        desk.need("bob", "", "track")
    assert refused.value.code == Code.LEASE_HELD


def test_a_name_is_no_right_to_the_lease_and_neither_key_nor_secret_is_alone() -> None:
    desk = LeaseDesk(2.0, 600.0)
    secret = desk.take("ann's key", "ann", "", "attended", 0.0).token
    assert desk.allows("ann's key", secret)
    assert not desk.allows("ann's key", "") and not desk.allows("ann's key", "guessed")
    assert not desk.allows("bob's key", secret) and not desk.allows("ann", secret)
    with pytest.raises(Refused, match="held by ann"):  # two programs with one key are one writer
        desk.take("ann's key", "ann", "", "attended", 0.0)


def test_a_console_lease_outlasts_its_holders_process_until_nobody_has_used_it_for_long() -> None:
    desk = LeaseDesk(2.0, 600.0)
    token = desk.take("ann", "first command", "", "console", 0.0).token
    assert desk.expired(599.0) is None
    assert desk.allows("ann", token) and not desk.allows("ann", "")
    desk.beat("ann", token, 599.0)
    assert desk.expired(1198.0) is None
    lost = desk.expired(1200.0)
    assert lost is not None and lost.kind == "console" and desk.held is None


def test_what_is_to_be_restored_is_as_it_was_at_the_first_take_until_the_lease_changes_hands() -> None:
    desk = LeaseDesk(2.0, 600.0)
    token = desk.take("ann", "ann", "", "attended", 0.0, restore="before").token
    assert desk.take("ann", "ann", token, "attended", 1.0, restore="meanwhile").restore == "before"
    assert desk.take("ann", "ann", token, "attended", 1.0).restore == "before"
    assert desk.take("ann", "ann", token, "console", 1.0).restore is None
    desk.take("bob", "bob", "", "attended", 2.0, force=True)
    lost = desk.expired(9.0)
    assert lost is not None and lost.restore is None


def test_every_change_of_hands_is_counted_and_a_renewal_is_none() -> None:
    desk = LeaseDesk(2.0, 600.0)
    counts = []
    token = desk.take("ann", "ann", "", "attended", 0.0).token
    counts.append(desk.grants)
    desk.take("ann", "ann", token, "attended", 1.0)
    counts.append(desk.grants)
    token = desk.take("bob", "bob", "", "attended", 1.0, force=True).token
    counts.append(desk.grants)
    desk.release("bob", token)
    counts.append(desk.grants)
    assert counts == [1, 1, 2, 3]
