"""Checks of every request before it is read: its size, whether it is forged; and what a browser may load.

The session cookie is SameSite=Strict, so another site's request comes without it. On top of that a POST must not name
another origin, and must be one that a plain form of another site cannot send.
"""

import json
import re
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LARGEST_BODY = 64 * 1024
LARGEST_FORM = 2 * 2**20
"""For managers: guidelines of 50,000 characters, or thousands of classes, in a script that takes many bytes each."""
LARGEST_UPLOAD = 4 * 2**30
UPLOADS = ("/admin/project/import", "/api/v1/items")
"""Where managers send files; who may do so is looked at before the body is read."""
FORMS = re.compile(r"/admin/|/api/v1/|/api/guidelines$|/new$")
"""Where managers send forms and texts."""

HEADERS = {
    "Content-Security-Policy": "default-src 'self'; img-src 'self' blob:; object-src 'none'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # Not "no-referrer": under that browsers send `Origin: null` with our own forms. Other sites see no address anyway.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
SCRIPT_TYPES = {"application/json", ""}
HOST = re.compile(r"([\w.~%-]+|\[[0-9a-fA-F:.]+\])(:\d{0,5})?")
"""What a browser may send as Host: a name or an address, and a port. Links and cookies are made from it."""


class Guard:
    """ASGI middleware: refuse forged and oversized requests before they are read, and set the safety headers."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] == "websocket":
            # No page uses websockets. Closed before it is accepted, the browser gets 403.
            await send({"type": "websocket.close", "code": 1008, "reason": ""})
            return
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)

        async def guarded_send(message: Message) -> None:
            if message["type"] == "http.response.start":
                outgoing = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    outgoing.setdefault(name, value)
            await send(message)

        if not HOST.fullmatch(headers.get("host", "")):
            await _refuse(guarded_send, 400, "the header Host is not the name of a server")
            return
        if scope["method"] not in ("GET", "HEAD"):
            forged = forged_reason(headers)
            if forged is not None:
                await _refuse(guarded_send, 403, forged)
                return
        largest = largest_body(scope["path"])
        too_large = f"the request is larger than {largest} bytes"
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > largest:
            await _refuse(guarded_send, 413, too_large)
            return
        received = 0

        async def counted_receive() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > largest:
                raise HTTPException(413, too_large)
            return message

        await self.app(scope, counted_receive, guarded_send)


def largest_body(path: str) -> int:
    """How many bytes a request to this path may have.

    >>> largest_body("/api/answers"), largest_body("/pets/admin/project/guidelines")
    (65536, 2097152)
    """
    if path.endswith(UPLOADS):
        return LARGEST_UPLOAD
    return LARGEST_FORM if FORMS.search(path) else LARGEST_BODY


def forged_reason(headers: Headers) -> str | None:
    """Why a POST with these headers may come from another site; None if it does not.

    A browser names the origin of every cross-site POST. A script of our own (no Origin at all) is let through when it
    sends what a form cannot: JSON, or our header.

    >>> forged_reason(Headers({"host": "a.example", "origin": "https://b.example", "x-oneof": "1"}))
    'the request comes from another site'
    >>> forged_reason(Headers({"host": "a.example", "origin": "https://a.example", "x-oneof": "1"}))
    """
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    if site is not None and site != "same-origin":
        return "the request comes from another site"
    if origin is not None and not _same_host(origin, headers.get("host", "")):
        return "the request comes from another site"
    kind = headers.get("content-type", "").split(";")[0].strip().lower()
    # A form of another site cannot name a key: a program that does has it from a manager.
    own = "x-oneof" in headers or "authorization" in headers
    if site is None and origin is None and not own and kind not in SCRIPT_TYPES:
        return "the request does not come from the page"
    return None


def _same_host(origin: str, host: str) -> bool:
    try:
        return urlsplit(origin).netloc.lower() == host.lower()
    except ValueError:  # an address that cannot be one, such as http://[::1
        return False


async def _refuse(send: Send, status: int, detail: str) -> None:
    body = json.dumps({"detail": detail}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
