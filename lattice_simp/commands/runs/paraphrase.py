"""The worker of `lattice-simp paraphrase`: reads its models, and makes a line or a block for each set."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

from lattice_simp.commands.inputs.sentence_sets import SentenceSetLine
from lattice_simp.commands.inputs.sentences import Sentence
from lattice_simp.commands.running.records import Record
from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.lattice import Lattice
from lattice_simp.errors import LatticeSimpError
from lattice_simp.formats import write
from lattice_simp.lm import LanguageModel
from lattice_simp.ops.apply_lm import apply_lm
from lattice_simp.ops.count_paths import count_paths
from lattice_simp.ops.nbest import nbest
from lattice_simp.ops.sample import sample
from lattice_simp.support.options import option
from lattice_simp.support.tasks.outcome import Function
from lattice_simp.systems.paraphrase.alignment import ALL_CONDITIONS, AlignmentSettings, align_phrases
from lattice_simp.systems.paraphrase.disambiguation import choose_parses
from lattice_simp.systems.paraphrase.filters import FILTERS
from lattice_simp.systems.paraphrase.links import link_words
from lattice_simp.systems.paraphrase.network import SUBSTITUTIONS
from lattice_simp.systems.paraphrase.paraphraser import Expansion, Paraphraser, ParaphraseSettings, parsed
from lattice_simp.systems.paraphrase.synonyms import SENSES, WORDNET, Thesaurus
from lattice_simp.systems.paraphrase.tree import Tree
from lattice_simp.text.english.spacy_parser import tokenise

ALL, NONE = "all", "none"
"""The values of `--filters` and `--conditions` other than lists of names."""

_TABLE = "the guide on paraphrases describes them"
_CONDITIONS = option(
    ALL, "conditions", f"phrase conditions: all, none, or some of {', '.join(ALL_CONDITIONS)}; {_TABLE}"
)


def _chosen(names: str, table: Iterable[str]) -> tuple[str, ...]:
    return {ALL: tuple(table), NONE: ()}.get(names, tuple(names.split(",")))


@dataclass(frozen=True)
class WordOptions:
    """The form of the sentences, and the synonyms to link besides equal words."""

    trees: bool = option(
        False, "trees", "read parse trees in Penn brackets, one sentence per line, with ||| between its parses"
    )
    tokenised: bool = option(False, "tokenised", "the input is tokens separated by spaces")
    wordnet: Path | None = option(None, "wordnet", f"folder of WordNet index files (default: {WORDNET} if it exists)")
    senses: int = option(SENSES, "senses", "number of WordNet senses to use per word (0: no WordNet)")
    synonyms: Path | None = option(None, "synonyms", "synonym groups, one per line, separated by tabs")

    def __post_init__(self) -> None:
        if self.senses < 0:
            raise LatticeSimpError(f"--senses {self.senses}: give 0 or more")

    def thesaurus(self) -> Thesaurus:
        """Reads WordNet, if it exists, and the user's synonym groups."""
        words = Thesaurus.english()
        if self.synonyms is not None:
            words = words.joined(Thesaurus.read(self.synonyms))
        if self.senses and (self.wordnet is not None or WORDNET.is_dir()):
            words = words.joined(Thesaurus.read_wordnet(self.wordnet or WORDNET, self.senses))
        return words

    def trees_of(self, sentence_set: SentenceSetLine, paraphraser: Paraphraser) -> list[Tree]:
        """Returns the trees of a set's sentences; if they have several parses, those that agree most."""
        if self.trees:
            parses = [parses_of(sentence) for sentence in sentence_set.sentences]
            return choose_parses(parses, paraphraser.thesaurus, paraphraser.settings.alignment)
        return parsed(sentence_set.sentences if self.tokenised else map(tokenise, sentence_set.sentences))


@dataclass(frozen=True)
class AlignOptions:
    """The options of `align`."""

    words: WordOptions = field(default_factory=WordOptions)
    alignment: AlignmentSettings = field(default_factory=AlignmentSettings)
    conditions: str = _CONDITIONS


