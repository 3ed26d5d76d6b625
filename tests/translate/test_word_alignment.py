"""Word alignments of derivations, by hand and against the decoder's own derivations."""

from __future__ import annotations

import pytest
from helpers import arc_paths
from test_parse import KINDS, SEEDS, make
from tiny_decoder import tiny_decoder

from lattice_simp.errors import GrammarError
from lattice_simp.formats.moses.rule_table import parse_rules
from lattice_simp.translate.costs import Costs
from lattice_simp.translate.derivation import COPY_RULE, RuleLabels, RuleUse
from lattice_simp.translate.grammar import Grammar
from lattice_simp.translate.parse import parse_sentence
from lattice_simp.translate.word_alignment import align_words


def grammar_of(*lines):
    """Makes a grammar whose rules keep the order of the lines (each has another source side)."""
    grammar = Grammar.from_rules(parse_rules(lines))
    assert grammar.num_rules == len(lines)
    return grammar


def aligned(grammar, source, *uses):
    """Returns the alignment as lists of sorted tokens; `uses` are (rule, start, end)."""
    result = align_words([RuleUse(*use) for use in uses], source.split(), grammar)
    return [sorted(tokens) for tokens in result]


# ---------------------------------------------------------------- by hand


def test_phrases_side_by_side_are_aligned_word_by_word():
    grammar = grammar_of("[X] ||| a b ||| v u ||| ||| 0-1 1-0", "[X] ||| c ||| w ||| ||| 0-0")
    assert aligned(grammar, "a b c a b", (0, 0, 2), (1, 2, 3), (0, 3, 5)) == [[1], [0], [2], [4], [3]]


def test_a_rule_without_an_alignment_aligns_all_its_words_with_each_other():
    grammar = grammar_of("[X] ||| a b ||| u v w", "[X] ||| c [X,1] d ||| x [X,1] y")
    assert aligned(grammar, "a b", (0, 0, 2)) == [[0, 1]] * 3
    assert aligned(grammar, "c a b d", (0, 1, 3), (1, 0, 4)) == [[0, 3], [1, 2], [1, 2], [1, 2], [0, 3]]


def test_a_word_may_be_aligned_to_several_tokens_or_none():
    grammar = grammar_of("[X] ||| a b c ||| u v w ||| ||| 0-0 2-0 1-2")
    assert aligned(grammar, "a b c", (0, 0, 3)) == [[0, 2], [], [1]]


def test_an_empty_target_side_gives_no_words():
    grammar = grammar_of("[X] ||| a |||  |||", "[X] ||| b ||| u ||| ||| 0-0")
    assert aligned(grammar, "a b a", (0, 0, 1), (1, 1, 2), (0, 2, 3)) == [[1]]


def test_gaps_are_filled_in_the_order_of_the_target_side():
    grammar = grammar_of(
        "[X] ||| [X,1] c [X,2] ||| [X,2] w [X,1] ||| ||| 1-1",
        "[X] ||| a a ||| u v ||| ||| 0-0 1-1",
        "[X] ||| b ||| x ||| ||| 0-0",
    )
    assert aligned(grammar, "a a c b", (0, 0, 4), (1, 0, 2), (2, 3, 4)) == [[3], [2], [0], [1]]


def test_points_count_a_gap_as_one_symbol_on_both_sides():
    grammar = grammar_of("[X] ||| a [X,1] b ||| v [X,1] u ||| ||| 0-2 2-0", "[X] ||| c d e ||| w ||| ||| 1-0")
    assert aligned(grammar, "a c d e b", (0, 0, 5), (1, 1, 4)) == [[4], [2], [0]]


def test_gaps_nest():
    grammar = grammar_of(
        "[X] ||| a [X,1] a ||| [X,1] u ||| ||| 2-1", "[X] ||| b [X,1] ||| v [X,1] ||| ||| 0-0", "[X] ||| c ||| w"
    )
    uses = [(0, 0, 7), (1, 1, 6), (0, 2, 6), (1, 3, 5), (2, 4, 5)]
    expected = [[1], [3], [4], [5], [6]]
    assert aligned(grammar, "a b a b c a a", *uses) == expected
    assert aligned(grammar, "a b a b c a a", *reversed(uses)) == expected


