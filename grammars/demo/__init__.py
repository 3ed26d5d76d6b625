"""A small town in two languages: a synchronous English-German grammar and the data that are made from it.

The grammar relates English sentences, in which skeleton and gaps are marked, to their German translations::

    the proposal <clause> to close the museum </clause> was supported <adverbial> yesterday </adverbial> .
    der vorschlag , das museum zu schließen , wurde gestern unterstützt .

One idea in each file: `lexicon` (the tables), `vocabulary` (symbols, and how they are spelled), `nominal` (noun
phrases), `subordinate` (relative and infinitive clauses), `clauses` (main clauses; the whole), `relation` (asks it),
`sample` (draws from it), `extract` and `language_model` (what a decoder needs), `generate` (writes `data/`).

`data/` is all that `lattice-simp demo` reads; nothing imports this package but its maintainers and the tests.
"""

from __future__ import annotations

from pathlib import Path


def data_path(name: str) -> Path:
    """Returns the path of a generated file, whether it is there or not.

    >>> data_path("rules.gz").parts[-3:]
    ('demo', 'data', 'rules.gz')
    """
    return Path(__file__).parent / "data" / name
