"""The program `lattice-simp`, also as `python -m lattice_simp`; an interrupt is quiet from the first import on."""

import sys


def main() -> None:
    """Runs the command line; see `cli.main`."""
    try:
        from lattice_simp.support.streams import mend_streams

        mend_streams()
        from lattice_simp.cli import main as run
    except (KeyboardInterrupt, RuntimeError) as error:  # see `cli.main`
        if not isinstance(error, KeyboardInterrupt) and not isinstance(error.__cause__, KeyboardInterrupt):
            raise
        exec("")
        print("lattice-simp: interrupted", file=sys.stderr)
        sys.exit(130)
    run()


if __name__ == "__main__":
    main()
