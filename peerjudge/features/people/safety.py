"""Admission to the desk: exact host and origin, one-time links, lasting sessions, tokens of forms."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Callable, Sequence
from urllib.parse import parse_qs

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from peerjudge.errors import StoreError
from peerjudge.features.people.desk import Desk
from peerjudge.web.connections import read_body
from peerjudge.web.safety import HEADERS, add_headers, read_cookie

_KEY_BYTES = 24
_LONGEST_SESSION = 30 * 86_400.0
_METHODS = frozenset({"GET", "HEAD", "POST"})
# With no-referrer, browsers send `Origin: null` with forms, which could not be told from another site.
_HEADERS = {**HEADERS, "Referrer-Policy": "same-origin"}
_TOKEN = "csrf"  # noqa: S105  the name of a field


class DeskSignIn:
    """One-time links, one for each card, and the sessions that they open.

    The desk keeps the hashes of sessions, so that a page stays signed in when the server starts again.

    Args:
        desk: The desk.
        cards: The people who may answer.
        on_new_link: Called with a card and the key of its new link: at the start, and whenever a link
            is used.
    """

    def __init__(
        self, desk: Desk, cards: Sequence[str], on_new_link: Callable[[str, str], None]
    ) -> None:
        self._desk = desk
        self._cards = cards
        self._on_new_link = on_new_link
        self._keys: dict[str, str] = {}

    def renew(self) -> None:
        """Make a link for each card."""
        for card in self._cards:
            self._make_link(card)

    def redeem(self, key: str) -> str | None:
        """Return a new session for the key of a link, which then is used up; else `None`."""
        for known, card in list(self._keys.items()):
            if secrets.compare_digest(key.encode(), known.encode()):
                del self._keys[known]
                session = secrets.token_urlsafe(_KEY_BYTES)
                self._desk.open_session(_hash(session), card=card)
                self._make_link(card)
                return session
        return None

    def find_card(self, session: str) -> str | None:
        """Return the card of a session, if this server lets it answer."""
        card = self._desk.find_session(_hash(session), longest=_LONGEST_SESSION)
        return card if card in self._cards else None

    def _make_link(self, card: str) -> None:
        key = secrets.token_urlsafe(_KEY_BYTES)
        self._keys[key] = card
        self._on_new_link(card, key)


class DeskGuard:
    """Middleware that admits signed-in people and their own forms.

    It gives the application the `card` of the session and the `token` that forms must carry.

    Args:
        app: The application.
        sign_in: The one-time links.
        hosts: The hosts, with port, at which the desk is served.
        refusal: The page for people without a session.
        unsaved: Answers a request while the database is away.
        cookie: Name of the cookie; desks on several ports need different ones.
    """

    def __init__(
        self,
        app: ASGIApp,
        sign_in: DeskSignIn,
        *,
        hosts: Sequence[str],
        refusal: Callable[[], str],
        unsaved: Callable[[StoreError], Response],
        cookie: str,
    ) -> None:
        self._app = app
        self._sign_in = sign_in
        self._hosts = frozenset(hosts)
        self._refusal = refusal
        self._unsaved = unsaved
        self._cookie = cookie

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or pass it on."""
        if scope["type"] == "http":
            try:
                app = self._answer(scope) or self._app
            except StoreError as cause:  # The session is in the database, too.
                app = self._unsaved(cause)
            await app(scope, receive, add_headers(send, _HEADERS))

    def _answer(self, scope: Scope) -> Response | None:
        """Return the response to a request that is not passed on."""
        headers = Headers(scope=scope)
        # A page of another name that resolves to this machine (DNS rebinding) sends that name.
        if headers.get("host", "").lower() not in self._hosts:
            return PlainTextResponse("This desk answers at its own address only.\n", 421)
        if scope["method"] not in _METHODS:
            return PlainTextResponse("Only GET and POST are served.\n", 405)
        if scope["method"] == "POST" and not _is_own(headers):
            return PlainTextResponse("Another site sent this form; it is not saved.\n", 403)
        if scope["path"] == "/open" and scope["method"] == "GET":
            return self._open(scope)
        if scope["path"].startswith("/static/"):
            return None
        session = read_cookie(headers, self._cookie)
        card = self._sign_in.find_card(session) if session else None
        if card is None:
            return HTMLResponse(self._refusal(), 401)
        scope["card"], scope["token"] = card, _derive_token(session)
        return None

    def _open(self, scope: Scope) -> Response:
        given = parse_qs(scope["query_string"].decode("latin-1")).get("key", [""])[0]
        session = self._sign_in.redeem(given)
        if session is None:
            return HTMLResponse(self._refusal(), 401)
        response = RedirectResponse("/desk", 303)
        response.set_cookie(self._cookie, session, httponly=True, samesite="strict", path="/")
        return response


async def read_form(request: Request) -> dict[str, str] | None:
    """Return the last value of each field of a form; `None` if it does not carry the session's token.

    Raises `TooLargeError` and `TooSlowError` as `read_body`.
    """
    text = (await read_body(request)).decode("utf-8", "replace")
    try:
        fields = parse_qs(text, keep_blank_values=True, max_num_fields=50)
    except ValueError:
        return None
    form = {name: values[-1] for name, values in fields.items()}
    token = form.pop(_TOKEN, "")
    return form if secrets.compare_digest(token.encode(), request["token"].encode()) else None


def _is_own(headers: Headers) -> bool:
    """Return whether a page of this desk sent the request, by what only a browser can write."""
    site = headers.get("sec-fetch-site", "same-origin")
    return headers.get("origin", "") == f"http://{headers['host']}" and site == "same-origin"


def _hash(session: str) -> str:
    return hashlib.sha256(session.encode()).hexdigest()


def _derive_token(session: str) -> str:
    """Return the token of the forms of a session; it does not give the session away."""
    return hmac.new(session.encode(), b"peerjudge desk form", hashlib.sha256).hexdigest()
