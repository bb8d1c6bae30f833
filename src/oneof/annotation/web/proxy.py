"""Behind a reverse proxy: a path in front of every address, and headers believed from named addresses only.

A proxy tells the browser's address, the scheme and the host in `X-Forwarded-*`, and may sign people in itself and name
them in a header. Anybody can send such headers, so they count only where the connection comes from an address that the
operator has named; from anywhere else they are dropped.
"""

from collections.abc import Sequence
from ipaddress import ip_address, ip_network
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from oneof.annotation.web.site import USER

FORWARDED = ("x-forwarded-for", "x-forwarded-proto", "x-forwarded-host", "x-forwarded-port", "forwarded")


class Proxy:
    """ASGI middleware, the outermost one.

    root_path: what the proxy puts in front of every path; taken off if it is there. trusted: addresses or networks of
    proxies. user_header: the header in which they name who has signed in. public_url: the address that browsers use.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        root_path: str = "",
        trusted: Sequence[str] = (),
        user_header: str | None = None,
        public_url: str | None = None,
    ) -> None:
        self.app = app
        self.root_path = root_path
        self.networks = [ip_network(one) for one in trusted]
        self.user_header = user_header.lower() if user_header else None
        self.public = urlsplit(public_url) if public_url else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Rewrite one request as the browser sent it."""
        if scope["type"] == "http":
            scope = self._seen(scope)
        await self.app(scope, receive, send)

    def is_trusted(self, address: str) -> bool:
        """Whether a connection from here may speak for others."""
        try:
            return any(ip_address(address) in network for network in self.networks)
        except ValueError:
            return False

    def _seen(self, scope: Scope) -> Scope:
        given = Headers(scope=scope)
        dropped = {*FORWARDED, self.user_header}
        headers = [(name, value) for name, value in scope["headers"] if name.decode("latin-1") not in dropped]
        seen = {**scope, "root_path": self.root_path}
        if self.root_path and not f"{scope['path']}/".startswith(f"{self.root_path}/"):
            seen["path"] = self.root_path + scope["path"]
        peer = scope.get("client")
        host = None
        if peer is not None and self.is_trusted(peer[0]):
            seen["client"] = (self._browser(given.get("x-forwarded-for", ""), peer[0]), 0)
            scheme = given.get("x-forwarded-proto", "").strip().lower()
            seen["scheme"] = scheme if scheme in ("http", "https") else scope["scheme"]
            host = given.get("x-forwarded-host", "").split(",")[-1].strip() or None
            if self.user_header is not None:
                seen[USER] = _readable(given.get(self.user_header, "")) or None
        if self.public is not None:
            seen["scheme"], host = self.public.scheme, self.public.netloc
        if host is not None:
            headers = [(name, value) for name, value in headers if name != b"host"]
            headers.append((b"host", host.encode("latin-1")))
        return {**seen, "headers": headers}

    def _browser(self, forwarded: str, peer: str) -> str:
        """The last address in the chain that is not a trusted proxy; those before it may be invented."""
        for address in reversed([one.strip() for one in forwarded.split(",") if one.strip()]):
            if not self.is_trusted(address):
                return address
        return peer


def _readable(value: str) -> str:
    """A header as text: they are sent as UTF-8 and arrive as Latin-1."""
    try:
        return value.encode("latin-1").decode("utf-8").strip()
    except UnicodeDecodeError:
        return value.strip()
