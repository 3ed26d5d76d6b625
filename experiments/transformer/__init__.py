"""A small Transformer and a Hiero system: alone, and together in n-best lists and in lattices."""
