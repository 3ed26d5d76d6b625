"""A preload for Dask's workers that closes one while it starts, as if the cluster closed at that moment. Dask then
still completes the start of the worker, with its logs no longer silenced, and fails to close it again.
"""

from __future__ import annotations

import os
from pathlib import Path

STARTS = "LATTICE_SIMP_TEST_STARTS"
"""The environment variable that names the file with a line for each start of a worker, and the number of starts."""


async def dask_setup(worker):
    name, last = os.environ[STARTS].rsplit(":", 1)
    with Path(name).open("a+") as starts:
        print(os.getpid(), file=starts)
        starts.seek(0)
        if len(starts.readlines()) == int(last):
            await worker.close(nanny=False)
