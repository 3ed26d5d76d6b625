"""The program `lattice-simp`, also as `python -m lattice_simp`; an interrupt is quiet from the first import on."""

import gc
import sys

NEW_OBJECTS = 100_000
"""The new objects after which Python looks for unused cycles; the 700 or 2,000 of its default would take a tenth of the
time of loading modules."""


def main() -> None:
    """Runs the command line; see `cli.main`."""
    gc.set_threshold(NEW_OBJECTS)
    try:
        _main()
    except SystemExit as end:
        from lattice_simp.support.exit_status import INTERRUPTED

        if end.code == INTERRUPTED:
            _end_at_once()
        raise
    finally:
        gc.freeze()  # otherwise Python searches all objects of all modules for cycles before it ends (0.2 s with numba)


def _main() -> None:
    try:
        from lattice_simp.support.streams import mend_streams

        mend_streams()
        from lattice_simp.cli import main as run
    except (KeyboardInterrupt, RuntimeError) as error:  # see `cli.main`
        if not isinstance(error, KeyboardInterrupt) and not isinstance(error.__cause__, KeyboardInterrupt):
            raise
        exec("")
        from lattice_simp.support.exit_status import INTERRUPTED

        print("lattice-simp: interrupted", file=sys.stderr)
        sys.exit(INTERRUPTED)
    run()


def _end_at_once() -> None:
    """Ends the program without unloading its modules: an abandoned thread may still run their compiled code."""
    import atexit
    import os

    from lattice_simp.support.exit_status import INTERRUPTED

    try:
        atexit._run_exitfuncs()
        sys.stderr.flush()
    finally:
        os._exit(INTERRUPTED)


if __name__ == "__main__":
    main()
