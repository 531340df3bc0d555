"""Posts to OpenAI's API as its library did the first time, without making every request anew.

Half of what the library does for a call is to put together the address, twenty headers and the
timeouts of a request, which for one client are always the same. So the first request is made by the
library, and noted by a hook of its HTTP client; those that follow are that one with another body.
They go out by the same HTTP client, over the same connections.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, cast

from openai import (
    APIConnectionError,
    APIStatusError,
    APITimeoutError,
    AsyncOpenAI,
    AuthenticationError,
    BadRequestError,
    ConflictError,
    InternalServerError,
    NotFoundError,
    PermissionDeniedError,
    RateLimitError,
    UnprocessableEntityError,
)

if TYPE_CHECKING:
    from httpx2 import AsyncClient, Request, Response

__all__ = ["Posting"]

_ERRORS: Mapping[int, type[APIStatusError]] = {
    400: BadRequestError,
    401: AuthenticationError,
    403: PermissionDeniedError,
    404: NotFoundError,
    409: ConflictError,
    422: UnprocessableEntityError,
    429: RateLimitError,
}
_SERVER_ERROR = 500

# The library adds it to requests that its helpers make.
_HELPER = "x-stainless-helper-method"


class Posting:
    """Posts JSON to one place.

    Args:
        client: The library's client.
        http: The HTTP client that it was given.
        path: The place, below the client's address.
    """

    def __init__(self, client: AsyncOpenAI, http: AsyncClient, path: str) -> None:
        self._client = client
        self._http = http
        self._path = path
        self._first: Request | None = None
        self._hooks = http.event_hooks
        http.event_hooks = {**self._hooks, "request": [*self._hooks["request"], self._note]}

    async def post(self, body: Mapping[str, Any]) -> object:
        """The JSON of the reply, or its text where the server does not say that it is JSON.

        Raises:
            openai.APIError: As the library raises it.
            ValueError: The reply is not JSON.
        """
        first = self._first
        if first is None:
            try:
                return await self._client.post(self._path, cast_to=object, body=body)
            except APIConnectionError as error:
                # The library's own error says no more than that there was one.
                raise _lost(error.__cause__ or error, error.request) from error
        content = json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        request = type(first)(
            first.method,
            first.url,
            headers=first.headers,
            content=content.encode(),
            extensions=first.extensions,
        )
        try:
            response = await self._http.send(request)
        except Exception as error:
            raise _lost(error, request) from error
        if not response.is_success:
            raise _error(response)
        return json.loads(response.content)

    async def _note(self, request: Request) -> None:
        """Keep the first request, and look at no other."""
        if not request.url.path.endswith(self._path) or _HELPER in request.headers:
            return
        noted = type(request)(
            request.method, request.url, headers=request.headers, extensions=request.extensions
        )
        noted.headers.pop("content-length", None)
        self._first = noted
        self._http.event_hooks = self._hooks


def _lost(error: BaseException, request: Request) -> APIConnectionError:
    """What the library makes of a lost connection, saying how it was lost.

    The transport calls every connection that ends too early a timeout; what it made that of says
    whether it was one.
    """
    found = error.__cause__
    late = any(kind.__name__ == "TimeoutException" for kind in type(error).__mro__)
    if late and (found is None or isinstance(found, TimeoutError)):
        return APITimeoutError(request=request)
    return APIConnectionError(message=f"Connection error: {found or error}", request=request)


def _error(response: Response) -> APIStatusError:
    """The failure that the library makes of this response."""
    text = response.text.strip()
    message = f"Error code: {response.status_code}"
    body: object = text
    with suppress(ValueError):
        body = json.loads(text)
    body = _entry(body, "error", body)
    said = _entry(body, "message", None)
    message += f" - {said}" if isinstance(said, str) and said else ""
    status = response.status_code
    kind = _ERRORS.get(status, InternalServerError if status >= _SERVER_ERROR else APIStatusError)
    return kind(message, response=response, body=body)


def _entry(body: object, name: str, otherwise: object) -> object:
    return (
        cast("dict[str, object]", body).get(name, otherwise)
        if isinstance(body, dict)
        else otherwise
    )
