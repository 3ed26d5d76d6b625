"""The subcommands of `lattice-simp lattice`, and their runs."""
