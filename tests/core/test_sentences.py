"""A single string is one sentence, or the words of one, wherever sentences or words are expected; never its letters."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
import pytest

import lattice_simp as ls
from lattice_simp.core.marks import without_marks
from lattice_simp.core.symbols import as_sentences
from lattice_simp.errors import InvalidLatticeError, LatticeSimpError
from lattice_simp.formats.pieces import join_words
from lattice_simp.metrics import length_ratio
from lattice_simp.metrics.metric import Lines
from lattice_simp.translate.source import Source

ARPA = b"\\data\\\nngram 1=4\n\n\\1-grams:\n-1 <unk>\n-9 <s>\n-0.5 a\n-0.25 </s>\n\\end\\\n"
TREE = "(S (NP (DT a) (NN cat)) (VP (VBD sat)))"


def strings(lattice):
    return sorted(path.text for path in ls.nbest(lattice, 99))


def model():
    return ls.LanguageModel.from_bytes(ARPA)


LATTICE = ls.Lattice.from_strings([("a cat sat", 1.0), ("a dog sat", 2.0)])

# The result for one string, and for its meaning.
SAME = {
    "from_strings": lambda text: strings(ls.Lattice.from_strings(text)),
    "from_nbest": lambda text: strings(ls.Lattice.from_nbest(text)),
    "recombine": lambda text: strings(ls.recombine(text)),
    "from_generator": lambda text: ls.from_generator(text),
    "from_generator with scores": lambda text: ls.from_generator(text, [-1.5]),
    "mbr_nbest": lambda text: ls.mbr_nbest(text, "wer"),
    "mbr_nbest evidence": lambda text: ls.mbr_nbest([ls.Hypothesis(("a",))], "wer", evidence=text),
    "gappy_acceptor": lambda text: strings(ls.gappy_acceptor(text).acceptor),
    "term_acceptor": lambda text: strings(ls.term_acceptor(text).acceptor),
    "oracle": lambda text: ls.oracle(LATTICE, text).score,
    "combine": lambda text: ls.shortest_path(ls.combine(text)).text,
    "thesaurus": lambda text: ls.Thesaurus.from_groups(text),
    "metric": lambda text: length_ratio().corpus_score(["a cat sat on", "a"][: len(as_sentences(text))], text),
    "metric hypotheses": lambda text: length_ratio().corpus_score(text, [["a cat sat"]]),
    "lines": lambda text: Lines(tokens=text).count,
}


@pytest.mark.parametrize("name", SAME)
def test_a_string_is_one_sentence(name):
    for text in ("Vertrag", "a cat", "ab"):
        assert SAME[name](text) == SAME[name]([text]), text
    with suppress(LatticeSimpError):  # as many texts as scores or references are needed, for example
        assert SAME[name]("Vertrag") != SAME[name](list("Vertrag")), "letters"


WORDS = {
    "symbol table": lambda words: list(ls.SymbolTable(words)),
    "encode": lambda words: ls.SymbolTable(["cat", "a"]).encode(words).tolist(),
    "lookup": lambda words: ls.SymbolTable(["cat", "a"]).lookup(words).tolist(),
    "skeleton": lambda words: ls.Skeleton(words, (True, False)),
    "from_mask": lambda words: ls.Skeleton.from_mask("10", words),
    "from_words": lambda words: ls.Skeleton.from_words(words, "cat"),
    "from_words of skeletons": lambda words: ls.Skeleton.from_words(["a", "big", "cat"], words),
    "hypothesis": lambda words: ls.Hypothesis(words, 1.0),
    "pair": lambda words: strings(ls.Lattice.from_strings([(words, 1.0)])),
    "reference": lambda words: ls.oracle(LATTICE, [words]).score,
    "confidences": lambda words: ls.word_confidences(LATTICE, words).round(6).tolist(),
    "agreement": lambda words: ls.skeleton_agreement(words, [ls.Hypothesis(("cat",))]).tolist(),
    "score": lambda words: model().score(words),
    "word_ids": lambda words: model().word_ids(words).tolist(),
    "restrict": lambda words: model().restrict(words).vocabulary.tolist(),
    "pieces": lambda words: join_words(words, "bpe"),
    "source": lambda words: Source.from_words(words).words,
    "group": lambda words: ls.Thesaurus.from_groups([words]),
    "term's form": lambda words: strings(ls.term_acceptor([[words]]).acceptor),
    "ignored": lambda words: strings(LATTICE.without_words(words)),
    "marks": lambda words: without_marks(["a", "t", "cat"], words),
    "ignored by models": lambda words: (
        ls.shortest_path(ls.apply_lm(LATTICE, {"LM": (model(), 1.0)}, ignore=words)).cost
    ),
    "ignored by nbest": lambda words: [path.text for path in ls.nbest(LATTICE, 9, ignore=words)],
}


@pytest.mark.parametrize("name", WORDS)
def test_a_string_is_the_words_between_its_blanks(name):
    assert WORDS[name]("a cat") == WORDS[name](["a", "cat"])
    assert WORDS[name](" a\tcat ") == WORDS[name](("a", "cat"))


def test_sentences_of_trees_are_one_or_several():
    pytest.importorskip("spacy")
    assert ls.Paraphraser().expand([ls.Tree.from_brackets(TREE)]).count == 1
    assert as_sentences("a cat") == ["a cat"]
    assert as_sentences(iter(["a", "b"])) == ["a", "b"]


def test_strings_cost_nothing_and_stand_beside_pairs():
    lattice = ls.Lattice.from_strings([("a cat", 1.5), "a dog", ls.Hypothesis(("b",), 2.0)])
    assert [(path.text, path.cost) for path in ls.nbest(lattice, 9)] == [("a dog", 0.0), ("a cat", 1.5), ("b", 2.0)]


@pytest.mark.parametrize("sentences", [[7], [("a", "b")], [("a", 1.0, 2.0)], [("a", None)], [("a", float("nan"))]])
def test_what_is_no_string_and_no_pair(sentences):
    for make in (ls.Lattice.from_strings, ls.Lattice.from_nbest, ls.recombine, ls.mbr_nbest, ls.gappy_acceptor):
        with pytest.raises((InvalidLatticeError, TypeError)):
            make(sentences)


def test_texts_where_numbers_or_lists_are_needed():
    constraint = ls.TokenConstraint.of(ls.gappy_acceptor("cat"), [None, b"cat"], end=0)
    assert np.array_equal(constraint.allowed([1]), constraint.allowed((1,)))
    for call in (
        lambda: constraint.allowed("1"),
        lambda: constraint.state(b"1"),
        lambda: ls.TokenConstraint.of(ls.gappy_acceptor("cat"), b"cat", end=0),
        lambda: ls.align_sentences("a b", ["a b"]),
    ):
        with pytest.raises(LatticeSimpError, match=r"list"):
            call()
