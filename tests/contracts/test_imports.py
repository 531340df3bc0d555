"""Every module of the package can be imported by its dotted path."""

from __future__ import annotations

import importlib
import pkgutil
import sys

import pytest

import peerjudge

MODULES = [
    found.name
    for found in pkgutil.walk_packages(peerjudge.__path__, "peerjudge.")
    if not found.name.endswith("__main__")
]


OPTIONAL = {
    "peerjudge.features.judge.inspect_scorer": ("inspect_ai", "inspect"),
}
"""Libraries, and the extras that bring them, of the modules that only users of these libraries import."""


@pytest.mark.parametrize("name", MODULES)
def test_no_package_attribute_shadows_a_module(name: str):
    """`import a.b.c as m` gives the module, so no package exports a function of that name."""
    if name in OPTIONAL:
        library, extra = OPTIONAL[name]
        pytest.importorskip(library, reason=f"pip install 'peerjudge[{extra}]'")
    module = importlib.import_module(name)
    parent, _, leaf = name.rpartition(".")
    assert module is sys.modules[name]
    assert getattr(sys.modules[parent], leaf) is module
