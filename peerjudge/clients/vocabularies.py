"""Vocabularies that count tokens without the network, from tiktoken's cache or from a download."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from peerjudge.places import find_cache

if TYPE_CHECKING:
    from tiktoken import Encoding

__all__ = ["UPSTREAM", "VOCABULARIES", "find_encoding", "name_file", "vocabulary_folder"]

UPSTREAM = "https://openaipublic.blob.core.windows.net/encodings"
"""Address of the folder with the published vocabularies."""

VOCABULARIES = MappingProxyType(
    {
        "cl100k_base": "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
        "o200k_base": "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    }
)
"""SHA-256 of the published file by name of the encoding."""

_DEFAULT = "o200k_base"
"""Encoding that counts the tokens of models which tiktoken does not know."""
_VARIABLE = "TIKTOKEN_CACHE_DIR"


def vocabulary_folder() -> Path:
    """Return the folder of `peerjudge download tokenizers`."""
    return find_cache("tokenizers")


def name_file(encoding: str) -> str:
    """Return the name of a vocabulary's file in a cache of tiktoken: the SHA-1 of its address."""
    address = f"{UPSTREAM}/{encoding}.tiktoken"
    return hashlib.sha1(address.encode(), usedforsecurity=False).hexdigest()


def find_encoding(model: str) -> Encoding | None:
    """Return the encoding of a model if its vocabulary is on this machine; never download it.

    tiktoken's own cache is searched first, then `vocabulary_folder()`.
    """
    return _load(model, (_tiktoken_cache(), str(vocabulary_folder())))


def _tiktoken_cache() -> str:
    for variable in (_VARIABLE, "DATA_GYM_CACHE_DIR"):
        if variable in os.environ:
            return os.environ[variable]
    return str(Path(tempfile.gettempdir(), "data-gym-cache"))


@cache
def _load(model: str, folders: tuple[str, ...]) -> Encoding | None:
    from tiktoken import get_encoding
    from tiktoken.model import encoding_name_for_model

    try:
        name = encoding_name_for_model(model)
    except KeyError:
        name = _DEFAULT
    # tiktoken blocks on a download when a vocabulary is missing, so it is called only for a whole file.
    folder = next((folder for folder in folders if _is_whole(name, folder)), None)
    if folder is None:
        return None
    with _cached_in(folder):
        return get_encoding(name)


def _is_whole(name: str, folder: str) -> bool:
    if not folder or name not in VOCABULARIES:
        return False
    try:
        content = Path(folder, name_file(name)).read_bytes()
    except OSError:
        return False
    # tiktoken deletes a file with unexpected content and downloads it again.
    return hashlib.sha256(content).hexdigest() == VOCABULARIES[name]


@contextmanager
def _cached_in(folder: str) -> Generator[None]:
    """Let tiktoken read a folder, which it takes from its environment variable only."""
    before = os.environ.get(_VARIABLE)
    os.environ[_VARIABLE] = folder
    try:
        yield
    finally:
        if before is None:
            del os.environ[_VARIABLE]
        else:
            os.environ[_VARIABLE] = before
