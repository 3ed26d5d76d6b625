"""`LanguageModel.score` against KenLM and against a plain backoff scorer."""

from __future__ import annotations

import kenlm
import numpy as np
import pytest
from helpers import LOG_10, PlainModel, random_arpa

from lattice_simp import Lattice, apply_lm, nbest
from lattice_simp.errors import FormatError
from lattice_simp.lm import LanguageModel

WORDS = ("a", "b", "c", "été", "語")


def random_sentences(rng, words, count=60, longest=7):
    return [rng.choice([*words, "zz", "yy"], rng.integers(0, longest + 1)).tolist() for _ in range(count)]


def kenlm_model(tmp_path, text):
    path = tmp_path / "model.arpa"
    path.write_text(text, encoding="utf-8")
    return kenlm.Model(str(path))


@pytest.mark.parametrize("unknown", [True, False])
@pytest.mark.parametrize("pruned", [0.0, 0.05])
@pytest.mark.parametrize("order", [2, 3, 4, 5])
def test_score_equals_kenlm(tmp_path, order, pruned, unknown):
    rng = np.random.default_rng([order, int(100 * pruned), unknown])
    text = random_arpa(rng, WORDS, order, pruned=pruned, unknown=unknown)
    reference, model = kenlm_model(tmp_path, text), LanguageModel.from_bytes(text.encode())
    for sentence in random_sentences(rng, WORDS):
        expected = reference.score(" ".join(sentence)) * LOG_10
        assert model.score(sentence) == pytest.approx(expected, rel=1e-5, abs=1e-4)


@pytest.mark.parametrize("pruned", [0.0, 1.0])
@pytest.mark.parametrize("order", [1, 2, 3, 4, 5])
def test_score_equals_the_textbook_recursion(order, pruned):
    rng = np.random.default_rng([order, int(pruned)])
    for density in (0.05, 0.3, 0.8):
        text = random_arpa(rng, WORDS, order, density=density, pruned=pruned)
        model, reference = LanguageModel.from_bytes(text.encode()), PlainModel(text)
        assert model.order == order
        for sentence in random_sentences(rng, WORDS, count=40):
            assert model.score(sentence) == pytest.approx(-reference.cost(sentence), rel=1e-6, abs=1e-4)


@pytest.mark.parametrize("order", [1, 2, 3, 5])
@pytest.mark.parametrize(("bos", "eos"), [(True, True), (True, False), (False, True), (False, False)])
def test_scores_of_many_sentences_are_those_of_each(order, bos, eos):
    rng = np.random.default_rng(order)
    model = LanguageModel.from_bytes(random_arpa(rng, WORDS, order, pruned=0.2).encode())
    sentences = [*random_sentences(rng, (*WORDS, "unseen"), count=40), [], "a b"]
    scores = model.scores(sentences, bos, eos)
    assert scores == pytest.approx([model.score(sentence, bos, eos) for sentence in sentences], abs=1e-12)
    assert scores.dtype == np.float64
    assert model.scores([]).shape == (0,)


def test_kenlm_takes_no_unigram_models(tmp_path):
    with pytest.raises(OSError, match="bigram"):
        kenlm_model(tmp_path, random_arpa(np.random.default_rng(1), WORDS, 1))


@pytest.mark.slow
def test_contexts_with_many_words_are_searched_not_scanned():
    rng = np.random.default_rng(3)
    words = [f"w{number}" for number in range(120)]
    text = random_arpa(rng, words, 3, density=0.9, largest=8000)
    model, reference = LanguageModel.from_bytes(text.encode()), PlainModel(text)
    for sentence in random_sentences(rng, words, longest=4):
        assert model.score(sentence) == pytest.approx(-reference.cost(sentence), rel=1e-6, abs=1e-4)


def test_the_empty_sentence_is_scored():
    text = random_arpa(np.random.default_rng(4), WORDS, 3)
    assert LanguageModel.from_bytes(text.encode()).score([]) == pytest.approx(-PlainModel(text).cost([]), abs=1e-4)


def test_a_start_context_that_nothing_extends_pays_its_backoff():
    text = random_arpa(np.random.default_rng(5), ("a",), 2, density=0.0)
    model, reference = LanguageModel.from_bytes(text.encode()), PlainModel(text)
    assert reference.grams[("<s>",)][1] != 0.0
    assert model.score(["a"]) == pytest.approx(-reference.cost(["a"]), abs=1e-4)


def test_unigrams_have_no_context_to_back_off_from():
    """Some tools still write a column of backoffs."""
    text = "\\data\\\nngram 1=4\n\n\\1-grams:\n-1.5\t<unk>\t-0.1\n-99\t<s>\t-0.3\n-1\t</s>\n-0.7\ta\t-0.2\n\n\\end\\\n"
    model = LanguageModel.from_bytes(text.encode())
    assert model.score("a a") == pytest.approx(-2.4 * LOG_10)
    lattice = apply_lm(Lattice.from_strings([("a a", 0.0)]), {"LM": (model, 1.0)})
    assert nbest(lattice, 1)[0].cost == pytest.approx(2.4 * LOG_10)


def test_a_word_costs_the_same_beside_any_other_vocabulary():
    rng = np.random.default_rng(6)
    text = random_arpa(rng, WORDS, 4)
    model = LanguageModel.from_bytes(text.encode())
    for sentence in random_sentences(rng, WORDS, count=20):
        restricted = model.restrict([*sentence, *WORDS])
        ids = restricted.vocabulary.tolist()
        assert ids[: len(sentence)] == model.restrict([*WORDS, *sentence]).vocabulary.tolist()[len(WORDS) :]


def test_restricted_nodes_are_the_ngrams_over_the_vocabulary():
    text = random_arpa(np.random.default_rng(7), WORDS, 4)
    restricted = LanguageModel.from_bytes(text.encode()).restrict(["b", "zz", "a", "b"])
    kept = {"a", "b", "<unk>", "<s>", "</s>"}
    expected = sum(all(word in kept for word in gram) for gram in PlainModel(text).grams)
    assert restricted.root == expected
    assert restricted.vocabulary[0] == restricted.vocabulary[3]
    assert restricted.num_words == len(kept)


def test_membership_order_and_repr():
    text = random_arpa(np.random.default_rng(8), WORDS, 2)
    model = LanguageModel.from_bytes(text.encode(), "name")
    assert "語" in model
    assert "zz" not in model
    assert repr(model).startswith("LanguageModel('name', order 2, ")


@pytest.mark.parametrize("missing", ["<s>", "</s>"])
def test_a_model_needs_the_sentence_marks(missing):
    text = f"\\data\\\nngram 1=2\n\n\\1-grams:\n-1\ta\n-1\t{'</s>' if missing == '<s>' else '<s>'}\n\n\\end\\\n"
    with pytest.raises(FormatError, match=f"name: the model has no {missing}"):
        LanguageModel.from_bytes(text.encode(), "name")
