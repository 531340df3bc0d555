"""Pages in a browser: runs to read (`view`), the desk of a person, and a judge over HTTP (`serve`)."""

from peerjudge.web.app import build_app
from peerjudge.web.library import open_library
from peerjudge.web.safety import SignIn

__all__ = ["SignIn", "build_app", "open_library"]
