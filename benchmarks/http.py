"""Entry point of http_clients: `python benchmarks/http.py [--json]`.

This file shadows the standard library's `http`, as Python looks in the folder of the script first.
So it removes that folder from the path before anything else.
"""

import sys

HERE = __file__.rpartition("/")[0]

if __name__ == "http":
    # Imported by another script of this folder, which needs the standard library's module.
    whole = sys.path[:]
    sys.path[:] = [folder for folder in whole if not folder.endswith("benchmarks")]
    del sys.modules["http"]
    import http  # noqa: F401

    sys.path[:] = whole
elif __name__ == "__main__":
    sys.path[:] = [folder for folder in sys.path if not folder.endswith("benchmarks")]
    import runpy

    runpy.run_path(f"{HERE or '.'}/http_clients.py", run_name="__main__")