def test_gaps_side_by_side_are_distinguished_by_the_rules_in_them():
    grammar = grammar_of(
        "[X] ||| [X,1] [X,2] ||| [X,2] [X,1]", "[X] ||| a ||| u ||| ||| 0-0", "[X] ||| a a ||| v v ||| ||| 0-0 1-1"
    )
    assert aligned(grammar, "a a a", (0, 0, 3), (1, 0, 1), (2, 1, 3)) == [[1], [2], [0]]
    assert aligned(grammar, "a a a", (0, 0, 3), (2, 0, 2), (1, 2, 3)) == [[2], [0], [1]]


def test_unary_rules_stand_before_what_they_hold_on_the_same_tokens():
    grammar = grammar_of(
        "[X] ||| [V,1] ||| [V,1]", "[V] ||| a b ||| u v ||| ||| 0-1 1-0", "[X] ||| [V,1] c ||| w [V,1]"
    )
    assert aligned(grammar, "a b", (0, 0, 2), (1, 0, 2)) == [[1], [0]]
    assert aligned(grammar, "a b c", (2, 0, 3), (1, 0, 2)) == [[2], [1], [0]]


def test_copies_are_aligned_with_their_own_token():
    grammar = grammar_of("[X] ||| a [X,1] ||| [X,1] u")
    assert aligned(grammar, "q a z", (COPY_RULE, 0, 1), (0, 1, 3), (COPY_RULE, 2, 3)) == [[0], [2], [1]]


def test_the_same_rule_may_stand_twice():
    grammar = grammar_of("[X] ||| a [X,1] ||| u [X,1]", "[X] ||| b ||| v")
    assert aligned(grammar, "a a b", (0, 0, 3), (0, 1, 3), (1, 2, 3)) == [[0], [1], [2]]


def test_no_rules_translate_no_tokens():
    assert align_words([], [], grammar_of("[X] ||| a ||| u")) == []


# ---------------------------------------------------------------- what is not a derivation


GRAMMAR = ("[X] ||| a ||| u", "[X] ||| b [X,1] ||| v [X,1]")


@pytest.mark.parametrize(
    ("source", "uses"),
    [
        ("a a", [(0, 0, 1)]),
        ("a", [(0, 0, 1), (0, 0, 1)]),
        ("a", []),
        ("b a", [(1, 0, 2)]),
        ("b a", [(0, 0, 1), (0, 1, 2)]),
        ("a", [(0, 0, 1), (1, 1, 3)]),
        ("a b", [(0, 1, 2), (0, 0, 1)]),
    ],
    ids=["a token is left", "a rule is left", "no rules", "an open gap", "other words", "beyond the end", "other word"],
)
def test_rules_that_make_up_no_derivation_are_refused(source, uses):
    with pytest.raises(GrammarError):
        aligned(grammar_of(*GRAMMAR), source, *uses)


# ---------------------------------------------------------------- derivations of the decoder


def derivations(grammar, weights, words, settings, count):
    """Returns (target words, rules) of a lattice's paths."""
    lattice = parse_sentence(grammar, Costs.weighted(grammar, weights), words, settings).lattice().named()
    for number, (arcs, _) in enumerate(arc_paths(lattice)):
        if number == count:
            return
        labels = [lattice.isymbols[step] for step in lattice.ilabels[arcs].tolist() if step]
        target = lattice.symbols.decode(lattice.olabels[arcs])
        yield target, RuleLabels.read(labels).uses()


