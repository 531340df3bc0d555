"""Signs of a secret in a card: in the names and values of options, in headers, and in addresses.

Values of headers and query parameters come from the environment, but for a few names that hold no secret:
no list of forms can tell all keys from other texts.
"""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, urlsplit

PLAIN_NAMES = frozenset(
    {
        "accept",
        "accept-language",
        "anthropic-beta",
        "anthropic-version",
        "api-version",
        "content-type",
        "http-referer",
        "openai-beta",
        "openai-organization",
        "openai-project",
        "referer",
        "user-agent",
        "x-title",
    }
)
"""Headers and query parameters whose values are no secret, so that a card may hold them."""

_TABLE_NAME = re.compile(r"(?i)(?:^|_)(headers?|query|params|cookies)$")
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_SECRET_WORDS = frozenset(
    {
        "auth",
        "authorization",
        "bearer",
        "cookies",
        "credential",
        "credentials",
        "jwt",
        "keys",
    }
    | {"pass", "passphrase", "passwd", "pwd", "secrets", "session", "sessionid", "sig", "signature"}
)
_SECRET_ENDS = ("key", "token", "secret", "password", "cookie")
_FINAL_WORD = re.compile(r"(^|[_-])(key|token|secret|password|authorization)$", re.IGNORECASE)
_SECRET_VALUE = re.compile(
    r"^(?:(?:sk|pk|rk|gsk|xai|hf|ghp|gho|ghs|glpat|nvapi|r8|tgp|xox[abp]|github_pat)[-_][\w-]{12,}"
    r"|(?:Bearer|Basic|Token) [\w.~+/=-]{8,}"
    r"|AIza[\w-]{8,}|A[KS]IA[A-Z0-9]{8,}|ya29\.[\w.-]{8,}|eyJ[\w-]{8,}[\w.-]*)$"
)
_OPAQUE = re.compile(r"^[^\s<>|]{6,}$")
_RANDOM = re.compile(r"^(?=.*\d)(?=.*[A-Za-z])[\w.~+/=-]{20,}$")


def looks_secret(value: object) -> bool:
    """Return whether the value has the form of an API key or of an authorization."""
    return isinstance(value, str) and _SECRET_VALUE.match(value.strip()) is not None


def is_sent_openly(name: str) -> bool:
    """Return whether an option of this name holds headers or query parameters."""
    return _TABLE_NAME.search(name) is not None


def is_plain(name: str) -> bool:
    """Return whether a header or query parameter of this name holds no secret."""
    return name.lower() in PLAIN_NAMES


def names_secret(name: str, value: object) -> bool:
    """Return whether a field holds a secret, judged by its name."""
    if not isinstance(value, str):
        return False
    return _FINAL_WORD.search(name) is not None or (
        has_secret_word(name) and _OPAQUE.match(value.strip()) is not None
    )


def has_secret_word(name: str) -> bool:
    """Return whether a word of a name is one for secrets, such as `sslpassword` or `accessToken`."""
    words = [word.lower() for word in _WORD.findall(name)]
    return any(word in _SECRET_WORDS or word.endswith(_SECRET_ENDS) for word in words)


def find_secret_parameter(url: str) -> str | None:
    """Return the name of a query parameter that may hold a secret; `None` without one."""
    for name, value in parse_qsl(urlsplit(url).query, keep_blank_values=True):
        # Azure's functions call their key a code.
        named = name.lower() == "code" or has_secret_word(name) or _RANDOM.match(value)
        if looks_secret(value) or (named and not is_plain(name)):
            return name
    return None


def has_secret_path(url: str) -> bool:
    """Return whether a segment of the path of an address, or its fragment, has the form of a key."""
    parts = urlsplit(url)
    return any(map(looks_secret, (*parts.path.split("/"), parts.fragment)))
