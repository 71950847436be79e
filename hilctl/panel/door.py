"""Who may open the page: a browser that was given the password once, and only from the page's own address.

On loopback the password is made at each start and stands in the address that is printed: other users of this computer
do not know it. What a browser sends for another site (another Host or Origin) is refused.
"""

import hmac
import html
import secrets
import time
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

COOKIE = "hilctl_panel"
_LONGEST = 4096  # bytes of a form
_WRONG_S = 1.0  # until the next password is looked at, for everybody

_FORM = """<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>hilctl</title><style>body{{font:16px system-ui;display:grid;place-items:center;min-height:90vh;
color-scheme:light dark}}input,button{{font:inherit;padding:.5em;margin:.2em 0}}</style>
<form method="post"><h1>hilctl</h1><p>{said}</p><label>Password<br>
<input type="password" name="token" autofocus autocomplete="current-password"></label>
<button>Open</button></form></html>"""


class Door:
    """An ASGI application before the page's own."""

    def __init__(self, app: App, password: str, hosts: Iterable[str], *, secure: bool) -> None:
        self._app, self._password, self._secure = app, password.encode(), secure
        self._hosts = {host.lower() for host in hosts}  # empty: any, behind a proxy that has checked
        self._cookie = secrets.token_urlsafe(32)
        self._shut_until_s = 0.0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Lets through, asks, or refuses."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = {key.decode("latin-1").lower(): value.decode("latin-1") for key, value in scope["headers"]}
        why = self._foreign(headers)
        if why:
            await _refuse(scope, send, 403, why)
        elif self._knows(headers):
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await _refuse(scope, send, 403, "no password was given; open the page first")
        else:
            await self._ask(scope, receive, send)

    def _foreign(self, headers: dict[str, str]) -> str:
        host = headers.get("host", "")
        name = urlsplit(f"//{host}").hostname or ""
        if self._hosts and name not in self._hosts:
            return (
                f"Host {name!r} is not one of {', '.join(sorted(self._hosts))}; start the panel with --host or --name"
            )
        origin = headers.get("origin")
        if origin is not None and urlsplit(origin).netloc.lower() != host.lower():
            return f"this request comes from another site, {origin}"
        return ""

    def _knows(self, headers: dict[str, str]) -> bool:
        try:
            found = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
        except CookieError:
            return False
        return found is not None and hmac.compare_digest(found.value.encode(), self._cookie.encode())

    async def _ask(self, scope: Scope, receive: Receive, send: Send) -> None:
        query = parse_qs(scope["query_string"].decode("latin-1"))
        given = query.pop("token", [""])[0]
        if scope["method"] == "POST":
            given = parse_qs(await _body(receive)).get("token", [""])[0]
        said = ""
        if given:
            if time.monotonic() < self._shut_until_s:
                said = "A wrong password was given just now. Wait a second, and try again."
            elif hmac.compare_digest(given.encode(), self._password):
                rest = urlencode(query, doseq=True)
                await _redirect(send, scope["path"] + (f"?{rest}" if rest else ""), self._set())
                return
            else:
                self._shut_until_s = time.monotonic() + _WRONG_S
                said = "Wrong password. It is in the file of --password-file, or in the address that was printed."
        await _answer(send, 401, _FORM.format(said=html.escape(said)).encode())

    def _set(self) -> str:
        return f"{COOKIE}={self._cookie}; Path=/; HttpOnly; SameSite=Strict" + ("; Secure" if self._secure else "")


async def _body(receive: Receive) -> str:
    body = b""
    while len(body) <= _LONGEST:
        message = await receive()
        body += message.get("body", b"")
        if not message.get("more_body"):
            break
    return body[:_LONGEST].decode("utf-8", "replace")


async def _refuse(scope: Scope, send: Send, status: int, why: str) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008, "reason": why[:120]})
    else:
        await _answer(send, status, why.encode(), b"text/plain; charset=utf-8")


async def _answer(send: Send, status: int, body: bytes, kind: bytes = b"text/html; charset=utf-8") -> None:
    headers = [(b"content-type", kind), (b"content-length", str(len(body)).encode()), (b"cache-control", b"no-store")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def _redirect(send: Send, where: str, cookie: str) -> None:
    target = "/" + where.lstrip("/")  # never to another host
    headers = [(b"location", target.encode()), (b"set-cookie", cookie.encode()), (b"content-length", b"0")]
    await send({"type": "http.response.start", "status": 303, "headers": headers})
    await send({"type": "http.response.body", "body": b""})
