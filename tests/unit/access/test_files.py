"""Files with secrets: refused where others could have read or written them, and every problem of one is named."""

import os
from pathlib import Path

import pytest

from hilctl.access.files import read_secret, write_secret
from hilctl.access.keys import ClientKey, is_key, new_pair, read_client, read_service, service_pair, write_client
from hilctl.access.roles import ROLES, Entry, need_name, read_roles, write_roles
from hilctl.access.token import own_token, read_token, renew_token
from hilctl.errors import HilctlError, WrongUse
from hilctl.wire.roles import Role


def refusal(call, *given):
    with pytest.raises(HilctlError) as caught:
        call(*given)
    return caught.value.text


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o601, 0o666])
def test_a_file_that_others_have_access_to_is_refused_with_its_mode(tmp_path, mode):
    path = tmp_path / "x.key"
    write_secret(path, "a secret")
    assert path.stat().st_mode & 0o777 == 0o600 and read_secret(path, "the key file") == "a secret"
    path.chmod(mode)
    said = refusal(read_secret, path, "the key file")
    assert f"{path}: its mode is {mode:04o}" in said and f"`chmod 600 {path}`" in said


def test_what_is_no_file_of_ones_own_is_refused(tmp_path):
    target = tmp_path / "target"
    write_secret(target, "a secret")
    (tmp_path / "link").symlink_to(target)
    for path in (tmp_path / "link", tmp_path, tmp_path / "none"):
        assert str(path) in refusal(read_secret, path, "the key file")
    os.mkfifo(tmp_path / "pipe", 0o600)
    assert "is no file" in refusal(read_secret, tmp_path / "pipe", "the key file")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files to another user")
def test_a_file_of_another_user_is_refused(tmp_path):
    path = tmp_path / "x.key"
    write_secret(path, "a secret")
    os.chown(path, 12345, -1)
    assert "belongs to another user (uid 12345)" in refusal(read_secret, path, "the key file")


def test_a_new_file_takes_no_others_place_and_leaves_no_draft(tmp_path):
    write_secret(tmp_path / "x", "first", new=True)
    assert "exists already" in refusal(lambda: write_secret(tmp_path / "x", "second", new=True))
    assert (tmp_path / "x").read_text() == "first" and [p.name for p in tmp_path.iterdir()] == ["x"]


def test_keys_come_back_as_they_were_written(tmp_path):
    server, pair = service_pair(tmp_path), new_pair()
    assert service_pair(tmp_path) == server == read_service(tmp_path)
    key = ClientKey("alice", "a-rig", *pair, server.public)
    write_client(tmp_path / "alice.key", key)
    assert read_client(tmp_path / "alice.key") == key
    assert is_key(pair.public) and not is_key(pair.public[1:]) and not is_key("~" * 40) and not is_key("\x80" * 40)


@pytest.mark.parametrize(("text", "said"), [
    ("not = toml = at all", "no TOML"),
    ('name = "a"\nrig = "b"\npublic = "short"\nsecret = "x"\nserver = "y"', "`public` is missing or wrong"),
    ("", "`name` is missing"),
])  # fmt: skip
def test_a_key_file_that_is_none_is_refused(tmp_path, text, said):
    write_secret(tmp_path / "x.key", text)
    assert said in refusal(read_client, tmp_path / "x.key")


def test_a_services_key_whose_parts_do_not_belong_together_is_refused(tmp_path):
    one, other = new_pair(), new_pair()
    write_secret(tmp_path / "service.key", f'public = "{one.public}"\nsecret = "{other.secret}"\n')
    assert "do not belong together" in refusal(read_service, tmp_path)


def entry(name="alice", **values):
    return {"role": "operator", "public": new_pair().public, "made": "today", **values}, name


def written(path, *entries):
    lines = []
    for values, name in entries:
        lines += [f"[{name}]", *(f'{key} = "{value}"' for key, value in values.items())]
    write_secret(path, "\n".join(lines))


def test_a_roles_file_names_all_of_its_problems(tmp_path):
    path = tmp_path / ROLES
    shared = new_pair().public
    written(path, entry(role="admin"), entry("bob", public="short"), entry("carl", rle="x"),
            entry("dora", public=shared), entry("emil", public=shared))  # fmt: skip
    said = refusal(read_roles, path)
    assert "alice: role 'admin' refused, must be observer, operator, commissioner;" in said
    assert "bob.public: must be a key" in said and "carl.rle: no such key" in said
    assert "emil.public: is the key of dora as well" in said


def test_roles_come_back_as_they_were_written(tmp_path):
    made = Entry("alice", Role.OPERATOR, new_pair().public, "today", "tomorrow")
    write_roles(tmp_path / ROLES, {"alice": made})
    assert read_roles(tmp_path / ROLES) == {"alice": made}


@pytest.mark.parametrize("name", ["", "a b", "ä", "../x", "x" * 41])
def test_a_name_is_letters_digits_dashes(name):
    with pytest.raises(WrongUse):
        need_name(name)


def test_a_token_is_made_once_and_renewed_on_demand(tmp_path: Path):
    path = tmp_path / "access.token"
    token = own_token(path)
    assert own_token(path) == token and path.stat().st_mode & 0o777 == 0o600 and len(token) >= 32
    renew_token(path)
    assert read_token(path) != token
    write_secret(path, "short")
    assert "is no token" in refusal(read_token, path)