@dataclass(frozen=True)
class ExpandOptions:
    """The options of `expand`, `count` and `sample`."""

    words: WordOptions = field(default_factory=WordOptions)
    paraphrase: ParaphraseSettings = field(default_factory=ParaphraseSettings)
    conditions: str = _CONDITIONS
    filters: str = option(ALL, "filters", f"sentence filters: all, none, or some of {', '.join(FILTERS)}; {_TABLE}")
    lm: Path | None = option(None, "lm", "language model (ARPA or KenLM binary)")
    beam: float = option(
        10.0, "beam", "drop paths that cost over this many nats (natural logs) more than the best; with --lm"
    )

    def __post_init__(self) -> None:
        if not self.beam >= 0:
            raise LatticeSimpError(f"--beam {self.beam}: give 0 or more")

    def files(self) -> str:
        """Identifies the files that results depend on by path, size and time, as JSON."""
        paths = [path for path in (self.lm, self.words.synonyms) if path is not None]
        stats = [(str(path), path.stat()) for path in paths]
        return json.dumps([(name, status.st_size, status.st_mtime_ns) for name, status in stats])

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> ExpandOptions:
        """Makes the options from nested dicts, with defaults for missing ones."""
        values = dict(options)
        words, inner = WordOptions(**values.pop("words", {})), dict(values.pop("paraphrase", {}))
        conditions = _chosen(values.get("conditions", ALL), ALL_CONDITIONS)
        alignment = AlignmentSettings(conditions=conditions, **inner.pop("alignment", {}))
        filters = _chosen(values.get("filters", ALL), FILTERS)
        return cls(words, ParaphraseSettings(alignment=alignment, filters=filters, **inner), **values)


@dataclass(frozen=True)
class Work:
    """The task of every worker.

    Attributes:
        action: the operation on a set, a name in `ACTIONS`.
        options: the settings, `ExpandOptions` or `AlignOptions`.
        ids: the names of the sets.
        limit: the number of sentences to list or to draw.
        form: `text` or `json`.
        seed: the seed of the random numbers.
        weighted: whether sentences are drawn by their probabilities.
        lattices: a folder that receives the sets' lattices.
    """

    action: str
    options: ExpandOptions
    ids: tuple[str, ...] = ()
    limit: int = 1
    form: str = "text"
    seed: int = 0
    weighted: bool = False
    lattices: Path | None = None

    def passed_through(self, sentence_set: SentenceSetLine) -> str:
        """Returns the output for a set that fails."""
        if self.action in ("expand", "sample") and self.form == "text":
            return _block(sentence_set.sentences)
        return json.dumps({"id": sentence_set.id, "failed": True}, ensure_ascii=False)


@dataclass(frozen=True)
class _Tools:
    """The models of a worker."""

    work: Work
    paraphraser: Paraphraser
    model: LanguageModel | None

    def expansion(self, sentence_set: SentenceSetLine) -> tuple[Expansion, Lattice]:
        """Returns the expansion, and its lattice: within the model's beam, or at the cost of the substitutions."""
        expanded = self.paraphraser.expand_trees(self.work.options.words.trees_of(sentence_set, self.paraphraser))
        if self.model is None:
            return expanded, expanded.by_substitutions()
        return expanded, apply_lm(expanded.lattice, {"LM": (self.model, 1.0)}, beam=self.work.options.beam)


_Result = tuple[str, Expansion | None]
"""The text of a record, and the expansion; None where new sentences are not counted."""


def parses_of(line: str) -> list[Tree]:
    """Returns the parses of a sentence in Penn brackets, between ` ||| `.

    >>> len(parses_of("(NP (NN house)) ||| (VP (VB house))"))
    2

    Raises:
        FormatError: a parse is broken.
    """
    return [Tree.from_brackets(text) for text in line.split(" ||| ")]


def make_worker(work: Work) -> Function:
    """Loads the models of a worker; returns the function that processes a numbered set."""
    options = work.options
    model = None if options.lm is None else LanguageModel.read(options.lm)
    return partial(_one_set, _Tools(work, Paraphraser(options.paraphrase, options.words.thesaurus()), model))


