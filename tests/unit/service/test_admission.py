"""Who is admitted, as the files say; what cannot be read admits nobody."""

import pytest

from hilctl.access.keys import read_client
from hilctl.access.roles import ROLES, write_roles
from hilctl.access.token import renew_token
from hilctl.errors import HilctlError
from hilctl.service.admission import ByKey, ByToken
from hilctl.wire.errors import Code, Refused
from hilctl.wire.roles import Role
from tests.system.access_parts import Keys


def code(call, *given):
    with pytest.raises(Refused) as caught:
        call(*given)
    return caught.value.code


def test_a_renewed_token_ends_the_right_of_the_old_one(tmp_path):
    path = tmp_path / "access.token"
    door = ByToken(path)
    old = path.read_text().strip()
    who = door.who("", old)
    assert who.role == Role.COMMISSIONER and door.role(who.id) == Role.COMMISSIONER and not door.look()
    renew_token(path)
    assert door.look()
    assert door.role(who.id) is None and code(door.who, "", old) == Code.NO_ACCESS
    assert door.who("", path.read_text().strip()).id != who.id


def test_a_token_that_others_may_have_read_admits_nobody(tmp_path):
    path = tmp_path / "access.token"
    door = ByToken(path)
    token = path.read_text().strip()
    path.chmod(0o644)
    assert door.look() and "its mode is 0644" in door.problem
    assert code(door.who, "", token) == Code.NO_ACCESS and code(door.who, "", "") == Code.NO_ACCESS


def test_a_token_that_is_gone_is_replaced_by_another(tmp_path):
    path = tmp_path / "access.token"
    door = ByToken(path)
    token = path.read_text().strip()
    path.unlink()
    assert door.look() and path.read_text().strip() != token


def test_all_that_is_missing_for_keys_is_said_at_once(tmp_path):
    with pytest.raises(HilctlError) as caught:
        ByKey(tmp_path, tmp_path, "a-rig")
    said = caught.value.text
    assert "service.key" in said and "roles.toml" in said and "`hilctl keys make`" in said


def test_a_roles_file_that_admits_nobody_is_no_roles_file(tmp_path):
    keys = Keys(tmp_path)
    with pytest.raises(HilctlError, match="admits nobody"):
        ByKey(tmp_path, tmp_path, "a-rig")
    keys.make("alice", Role.OBSERVER)
    keys.revoke("alice")
    with pytest.raises(HilctlError, match="admits nobody"):
        ByKey(tmp_path, tmp_path, "a-rig")


def test_two_services_cannot_have_one_key(tmp_path):
    Keys(tmp_path).make("alice", Role.OBSERVER)
    door = ByKey(tmp_path, tmp_path, "a-rig")
    with pytest.raises(HilctlError, match="another service uses it"):
        ByKey(tmp_path, tmp_path, "another")
    door.close()
    ByKey(tmp_path, tmp_path, "another").close()


def test_a_key_is_admitted_from_when_it_is_made_until_it_is_revoked(tmp_path):
    keys = Keys(tmp_path)
    keys.make("alice", Role.OBSERVER)
    door = ByKey(tmp_path, tmp_path, "a-rig")
    bob = read_client(keys.make("bob", Role.OPERATOR)).public
    assert not door.callback("hilctl", bob.encode()) and not door.look()  # nobody is admitted no longer
    assert door.callback("hilctl", bob.encode()) and door.who(bob, "").name == "bob"
    keys.change("bob", role=Role.OBSERVER)
    assert not door.look() and door.role(bob) == Role.OBSERVER
    keys.revoke("bob")
    assert door.look() and door.role(bob) is None and not door.callback("hilctl", bob.encode())
    with pytest.raises(Refused, match="the key of bob was revoked"):
        door.who(bob, "")
    door.close()


def test_a_roles_file_that_cannot_be_read_twice_admits_only_the_local_user(tmp_path):
    keys = Keys(tmp_path)
    alice = read_client(keys.make("alice", Role.OBSERVER)).public
    door = ByKey(tmp_path, tmp_path, "a-rig")
    local = read_client(door.file).public
    (tmp_path / ROLES).write_text("half of a fi")
    assert not door.look() and door.role(alice) == Role.OBSERVER  # it may be half written
    assert door.look() and door.role(alice) is None and "no TOML" in door.problem
    assert door.role(local) == Role.COMMISSIONER
    write_roles(tmp_path / ROLES, {})
    assert not door.look() and not door.problem and door.role(alice) is None
    door.close()


def test_a_folder_of_keys_in_which_others_can_write_is_refused(tmp_path):
    Keys(tmp_path / "keys").make("alice", Role.OBSERVER)
    (tmp_path / "keys").chmod(0o770)
    with pytest.raises(HilctlError, match="others can write there"):
        ByKey(tmp_path / "keys", tmp_path, "a-rig")
