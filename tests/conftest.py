"""No property is timed, and multiplications of small matrices do not fight for the cores."""

import os

# As the command line does; read when numpy is imported, which hypothesis does not do.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from hypothesis import settings

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
