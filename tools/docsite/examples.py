"""Extension of griffe: examples in docstrings are sections of code instead of prose."""

from __future__ import annotations

import re

from griffe import Extension, Object

_TITLE = re.compile(r"^Example:$", re.MULTILINE)


class NameExamples(Extension):
    """Renames the section `Example:` to `Examples:`, the name that griffe's Google parser reads."""

    def on_object(self, *, obj: Object, **kwargs: object) -> None:
        """Rename the section in the docstring of an object."""
        if obj.docstring is not None:
            obj.docstring.value = _TITLE.sub("Examples:", obj.docstring.value)
