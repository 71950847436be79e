"""Who gets in: with the password, from the page's own address, and nobody else."""

import asyncio
from urllib.parse import urlencode

import pytest

from hilctl.errors import WrongUse
from hilctl.panel import door
from hilctl.panel.door import COOKIE, Door
from hilctl.panel.server import Address

PASSWORD = "a long enough password"


async def inside(scope, receive, send):
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"the page"})


class Visitor:
    """A browser, as the server sees it."""

    def __init__(self, hosts=("127.0.0.1", "localhost"), secure=False):
        self.door = Door(inside, PASSWORD, hosts, secure=secure)
        self.cookie = ""

    def ask(self, path="/", *, kind="http", method="GET", query=None, body=b"", **headers):
        headers = {"host": "127.0.0.1:8088", "cookie": self.cookie, **headers}
        scope = {
            "type": kind, "method": method, "path": path, "query_string": urlencode(query or {}).encode(),
            "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        }  # fmt: skip
        sent = []

        async def receive():
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message):
            sent.append(message)

        asyncio.run(self.door(scope, receive, send))
        for name, value in sent[0].get("headers", []):
            if name == b"set-cookie":
                self.cookie = value.decode().partition(";")[0]
        return sent

    def status(self, *args, **more):
        return self.ask(*args, **more)[0].get("status", "closed")


def test_without_the_password_only_the_question_is_shown():
    sent = Visitor().ask()
    assert sent[0]["status"] == 401
    assert b"the page" not in sent[1]["body"]
    assert b"password" in sent[1]["body"].lower()


def test_the_address_that_is_printed_opens_it_and_the_password_leaves_the_address():
    visitor = Visitor()
    sent = visitor.ask(query={"token": PASSWORD, "x": "1"})
    assert dict(sent[0]["headers"])[b"location"] == b"/?x=1"
    assert visitor.status() == 200


def test_the_form_opens_it_too():
    visitor = Visitor()
    assert visitor.status(method="POST", body=urlencode({"token": PASSWORD}).encode()) == 303
    assert visitor.status() == 200


def test_a_wrong_password_shuts_it_for_a_while_also_for_the_right_one(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(door.time, "monotonic", lambda: now[0])
    visitor = Visitor()
    assert visitor.status(query={"token": "wrong"}) == 401
    assert visitor.status(query={"token": PASSWORD}) == 401
    now[0] += 1.1
    assert visitor.status(query={"token": PASSWORD}) == 303


@pytest.mark.parametrize("cookie", ["", "x", f"{COOKIE}=", f"{COOKIE}={PASSWORD}", '"\\', "=;=;"])
def test_another_cookie_is_no_password(cookie):
    visitor = Visitor()
    visitor.cookie = cookie
    assert visitor.status() == 401
    assert visitor.ask(kind="websocket")[0]["type"] == "websocket.close"


@pytest.mark.parametrize("host", ["rig.example", "127.0.0.1.evil.example:8088", "evil", ""])
def test_another_name_of_this_host_is_refused_even_with_the_password(host):
    """A site that lets its name point here must not drive the rig."""
    visitor = Visitor()
    visitor.status(query={"token": PASSWORD})
    assert visitor.status(host=host) == 403
    assert visitor.ask(kind="websocket", host=host)[0]["type"] == "websocket.close"


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:8089", "http://localhost:8088"])
def test_another_sites_script_is_refused(origin):
    visitor = Visitor()
    visitor.status(query={"token": PASSWORD})
    assert visitor.status(method="POST", path="/stop", origin=origin) == 403
    assert visitor.ask(kind="websocket", origin=origin)[0]["type"] == "websocket.close"
    assert visitor.status(method="POST", path="/stop", origin="http://127.0.0.1:8088") == 200


def test_the_cookie_is_for_this_site_and_no_script_and_by_tls_alone_where_there_is_tls():
    flags = dict(Visitor(secure=True).ask(query={"token": PASSWORD})[0]["headers"])[b"set-cookie"].decode()
    assert {"HttpOnly", "SameSite=Strict", "Secure"} <= {part.strip() for part in flags.split(";")}


def test_the_way_back_never_leads_to_another_host():
    sent = Visitor().ask(path="//evil.example/", query={"token": PASSWORD})
    assert dict(sent[0]["headers"])[b"location"] == b"/evil.example/"


# --- where it is served


@pytest.fixture
def password_file(tmp_path):
    path = tmp_path / "password"
    path.write_text(PASSWORD + "\n")
    path.chmod(0o600)
    return path


def test_on_loopback_a_password_is_made_for_each_start():
    made = {Address().password() for _ in range(3)}
    assert len(made) == 3
    assert all(was_made and len(password) >= 32 for password, was_made in made)


def test_elsewhere_it_takes_tls_and_a_password(password_file):
    assert Address("192.168.1.5", 1, "c", "k", str(password_file)).password() == (PASSWORD, False)
    for address, key in (
        (Address("192.168.1.5"), "--password-file"),
        (Address("192.168.1.5", certificate="c", private_key="k"), "--password-file"),
        (Address("192.168.1.5", password_file=str(password_file)), "--tls-cert"),
        (Address("0.0.0.0", certificate="c", password_file=str(password_file)), "--tls-cert"),
        (Address(proxy=True), "--password-file"),
    ):
        with pytest.raises(WrongUse) as refused:
            address.password()
        assert refused.value.key == key


def test_a_password_that_others_can_read_or_guess_is_refused(password_file):
    password_file.chmod(0o644)
    with pytest.raises(WrongUse, match="chmod 600"):
        Address(password_file=str(password_file)).password()
    password_file.chmod(0o600)
    password_file.write_text("short")
    with pytest.raises(WrongUse, match="at least 12"):
        Address(password_file=str(password_file)).password()
    with pytest.raises(WrongUse, match="cannot be read"):
        Address(password_file=str(password_file) + "x").password()


@pytest.mark.parametrize("host", ["rig-pc", "not an address", "300.1.1.1"])
def test_what_is_no_address_is_refused(host):
    with pytest.raises(WrongUse, match="--host"):
        Address(host).password()
