"""The tables of the experiment."""

from __future__ import annotations

from collections.abc import Sequence

from experiments.corpus.judging import SEED
from experiments.corpus.onestop import DEFAULT
from experiments.corpus.simplifiers import CORPORA
from experiments.report import Figures, plain_table, score_cells, score_notes, stages_part
from lattice_simp.metrics.table import Cell, Table, as_markdown

_ONESTOP = """The advanced and the elementary texts of OneStop, paired by file name, are aligned and compared with the
published pairs ({gold:,} different ones). Of {reachable:,} pairs, both sentences occur in the articles. The others
contain other words or footnote numbers, so no alignment can find them. Sentences are compared by their ASCII letters
and digits in lower case, because the published pairs have lost quotes, dashes and ligatures.

The published pairs are only some of the right ones. None has identical sentences, only {several} of their sentences
are in two pairs, though the texts have many splits, and most sentences of the articles are in none. So a pair counts
as

- *right* if it is published,
- *wrong* if it is not, but one of its sentences is published with another partner,
- *identical* if its sentences are equal, which the published pairs exclude,
- *unknown* otherwise.

Precision is right / (right + wrong). Recall is the share of all published pairs that are found, including those that
cannot be found. Precision on the unknown pairs may differ. Some of the wrong pairs are the second half of a split
whose first half is published, or are published with a footnote number in a sentence."""

_CHOSEN = """The rows above show the effect of the thresholds. The defaults are the paper's; they were not chosen by
these figures. A choice on half of the articles (among the settings with a precision of {wanted:.2f} there, the one
with the best recall) gives paragraphs {paragraph_threshold}, sentences {sentence_threshold}. On the other half, this
setting has precision {precision:.3f} and recall {recall:.3f}; the paper's has {default_precision:.3f} and
{default_recall:.3f}. Neither half includes published pairs without a sentence in any article."""

_MILLION = """{articles:,} made-up articles (`synthetic.py`) with {sentences:,} complex sentences and {simple:,} simple
ones give {paragraph_pairs:,} paragraph pairs and {sentence_pairs:,} sentence pairs, with {jobs} processes. Memory is
sampled, and includes all processes."""

_KILLED = """A run over {sentences:,} made-up sentences was killed with signal 9 {killed} times (after {after} s), and
continued each time: its files have {same} bytes as those of an uninterrupted run."""


_JUDGED = """One reader, a language model, read {pairs} aligned pairs of {articles} test articles (advanced and
elementary level, default thresholds, seed {seed}, without identical ones), with the instructions in `judging.py`:
{right:.0f} % are right, {partial:.0f} % partial, {wrong:.0f} % wrong. Coster and Kauchak had {paper} right pairs of
100, of all aligned pairs of Wikipedia. `judged.tsv` has the judgements; {in_sample} of them are of the sample that
this run draws."""

_SIMPLIFIERS = """Two simplifiers are trained: one on the output of `corpus align`, one on the published pairs of the
same articles. Both models have the same settings, language model text and development set (published pairs of
{development} articles, all levels, SARI). Only their pairs differ: {aligned:,} aligned ones, including identical ones,
and {published:,} published ones, from {training} articles. Pairs with a sentence of another article's text are left
out. Both simplify, in bold mode, sentences that neither has seen: published complex sentences of {test} other articles
(one reference) and TurkCorpus' part for tuning (eight references). Marks show differences from the model of published
pairs."""


def page(figures: Figures, config: Figures) -> list[str]:
    """Lays out the figures."""
    onestop = figures["onestop"]
    return [
        "## OneStop",
        _ONESTOP.format(**onestop),
        _rows(onestop["rows"]),
        _kinds(onestop["rows"]),
        _CHOSEN.format(**onestop["chosen"]),
        _JUDGED.format(**figures["judged"], articles=figures["simplifiers"]["articles"]["test"], seed=SEED),
        "## From articles to a simplifier",
        *_simplifiers(figures["simplifiers"]),
        "## A million sentences",
        _MILLION.format(**figures["million"]),
        *stages_part(figures["million"]),
        "## Killed runs",
        _KILLED.format(**{**figures["killed"], "same": "the same" if figures["killed"]["same_bytes"] else "OTHER"}),
    ]


def _simplifiers(figures: Figures) -> list[str]:
    counts = {name: figures["pairs"][name] for name in CORPORA} | figures["articles"]
    return [
        _SIMPLIFIERS.format(**counts),
        *(_scores(title, figures[name]) for name, title in _TESTS.items()),
        *stages_part(figures),
    ]


_TESTS = {"onestop": "Other articles of OneStop", "turk": "TurkCorpus, part for tuning"}


def _scores(title: str, measured: Figures) -> str:
    metrics = list(measured["signatures"])
    rows = tuple((Cell(system), *score_cells(scores, metrics)) for system, scores in measured["scores"].items())
    notes = score_notes(CORPORA[1], measured["signatures"])
    return as_markdown(Table(f"{title} ({measured['sentences']:,} sentences)", ("system", *metrics), rows, notes))


_KINDS = ("identical", "right", "wrong", "unknown")


def _rows(settings: Sequence[Figures]) -> str:
    columns = ("paragraphs", "sentences", "paragraph pairs", "pairs", *_KINDS, "precision", "recall")
    rows = []
    for row in settings:
        mark = "**" if "kinds" in row else ""
        thresholds = (f"{mark}{row[f'{what}_threshold']}{mark}" for what in ("paragraph", "sentence"))
        scores = (f"{row['all'][name]:.3f}" for name in ("precision", "recall"))
        rows.append((*thresholds, f"{row['paragraph_pairs']:,}", *_counts(row["all"]), *scores))
    return plain_table(columns, rows, words=0)


def _kinds(settings: Sequence[Figures]) -> str:
    default = next(row for row in settings if "kinds" in row)
    rows = [(kind, *_counts(counts)) for kind, counts in default["kinds"].items() if counts["pairs"]]
    title = f"By kind of move, at {DEFAULT.paragraph_threshold} and {DEFAULT.sentence_threshold}:"
    return f"{title}\n\n{plain_table(('move', 'pairs', *_KINDS), rows)}"


def _counts(pairs: Figures) -> list[str]:
    return [f"{pairs[name]:,}" for name in ("pairs", *_KINDS)]
