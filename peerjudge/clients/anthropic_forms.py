"""Output forms of Anthropic's Messages API, which AutoGen's client does not pass on.

A call with `output_config` among its extra arguments has it in the body of its request. See
https://platform.claude.com/docs/en/build-with-claude/structured-outputs.
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from contextvars import ContextVar
from typing import Any

from anthropic import DefaultAsyncHttpxClient
from autogen_core.models import CreateResult
from httpx import USE_CLIENT_DEFAULT, Request, Response

from peerjudge.clients.calls import CallRequest, ClientProxy
from peerjudge.clients.responses import receive

_SETTING = "output_config"
_form: ContextVar[object] = ContextVar("output_config", default=None)


class AnthropicForms(ClientProxy):
    """Client that gives the output form of a call to the HTTP client below it, a `FormHttpClient`."""

    async def reply(self, request: CallRequest) -> CreateResult:
        """Return the reply in the form of the request."""
        token = _form.set(request.extra.get(_SETTING))
        try:
            return await super().reply(request)
        finally:
            _form.reset(token)

    async def stream(self, request: CallRequest) -> AsyncGenerator[str | CreateResult, None]:
        """Return the pieces of the reply; the form of the request does not apply."""
        async for piece in request.stream(self.inner):
            yield piece


class FormHttpClient(DefaultAsyncHttpxClient):
    """HTTP client that adds the output form of the present call to the body of its request.

    It takes responses of bounded size and follows no redirect.
    """

    async def send(
        self,
        request: Request,
        *,
        stream: bool = False,
        auth: Any = USE_CLIENT_DEFAULT,  # noqa: ANN401  as in httpx
        follow_redirects: Any = USE_CLIENT_DEFAULT,  # noqa: ANN401  as in httpx
    ) -> Response:
        """Send the request, with the form of the call if it has one; errors as for `receive`."""
        if (form := _form.get()) is not None:
            body = {**json.loads(await request.aread()), _SETTING: form}
            headers = [
                (name, value)
                for name, value in request.headers.multi_items()
                if name.lower() not in {"content-length", "transfer-encoding"}
            ]
            request = Request(
                request.method,
                request.url,
                headers=headers,
                content=json.dumps(body, ensure_ascii=False).encode(),
                extensions=request.extensions,
            )

        async def send() -> Response:
            return await super(FormHttpClient, self).send(
                request, stream=True, auth=auth, follow_redirects=False
            )

        return await receive(send, stream=stream)
