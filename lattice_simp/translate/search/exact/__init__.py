"""Exact search in nested grammars: relaxations of the language model, refined order by order within a bound."""