@KINDS
@pytest.mark.parametrize("seed", SEEDS)
def test_every_target_word_of_a_derivation_is_aligned_with_tokens_of_the_rule_that_made_it(seed, kind):
    grammar, weights, words, settings = make(seed, kind)
    for target, uses in derivations(grammar, weights, words, settings, 150):
        result = align_words(uses, words, grammar)
        assert len(result) == len(target)
        makers = {}  # target word -> the sets of tokens that its rules may align it with
        for use in uses:
            if use.rule == COPY_RULE:
                makers.setdefault(words[use.start], []).append({use.start})
            else:
                for symbol in grammar.rule(use.rule).target:
                    if isinstance(symbol, str):
                        makers.setdefault(symbol, []).append(set(range(use.start, use.end)))
        for word, tokens in zip(target, result, strict=True):
            assert tokens  # these rules have no alignment: each word stands for all of its rule's words
            assert any(tokens <= allowed for allowed in makers[word])


@KINDS
@pytest.mark.parametrize("seed", SEEDS)
def test_without_alignments_each_rules_words_are_aligned_with_its_own_source_words(seed, kind):
    grammar, weights, words, settings = make(seed, kind)
    for _, uses in derivations(grammar, weights, words, settings, 60):
        sizes = sorted(len(tokens) for tokens in align_words(uses, words, grammar))
        expected = []
        for use in uses:
            if use.rule == COPY_RULE:
                expected.append(1)
                continue
            rule = grammar.rule(use.rule)
            actual = sum(isinstance(symbol, str) for symbol in rule.source)
            expected += [actual] * sum(isinstance(symbol, str) for symbol in rule.target)
        assert sizes == sorted(expected)


MEANING = {
    "i": {"ich"},
    "have": {"habe"},
    "seen": {"gesehen"},
    "saw": {"habe", "gesehen"},
    "the": {"das"},
    "that": {"das"},
    "house": {"haus"},
    "home": {"haus"},
    "old": {"alte"},
    "yesterday": {"gestern"},
}
"""What the words of the tiny decoder come from."""


def require_meaning(translation, decoder, sentence):
    """Fails if a word is aligned with others than it translates; returns the number of hypotheses."""
    nbest = translation.nbest(200)
    for path in nbest:
        words = path.text.split()
        result = align_words(translation.derivation(path), sentence, decoder.grammar)
        assert [{sentence[token] for token in tokens} for tokens in result] == [MEANING[word] for word in words]
    return len(nbest)


def test_words_of_a_plain_translation_are_aligned_with_what_they_translate():
    decoder = tiny_decoder()
    sentence = "ich habe das haus gesehen".split()
    assert require_meaning(decoder.translate(sentence), decoder, sentence) >= 5


@pytest.mark.slow
def test_words_of_skeleton_first_translations_are_aligned_inside_and_outside_of_gaps():
    decoder = tiny_decoder()
    crossed = 0
    for sentence in ("ich habe das alte haus gestern gesehen".split(), "das haus habe gestern ich gesehen".split()):
        for number in range(1, 2 ** len(sentence) - 1):
            mask = f"{number:0{len(sentence)}b}"
            translation = decoder.translate(sentence, mask, strategy="skeleton-first")
            if translation.reachable:
                require_meaning(translation, decoder, sentence)
                across = (use for use in translation.derivation(translation.best) if use.rule >= 0)
                rules = [(decoder.grammar.rule(use.rule).source, use.end - use.start) for use in across]
                crossed += any(len(words) < span and all(isinstance(w, str) for w in words) for words, span in rules)
    assert crossed > 10


def test_gaps_that_a_rule_reaches_across_keep_their_order():
    grammar = grammar_of(
        "[X] ||| a b c ||| u v w ||| ||| 0-0 1-2 2-1",
        "[X] ||| d ||| x ||| ||| 0-0",
        "[X] ||| e ||| y ||| ||| 0-0",
        "[X] ||| f g ||| s t",
    )
    uses = (0, 0, 5), (1, 1, 2), (2, 3, 4)
    assert aligned(grammar, "a d b e c", *uses) == [[0], [1], [4], [2], [3]]
    unaligned = (3, 0, 4), (1, 1, 2), (2, 2, 3)
    assert aligned(grammar, "f d e g", *unaligned) == [[0, 3], [1], [2], [0, 3]]
    with pytest.raises(GrammarError):
        aligned(grammar, "f d e g", (3, 0, 4), (1, 1, 2))  # nothing translates e
