"""The demo's data: a small English-German grammar's rules, language model and sentences."""

from __future__ import annotations

from pathlib import Path

from lattice_simp.support.grammar_data import grammar_path


def demo_path(name: str) -> Path:
    """Returns the path of a file of the demo.

    >>> demo_path("rules.gz").name
    'rules.gz'

    Args:
        name: `rules.gz`, `lm.arpa.gz`, `weights.tsv`, `test.jsonl` or `test.de`.

    Raises:
        LatticeSimpError: there is no such file; says where it was looked for.
    """
    return grammar_path("demo/data", name, what="the demo")
