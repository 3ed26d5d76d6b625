"""N-gram and class models against KenLM and against their definitions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from helpers import LOG_10
from train.toy import toy_arpa

from lattice_simp import LanguageModel
from lattice_simp.errors import FormatError, LatticeSimpError
from lattice_simp.rescore import ClassScorer, KenlmScorer, NgramScorer, PrefixScorer, combine, read_scorers
from lattice_simp.rescore.classes import class_name
from lattice_simp.rescore.scorer import score_by_prefixes

SENTENCES = ["a b c", "a c b", "b b a", "c a b a", "a b", "b c a c"] * 3
HYPOTHESES = [[], ["a"], ["a", "b", "c"], ["a", "b", "x"], ["x", "a", "b"], ["a", "b", "c"], ["c"] * 6]


@pytest.fixture(scope="module")
def arpa(tmp_path_factory):
    path = tmp_path_factory.mktemp("lm") / "lm.arpa"
    path.write_text(toy_arpa(SENTENCES), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def trigrams(tmp_path_factory):
    """A model with backing off over several orders and an n-gram that was pruned in the middle."""
    text = (
        "\\data\\\nngram 1=6\nngram 2=5\nngram 3=3\n\n\\1-grams:\n-2\t<unk>\n-99\t<s>\t-0.3\n-1\t</s>\n-0.7\ta\t-0.2\n"
        "-0.8\tb\t-0.4\n-0.9\tc\t-0.1\n\n\\2-grams:\n-0.3\t<s> a\t-0.15\n-0.4\ta b\t-0.25\n-0.5\tb c\t-0.35\n"
        "-0.6\tb </s>\n-0.2\tc c\t-0.05\n\n\\3-grams:\n-0.1\t<s> a b\n-0.22\ta b c\n-0.12\tc c c\n\n\\end\\\n"
    )
    path = tmp_path_factory.mktemp("lm3") / "lm.arpa"
    path.write_text(text, encoding="utf-8")
    return path


def test_scores_are_kenlm_s(arpa, trigrams):
    for path in (arpa, trigrams):
        outcome, kenlm = NgramScorer.read(path), KenlmScorer.read(path)
        expected = [-LOG_10 * kenlm.model.score(" ".join(words)) for words in HYPOTHESES]
        for scorer in (outcome, kenlm):
            assert isinstance(scorer, PrefixScorer)
            np.testing.assert_allclose(scorer.score(["source"], HYPOTHESES), expected, atol=1e-5)
            np.testing.assert_allclose(score_by_prefixes(scorer, [], HYPOTHESES), expected, atol=1e-5)
        np.testing.assert_allclose(
            outcome.score([], HYPOTHESES), [-LanguageModel.read(path).score(w) for w in HYPOTHESES]
        )


@pytest.fixture
def class_model(tmp_path):
    """Two classes (c0: a, c1: b and c) and the class of unknown words, under a bigram model."""
    path = tmp_path / "classes.arpa"
    path.write_text(toy_arpa(["c0 c1 c1", "c0 c1 unknown", "c1 c1 c0", "c1 c0 c1 c0"]), encoding="utf-8")
    model = LanguageModel.read(path, cache=False)
    return ClassScorer.from_classes(["a", "b", "c"], np.array([4, 3, 1]), np.array([0, 1, 1], np.int32), model), path


def test_the_class_model_is_its_definition(class_model):
    scorer, path = class_model
    classes = {"a": "c0", "b": "c1", "c": "c1"}
    member = {"a": 1.0, "b": 3 / 4, "c": 1 / 4}
    kenlm = KenlmScorer.read(path).model
    expected = []
    for words in HYPOTHESES:
        named = " ".join(classes.get(word, "unknown") for word in words)
        expected.append(-LOG_10 * kenlm.score(named) - sum(math.log(member.get(word, 1.0)) for word in words))
    assert isinstance(scorer, PrefixScorer)
    np.testing.assert_allclose(scorer.score([], HYPOTHESES), expected, atol=1e-5)


def test_the_words_of_a_class_share_its_probability(class_model):
    """So the class model sums to one if its n-gram model does."""
    scorer, _ = class_model
    state = [scorer.start([])]
    names = {name: number for number, name in enumerate(scorer.ngrams.model.words)}
    for word in ("a", "c", "zzz", "b"):
        for members, name in ((["a"], "c0"), (["b", "c"], "c1"), (["zzz"], "unknown")):
            costs, _ = scorer.extend(state * len(members), members)
            whole = scorer.ngrams.extend_nodes(state, np.array([names[name]], np.int32))[0]
            assert np.exp(-costs).sum() == pytest.approx(np.exp(-whole[0]))
        assert scorer.end(state) == scorer.ngrams.end(state)
        _, state = scorer.extend(state, [word])


def test_class_files(class_model, tmp_path):
    scorer, path = class_model
    scorer.write(tmp_path / "class.scorer")
    again = read_scorers(tmp_path / "class.scorer")
    assert list(again) == ["Class"]
    assert again["Class"].score([], HYPOTHESES).tolist() == scorer.score([], HYPOTHESES).tolist()
    assert list(read_scorers(path)) == ["NGram"]
    data = (tmp_path / "class.scorer").read_bytes()
    (tmp_path / "short").write_bytes(data[:-1])
    with pytest.raises(FormatError, match="no complete arrays"):
        read_scorers(tmp_path / "short")
    (tmp_path / "strange").write_bytes(data.replace(b"classes 1", b"strange 1"))
    with pytest.raises(FormatError, match="strange"):
        read_scorers(tmp_path / "strange")
    with pytest.raises(FormatError, match="does not exist"):
        read_scorers(tmp_path / "missing")
    model = scorer.ngrams.model
    with pytest.raises(LatticeSimpError, match="no class c2"):
        ClassScorer.from_classes(["a"], np.array([1]), np.array([2], np.int32), model)
    with pytest.raises(LatticeSimpError, match="2 words"):
        ClassScorer.from_classes(["a", "b"], np.array([1]), np.array([0], np.int32), model)
    assert class_name(None) not in {class_name(number) for number in range(100)}


def test_a_weighted_sum_is_a_scorer(arpa, trigrams, class_model):
    first, second, third = NgramScorer.read(arpa), KenlmScorer.read(trigrams), class_model[0]
    joint = combine([(first, 0.5), (second, 2.0), (third, -1.0)])
    expected = 0.5 * first.score([], HYPOTHESES) + 2 * second.score([], HYPOTHESES) - third.score([], HYPOTHESES)
    np.testing.assert_allclose(joint.score([], HYPOTHESES), expected)
    assert isinstance(joint, PrefixScorer)
    np.testing.assert_allclose(score_by_prefixes(joint, [], HYPOTHESES), expected, atol=1e-5)

    class Whole:
        def score(self, source, hypotheses):
            return np.array([float(len(words)) for words in hypotheses])

    mixed = combine([(first, 1.0), (Whole(), 3.0)])
    assert not isinstance(mixed, PrefixScorer)
    lengths = [3.0 * len(words) for words in HYPOTHESES]
    np.testing.assert_allclose(mixed.score([], HYPOTHESES), first.score([], HYPOTHESES) + lengths)
    for parts in ([], [(first, math.nan)]):
        with pytest.raises(LatticeSimpError):
            combine(parts)


def test_no_language_model(tmp_path):
    (tmp_path / "a.arpa").write_text("nothing\n", encoding="utf-8")
    with pytest.raises(FormatError):
        NgramScorer.read(tmp_path / "a.arpa")
    with pytest.raises(FormatError):
        KenlmScorer.read(tmp_path / "a.arpa")
