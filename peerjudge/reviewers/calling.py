"""Calls with the sampling of a seat, without the settings that the model does not take."""

from __future__ import annotations

from collections.abc import Sequence

from autogen_core import CancellationToken
from autogen_core.models import CreateResult, LLMMessage, SystemMessage

from peerjudge.clients import (
    FormBound,
    Governed,
    create_args,
    find_dialect,
    find_refused,
    is_simulated,
)
from peerjudge.clients.sampling import FORM, STREAM, SYSTEM, Dialect
from peerjudge.data import ModelSpec, Sampling
from peerjudge.logs import get_logger
from peerjudge.reviewers.messages import merge_system
from peerjudge.verdicts import refuses, split_thinking
from peerjudge.verdicts.own_words import own_lines

_UNBOUND = (
    "replies are not bound by the schema that the server took, so verdicts are asked as a line"
)
_LEFT_OUT = "setting not supported by the model, left out"
_MERGED = (
    "system role not supported by the model: its text leads the first user message; "
    "[model] unset = ['system'] in the card says so from the beginning"
)
_STREAMED = (
    "the model only streams, so it is asked for streams; stream = true under [model.options] of the "
    "card does so from the beginning"
)
_NO_LOGPROBS = "replies lack the requested log-probabilities, so ratings are taken as stated"

_log = get_logger()


class SamplingCaller:
    """Caller of one client, which learns the settings that its model refuses.

    A setting that the provider lacks (a seed at Anthropic) or that the model refuses (a temperature
    at a reasoning model) is left out from then on, with one warning. So is a schema that a server takes and
    does not apply, as llama.cpp with a model that thinks: its first reply has no JSON. The text of a system
    role that a model refuses leads the first user message, and a model that only streams is asked to stream.

    Args:
        client: The client.
        reviewer: Name of the reviewer, for warnings.
        spec: The model of the reviewer's card, if there is a card.
    """

    def __init__(self, client: Governed, *, reviewer: str, spec: ModelSpec | None = None) -> None:
        self.client = client
        self.simulated = is_simulated(client)
        self._reviewer = reviewer
        self._spec = spec
        self._dialect: Dialect = find_dialect(client)
        self._refused: set[str] = set() if spec is None else {*spec.unset}
        self._binds = self.simulated
        self._warned: set[str] = set()

    async def call(
        self,
        messages: Sequence[LLMMessage],
        sampling: Sampling,
        *,
        prose: bool = False,
        bound: FormBound | None = None,
        in_prose: Sequence[LLMMessage] | None = None,
        token: CancellationToken | None = None,
    ) -> tuple[CreateResult, tuple[str, ...]]:
        """Return the reply, and the settings that were left out.

        With `prose`, the response format of the card does not apply. `bound` binds the form of the reply; a
        server that refuses or ignores it is sent `in_prose` instead, if given, from then on.

        Raises:
            Exception: The failure of the client after all retries, if it is no refusal of a setting.
        """
        while True:
            left_out = frozenset(self._refused)
            args, unset = create_args(
                sampling,
                self._dialect,
                model=self.client.model,
                spec=self._spec,
                refused=left_out,
                prose=prose,
                bound=bound,
            )
            prompt = messages if in_prose is None or FORM not in unset else in_prose
            system = any(isinstance(message, SystemMessage) for message in prompt)
            if system and SYSTEM in left_out:
                prompt, system, unset = merge_system(prompt), False, (*unset, SYSTEM)
            self._warn_of(unset)
            try:
                result = await self.client.create(
                    prompt, extra_create_args=args, cancellation_token=token
                )
            except Exception as error:
                refused = find_refused(error, args, system=system)
                if refused is None or refused in left_out:
                    raise
                # Each refusal leaves out or renames one setting, so this ends.
                self._refused.add(refused)
            else:
                if bound is not None and bound.keys and FORM not in unset and self._ignores(result):
                    self._refused.add(FORM)
                    if in_prose is not None and list(in_prose) != list(messages):
                        continue
                    unset = (*unset, FORM)
                if (
                    "logprobs" in args
                    and result.content
                    and not (result.logprobs or self.simulated)
                ):
                    self._warn("logprobs", _NO_LOGPROBS)
                return result, unset

    def _ignores(self, result: CreateResult) -> bool:
        """Return whether the first reply below a schema shows that the server does not apply it.

        A server that bound one reply binds all; a cut, filtered or refused reply shows nothing.
        """
        text = split_thinking(result.content if isinstance(result.content, str) else "")[1]
        self._binds = self._binds or "{" in text
        if self._binds or result.finish_reason != "stop" or refuses(own_lines(text)):
            return False
        self._warn(FORM, _UNBOUND)
        return True

    def _warn_of(self, unset: Sequence[str]) -> None:
        for setting in unset:
            event = _MERGED if setting == SYSTEM else _LEFT_OUT
            self._warn(setting, event, setting=setting)
        if STREAM in self._refused:
            self._warn(STREAM, _STREAMED)

    def _warn(self, subject: str, event: str, **details: str) -> None:
        if subject not in self._warned:
            self._warned.add(subject)
            _log.warning(event, reviewer=self._reviewer, model=self.client.model, **details)
