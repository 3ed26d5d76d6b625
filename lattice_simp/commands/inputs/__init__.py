"""The input of commands: lattices, lists, sentences and references, with checks of their tokens."""
