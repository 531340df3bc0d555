"""The services that a card can name: how they are spoken to, and which variable holds their key."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

__all__ = ["PROVIDERS", "Provider"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """A service known by name: how it is spoken to, where it is, and which variable holds its key.

    `key_env` is empty where no key is needed.
    """

    dialect: Literal["openai", "anthropic", "ollama"] = "openai"
    base_url: str
    key_env: str = ""


PROVIDERS: Mapping[str, Provider] = {
    "openai": Provider(base_url="https://api.openai.com/v1", key_env="OPENAI_API_KEY"),
    "anthropic": Provider(
        dialect="anthropic", base_url="https://api.anthropic.com", key_env="ANTHROPIC_API_KEY"
    ),
    "gemini": Provider(
        base_url="https://generativelanguage.googleapis.com/v1beta/openai/",
        key_env="GEMINI_API_KEY",
    ),
    "ollama": Provider(dialect="ollama", base_url="http://localhost:11434"),
    "vllm": Provider(base_url="http://localhost:8000/v1"),
    "openrouter": Provider(base_url="https://openrouter.ai/api/v1", key_env="OPENROUTER_API_KEY"),
    "together": Provider(base_url="https://api.together.xyz/v1", key_env="TOGETHER_API_KEY"),
    "groq": Provider(base_url="https://api.groq.com/openai/v1", key_env="GROQ_API_KEY"),
    "deepseek": Provider(base_url="https://api.deepseek.com/v1", key_env="DEEPSEEK_API_KEY"),
    "mistral": Provider(base_url="https://api.mistral.ai/v1", key_env="MISTRAL_API_KEY"),
    "xai": Provider(base_url="https://api.x.ai/v1", key_env="XAI_API_KEY"),
}
"""Services that a card can name. Any other is reached as `openai` with a `base_url`."""
