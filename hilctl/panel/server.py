"""`hilctl panel`: serves the page until Ctrl-C."""

import asyncio
import secrets
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from ipaddress import ip_address
from pathlib import Path
from typing import Any, NamedTuple

from hilctl.errors import HilctlError, WrongUse
from hilctl.panel.door import Door
from hilctl.panel.feed import Feed, Where
from hilctl.panel.files import Files
from hilctl.panel.hall import Hall

PORT = 8088
_ENDS_S = 2
_ANSWERS_S = 20.0
_PING_S = 5.0  # finds connections that are dead; whether somebody is there, the page's own script answers more often
_SHORTEST = 12  # characters of a password


class Address(NamedTuple):
    """Where the page is served, and what it takes to open it."""

    host: str = "127.0.0.1"
    port: int = PORT
    certificate: str = ""
    private_key: str = ""
    password_file: str = ""
    proxy: bool = False  # another server stands before it, with TLS
    names: tuple[str, ...] = ()  # under which it may be asked for, besides the host

    @property
    def secure(self) -> bool:
        """Whether browsers reach it by TLS."""
        return bool(self.certificate) or self.proxy

    @property
    def url(self) -> str:
        """Where it is."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http{'s' if self.certificate else ''}://{host}:{self.port}/"

    def password(self) -> tuple[str, bool]:
        """From its file, or made for this start; and whether it was made. WrongUse where the page would be open."""
        local = self._is_local()
        if bool(self.certificate) != bool(self.private_key):
            raise WrongUse("--tls-cert and --tls-key: give both, or none", key="--tls-cert")
        if (not local or self.proxy) and not self.password_file:
            raise WrongUse(
                f"--host {self.host}: elsewhere than on loopback, or behind a proxy, the page needs --password-file",
                key="--password-file",
            )
        if not local and not self.secure:
            raise WrongUse(
                f"--host {self.host}: elsewhere than on loopback the page needs TLS; give --tls-cert and --tls-key, or "
                "serve it on 127.0.0.1 behind a proxy that has them, with --behind-proxy", key="--tls-cert",
            )  # fmt: skip
        if not self.password_file:
            return secrets.token_urlsafe(24), True
        return _read(Path(self.password_file)), False

    def _is_local(self) -> bool:
        try:
            return self.host == "localhost" or ip_address(self.host).is_loopback
        except ValueError:
            what = "must be an address of this computer, like 127.0.0.1"
            raise WrongUse(f"--host {self.host}: {what}", key="--host") from None


def _read(path: Path) -> str:
    try:
        mode, text = path.stat().st_mode, path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise WrongUse(f"--password-file {path}: cannot be read: {error}", key="--password-file") from None
    if mode & 0o077:
        raise WrongUse(f"--password-file {path}: others can read it; chmod 600 {path}", key="--password-file")
    if len(text) < _SHORTEST:
        raise WrongUse(f"--password-file {path}: {len(text)} characters, at least {_SHORTEST}", key="--password-file")
    return text


def serve(where: Where, address: Address, say: Callable[[str], None], feed: Feed | None = None) -> None:
    """Until it is ended by Ctrl-C or SIGTERM."""
    try:
        import uvicorn
    except ImportError:
        raise HilctlError(
            "the operator's page needs NiceGUI, which is not installed", remedy="pip install 'hilctl[panel]'"
        ) from None

    password, made = address.password()

    class Server(uvicorn.Server):
        """Says where it listens, once it does."""

        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            if self.started:
                port = self.servers[0].sockets[0].getsockname()[1]
                say(f"operator's page at {address._replace(port=port).url}{f'?token={password}' if made else ''}")

    server = Server(uvicorn.Config(
        _application(feed or Feed(where), address, password), host=address.host, port=address.port,
        log_level="warning", access_log=False, proxy_headers=address.proxy, timeout_graceful_shutdown=_ENDS_S,
        ssl_certfile=address.certificate or None, ssl_keyfile=address.private_key or None,
        ws="websockets-sansio", ws_ping_interval=_PING_S, ws_ping_timeout=_PING_S, ws_per_message_deflate=False,
    ))  # fmt: skip
    with suppress(KeyboardInterrupt):  # uvicorn has ended in order, and raises it again
        server.run()


def _application(feed: Feed, address: Address, password: str) -> Any:
    """Our routes, NiceGUI's below them, and the door before all."""
    from fastapi import FastAPI, Response, WebSocket
    from fastapi.middleware.gzip import GZipMiddleware
    from fastapi.staticfiles import StaticFiles
    from nicegui import ui

    hall, files = Hall(feed), Files(feed)
    packed = address.secure  # for a browser of this host it only takes time

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        feed.start()
        yield
        for end in (files.close, hall.close, feed.stop):
            await asyncio.to_thread(end)

    app = FastAPI(lifespan=lifespan, openapi_url=None)
    hosts = {address.host, "127.0.0.1", "localhost", "::1", *address.names}
    app.add_middleware(Door, password=password, hosts=() if address.proxy else hosts, secure=address.secure)
    app.mount("/static", StaticFiles(packages=[("hilctl.panel", "static")]))
    files.routes(app)

    @app.websocket("/live/{page}")
    async def live(socket: WebSocket, page: str) -> None:
        await socket.accept()
        desk = hall.desks.get(page)
        if desk is None:
            await socket.close(4404)
        else:
            await desk.serve(socket)

    @app.post("/stop")
    async def stop() -> Response:
        why = await asyncio.to_thread(hall.stop_line.stop)
        return Response(why, status_code=503 if why else 204, media_type="text/plain")

    @ui.page("/", title="hilctl", response_timeout=_ANSWERS_S)
    async def main() -> None:
        await hall.page()

    ui.run_with(app, title="hilctl", favicon=_ICON, reconnect_timeout=10.0, tailwind=False, show_welcome_message=False,
                binding_refresh_interval=None, gzip_middleware_factory=GZipMiddleware if packed else None)  # fmt: skip
    return app


_ICON = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="6" fill="#0057b8"/>'
    '<path d="M4 22 12 8l8 16 8-14" fill="none" stroke="#fff" stroke-width="3"/></svg>'
)
