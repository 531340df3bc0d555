"""Loads AutoGen components that live outside AutoGen's own namespace."""

from __future__ import annotations

import os
from collections.abc import Mapping

from autogen_core import ComponentModel
from autogen_core.models import ChatCompletionClient

__all__ = ["allow_namespace", "load_client"]

_VARIABLE = "AUTOGEN_ALLOWED_PROVIDER_NAMESPACES"


def allow_namespace(namespace: str) -> None:
    """Let AutoGen load components from this top-level package.

    Versions after 0.7.5 load none but their own unless an environment variable names the package.
    """
    allowed = [name for name in os.environ.get(_VARIABLE, "").split(",") if name]
    if namespace not in allowed:
        os.environ[_VARIABLE] = ",".join([*allowed, namespace])


def load_client(component: Mapping[str, object] | ComponentModel) -> ChatCompletionClient:
    """The model client of this component form; imports whatever its provider path names."""
    model = (
        component
        if isinstance(component, ComponentModel)
        else ComponentModel.model_validate(dict(component))
    )
    allow_namespace(model.provider.partition(".")[0])
    return ChatCompletionClient.load_component(model)
