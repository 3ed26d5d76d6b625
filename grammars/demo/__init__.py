"""A small town in two languages: a synchronous English-German grammar and the data generated from it. The grammar
relates English sentences with marked gaps to their German translations::

    the proposal <clause> to close the museum </clause> was supported <adverbial> yesterday </adverbial> .
    der vorschlag , das museum zu schließen , wurde gestern unterstützt .

One idea in each file: `lexicon` (the tables), `vocabulary` (symbols, and how they are spelled), `nominal` (noun
phrases), `subordinate` (relative and infinitive clauses), `clauses` (main clauses; whole sentences), `relation`
(translates), `sample` (draws random pairs), `extract` and `language_model` (the models of a decoder), `generate`
(writes `data/`).

`lattice-simp demo` reads only `data/`; the package itself is for maintainers and tests.
"""

from __future__ import annotations

from pathlib import Path


def data_path(name: str) -> Path:
    """Returns the path of a generated file, which need not exist.

    >>> data_path("rules.gz").parts[-3:]
    ('demo', 'data', 'rules.gz')
    """
    return Path(__file__).parent / "data" / name
