"""What a call costs the client's processor: `python benchmarks/http.py [--json]`; see http_clients.

This file has the name of a part of the standard library, and Python looks for that in the folder of
the script first. So it does nothing but step aside.
"""

import sys

HERE = __file__.rpartition("/")[0]

if __name__ == "http":
    # A script beside this one wants the standard library's.
    whole = sys.path[:]
    sys.path[:] = [folder for folder in whole if not folder.endswith("benchmarks")]
    del sys.modules["http"]
    import http  # noqa: F401

    sys.path[:] = whole
elif __name__ == "__main__":
    sys.path[:] = [folder for folder in sys.path if not folder.endswith("benchmarks")]
    import runpy

    runpy.run_path(f"{HERE or '.'}/http_clients.py", run_name="__main__")
