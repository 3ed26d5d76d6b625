"""`python -m lattice_simp` is the command line."""

from lattice_simp.cli import main

if __name__ == "__main__":
    main()
