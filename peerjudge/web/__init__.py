"""Pages of runs in a browser: `peerjudge view`. They read stores, and change and execute nothing."""

from peerjudge.web.app import build_app
from peerjudge.web.library import Library, open_library
from peerjudge.web.safety import SignIn

__all__ = ["Library", "SignIn", "build_app", "open_library"]
