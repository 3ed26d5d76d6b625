"""Files, caches, tables and optional libraries: the helpers that do not concern lattices."""
