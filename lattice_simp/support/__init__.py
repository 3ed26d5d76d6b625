"""Files, caches, tables and optional libraries: what every room needs and is not about lattices."""
