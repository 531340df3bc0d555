"""Admission of requests: local hosts, reading methods, a one-time link, and headers that forbid loading."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""Headers of every response."""

_HOSTS = frozenset({"127.0.0.1", "localhost", "[::1]"})
_READING = frozenset({"GET", "HEAD"})
_KEY_BYTES = 24


class SignIn:
    """One-time links and the session that they open.

    Args:
        on_new_link: Called with the key of each new link: at the start, and whenever a link is used.
    """

    def __init__(self, on_new_link: Callable[[str], None]) -> None:
        self._on_new_link = on_new_link
        self._session = secrets.token_urlsafe(_KEY_BYTES)
        self._key = ""

    def renew(self) -> None:
        """Make a new link."""
        self._key = secrets.token_urlsafe(_KEY_BYTES)
        self._on_new_link(self._key)

    def redeem(self, key: str) -> str | None:
        """Return the session for the key of the current link, which then is used up; else `None`."""
        if not self._key or not secrets.compare_digest(key.encode(), self._key.encode()):
            return None
        self._key = ""
        return self._session

    def admits(self, session: str) -> bool:
        """Return whether a cookie is of the session."""
        return secrets.compare_digest(session.encode(), self._session.encode())


class Guard:
    """Middleware that admits signed-in readers on this machine.

    Args:
        app: The application.
        sign_in: The one-time links.
        refusal: The page for readers without a session.
        cookie: Name of the cookie; viewers on several ports need different ones.
    """

    def __init__(
        self, app: ASGIApp, sign_in: SignIn, refusal: Callable[[], str], cookie: str
    ) -> None:
        self._app = app
        self._sign_in = sign_in
        self._refusal = refusal
        self._cookie = cookie

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or pass it on."""
        if scope["type"] == "http":
            app = self._answer(scope) or self._app
            await app(scope, receive, add_headers(send, HEADERS))

    def _answer(self, scope: MutableMapping[str, Any]) -> Response | None:
        """Return the response to a request that is not passed on."""
        headers = Headers(scope=scope)
        # A page of another name that resolves to this machine (DNS rebinding) sends that name.
        if name_host(headers.get("host", "")) not in _HOSTS:
            return PlainTextResponse("This viewer answers to localhost only.\n", 421)
        if scope["method"] not in _READING:
            allowed = {"Allow": "GET, HEAD"}
            return PlainTextResponse("This viewer only reads.\n", 405, headers=allowed)
        if scope["path"] == "/open":
            return self._open(scope)
        if scope["path"].startswith("/static/") or self._is_signed_in(headers):
            return None
        return HTMLResponse(self._refusal(), 401)

    def _open(self, scope: MutableMapping[str, Any]) -> Response:
        given = parse_qs(scope["query_string"].decode("latin-1")).get("key", [""])[0]
        session = self._sign_in.redeem(given)
        if session is None:
            return HTMLResponse(self._refusal(), 401)
        self._sign_in.renew()
        response = RedirectResponse("/", 303)
        response.set_cookie(self._cookie, session, httponly=True, samesite="strict", path="/")
        return response

    def _is_signed_in(self, headers: Headers) -> bool:
        return self._sign_in.admits(read_cookie(headers, self._cookie))


def add_headers(send: Send, headers: Mapping[str, str]) -> Send:
    """Return a `send` that sets these headers in every response."""

    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            MutableHeaders(scope=message).update(headers)
        await send(message)

    return send_with_headers


def read_cookie(headers: Headers, name: str) -> str:
    """Return the value of a cookie; empty where there is none."""
    try:
        held = SimpleCookie(headers.get("cookie", "")).get(name)
    except CookieError:
        return ""
    return "" if held is None else held.value


def name_host(host: str) -> str:
    """Return the name in a Host header, without the port (a tunnel may change it)."""
    name, colon, port = host.rpartition(":")
    return (name if colon and port.isdigit() else host).lower()
