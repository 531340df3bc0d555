"""Tokens of a call: as the server counted, else as tiktoken counts offline, else an estimate.

tiktoken fetches its vocabulary from the network when it is asked for one it has not got, and
blocks meanwhile. So it is asked only when the vocabulary lies whole in its cache folder.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from autogen_core.models import CreateResult, LLMMessage

from peerjudge.data import Usage

if TYPE_CHECKING:
    from tiktoken import Encoding

__all__ = ["count_messages", "count_text", "estimate_tokens", "usage_of"]

# Name of the encoding: file in tiktoken's cache (sha1 of its address), sha256 of its content.
_VOCABULARIES = {
    "cl100k_base": (
        "9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
        "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    ),
    "o200k_base": (
        "fb374d419588a4632f3f557e76b4b70aebbca790",
        "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    ),
}
_BYTES_PER_TOKEN = 4
_PER_MESSAGE = 3


def usage_of(messages: Sequence[LLMMessage], result: CreateResult, *, model: str) -> Usage:
    """The tokens of a reply: the server's count if it gave one, else ours, marked as estimated."""
    reported = result.usage
    if reported.prompt_tokens or reported.completion_tokens:
        return Usage(
            prompt_tokens=reported.prompt_tokens, completion_tokens=reported.completion_tokens
        )
    said = result.content if isinstance(result.content, str) else repr(result.content)
    return Usage(
        prompt_tokens=count_messages(messages, model=model),
        completion_tokens=count_text(said, model=model) if said else 0,
        estimated=True,
    )


def count_messages(messages: Sequence[LLMMessage], *, model: str) -> int:
    """Tokens of a prompt, counted here."""
    encoding = _encoding(model, _cache_folder())
    return sum(_PER_MESSAGE + _count(_text(message), encoding) for message in messages)


def count_text(text: str, *, model: str) -> int:
    """Tokens of a text in the vocabulary of this model if it is at hand, else an estimate."""
    return _count(text, _encoding(model, _cache_folder()))


def estimate_tokens(text: str) -> int:
    """About how many tokens a text has: one for four bytes, at least one."""
    return max(1, len(text.encode()) // _BYTES_PER_TOKEN)


def _count(text: str, encoding: Encoding | None) -> int:
    return estimate_tokens(text) if encoding is None else len(encoding.encode_ordinary(text))


def _text(message: LLMMessage) -> str:
    content = message.content
    return content if isinstance(content, str) else repr(content)


def _cache_folder() -> str:
    for variable in ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR"):
        if variable in os.environ:
            return os.environ[variable]
    return str(Path(tempfile.gettempdir(), "data-gym-cache"))


@cache
def _encoding(model: str, folder: str) -> Encoding | None:
    from tiktoken import get_encoding
    from tiktoken.model import encoding_name_for_model

    try:
        name = encoding_name_for_model(model)
    except KeyError:
        name = "o200k_base"
    return get_encoding(name) if _at_hand(name, folder) else None


def _at_hand(name: str, folder: str) -> bool:
    if not folder or name not in _VOCABULARIES:
        return False
    file, digest = _VOCABULARIES[name]
    try:
        content = Path(folder, file).read_bytes()
    except OSError:
        return False
    # tiktoken deletes a file with the wrong content and fetches it anew.
    return hashlib.sha256(content).hexdigest() == digest
