"""The tab, its page and its interface."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from starlette.datastructures import QueryParams

from lattice_simp.errors import LatticeSimpError
from lattice_simp.serve.limits import Limits
from lattice_simp.serve.paraphrase.expander import ParaphraseQuery, make_expander
from lattice_simp.serve.section import Section
from lattice_simp.serve.sentence_pages import Echo, SentencePages
from lattice_simp.serve.text import lines_of
from lattice_simp.serve.workers import WorkerPool
from lattice_simp.systems.paraphrase.filters import FILTERS
from lattice_simp.systems.paraphrase.paraphraser import ParaphraseSettings

MAX_SENTENCES = 12
"""The most sentences of a set, as all pairs are aligned."""


def paraphrase_section(limits: Limits) -> Section:
    """Returns the section, which needs spaCy and its English model."""
    pool = WorkerPool(partial(make_expander, limits.tokens), replace(limits, workers=1))
    return _Pages(pool, limits, "paraphrase.html", "Paraphrase").section("paraphrase", Path(__file__).parent)


@dataclass(frozen=True, eq=False)
class _Pages(SentencePages):
    """Pages that take one sentence a line, and the filters for new sentences."""

    def read(self, parameters: QueryParams) -> tuple[Echo, Any]:
        """Returns the sentences and the filters, all by default; an empty `filters` selects none."""
        sentences = lines_of(parameters.get("text", ""), self.limits.characters)
        if len(sentences) > MAX_SENTENCES:
            raise LatticeSimpError(f"there are {len(sentences)} sentences; use at most {MAX_SENTENCES}")
        named = parameters.getlist("filters") if "filters" in parameters else list(FILTERS)
        filters = ParaphraseSettings(filters=tuple(dict.fromkeys(name for name in named if name))).filters
        echo = {
            "text": "\n".join(sentences),
            "filters": {name: name in filters for name in FILTERS},
            "max_sentences": MAX_SENTENCES,
        }
        return echo, ParaphraseQuery(sentences, filters) if sentences else None