def _one_set(tools: _Tools, task: tuple[int, Sentence]) -> Record:
    number, sentence = task
    sentence_set = SentenceSetLine(tools.work.ids[number], sentence.words)
    line, expanded = ACTIONS[tools.work.action](tools, sentence_set, number)
    new, removed = (None, 0) if expanded is None else (expanded.new, sum(expanded.removed.values()))
    return {"number": number, "line": line, "nbest": [], "reachable": None, "new": new, "removed": removed}


def _expand(tools: _Tools, sentence_set: SentenceSetLine, number: int) -> _Result:
    work = tools.work
    if not sentence_set.sentences:
        return _listed(work, sentence_set, [], 0), None
    expanded, lattice = tools.expansion(sentence_set)
    if work.lattices is not None:
        write(expanded.lattice if tools.model is None else lattice, work.lattices / f"{sentence_set.id}.fst")
    return _listed(work, sentence_set, nbest(lattice, work.limit, ignore=()), expanded.count), expanded


def _sample(tools: _Tools, sentence_set: SentenceSetLine, number: int) -> _Result:
    work = tools.work
    if not sentence_set.sentences:
        return _listed(work, sentence_set, [], 0), None
    expanded, lattice = tools.expansion(sentence_set)
    paths = sample(lattice, work.limit, seed=work.seed + number, uniform=not work.weighted, ignore=())
    return _listed(work, sentence_set, paths, expanded.count), expanded


def _listed(work: Work, sentence_set: SentenceSetLine, paths: list[Hypothesis], total: int) -> str:
    if work.form == "text":
        return _block(path.text for path in paths)
    rows = [
        {"text": path.text, "substitutions": -round(path.features[SUBSTITUTIONS]), "cost": path.cost} for path in paths
    ]
    return json.dumps({"id": sentence_set.id, "count": total, "sentences": rows}, ensure_ascii=False)


def _block(sentences: Iterable[str]) -> str:
    """Returns the lines of a set; the line end of its record adds the blank line after it."""
    return "".join(f"{sentence}\n" for sentence in sentences)


def _count(tools: _Tools, sentence_set: SentenceSetLine, number: int) -> _Result:
    if not sentence_set.sentences:
        record = {"id": sentence_set.id, "given": 0, "phrases": 0, "sentences": 0, "new": 0}
        return json.dumps(record, ensure_ascii=False), None
    expanded, lattice = tools.expansion(sentence_set)
    record = {
        "id": sentence_set.id,
        "given": len(set(expanded.sentences)),
        "phrases": len(expanded.grammar.pairs),
        "sentences": expanded.count,
        "new": expanded.new,
        "removed": dict(expanded.removed),
        "links": dict(expanded.grammar.links),
        "bounded": expanded.bounded,
    }
    if tools.model is not None:
        record["within_beam"] = count_paths(lattice)
    return json.dumps(record, ensure_ascii=False), expanded


def _align(tools: _Tools, sentence_set: SentenceSetLine, number: int) -> _Result:
    trees = tools.work.options.words.trees_of(sentence_set, tools.paraphraser)
    settings = tools.paraphraser.settings.alignment
    pairs = [
        {
            "sentences": [first, second],
            "category": pair.category,
            "phrases": [" ".join(trees[first].phrase(pair.nodes[0])), " ".join(trees[second].phrase(pair.nodes[1]))],
            "spans": [pair.first, pair.second],
            "links": pair.links,
            "identical": pair.identical,
            "composed": pair.composed,
        }
        for first, second in combinations(range(len(trees)), 2)
        for pair in align_phrases(
            trees[first], trees[second], link_words(trees[first], trees[second], tools.paraphraser.thesaurus), settings
        )
    ]
    return json.dumps({"id": sentence_set.id, "pairs": pairs}, ensure_ascii=False), None


ACTIONS: Mapping[str, Callable[[_Tools, SentenceSetLine, int], _Result]] = {
    "expand": _expand,
    "count": _count,
    "sample": _sample,
    "align": _align,
}
"""The functions that make the text of a record, and count new sentences, from a set and its number, by action."""
