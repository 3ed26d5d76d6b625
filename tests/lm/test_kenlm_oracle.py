"""ARPA files as other tools write them, against KenLM: sentences, single words, and lattices."""

from __future__ import annotations

import re
from itertools import product

import kenlm
import numpy as np
import pytest
from helpers import LOG_10, best_by_string, paths, random_arpa, random_lattice

from lattice_simp import LanguageModel, apply_lm
from lattice_simp.errors import FormatError

WORDS = ("a", "b", "c", "été")
SEEDS = range(30)
END_BACKOFF = """\\data\\
ngram 1=4
ngram 2=1

\\1-grams:
-99\t<s>\t0
-1\ta\t0
-1\t</s>\t-0.5
-2\t<unk>\t0

\\2-grams:
-0.5\t<s> a

\\end\\
"""


def both(tmp_path, text):
    path = tmp_path / "model.arpa"
    path.write_bytes(text.encode())
    return LanguageModel.read(path, cache=False), kenlm.Model(str(path))


def odd_arpa(seed):
    """Returns a model with backoff weights on n-grams that end a sentence, and other peculiarities of tools."""
    rng = np.random.default_rng(seed)
    text = random_arpa(rng, WORDS, 2 + seed % 4, density=0.4, unknown=seed % 3 > 0)
    top = 2 + seed % 4
    body, last = text.split(f"\\{top}-grams:")
    body = re.sub(r"(?m)(</s>)$", lambda match: f"{match[1]}\t{rng.normal(-0.3, 0.4):.4f}", body)
    text = f"{body}\\{top}-grams:{last}"
    if seed % 2:
        text = text.replace("-99.0\t<s>", "-inf\t<s>")
    if seed % 5 == 0:
        text = text.replace("<unk>", "<UNK>")
    if seed % 7 == 0:
        text = text.replace("\n", "\r\n")
    return text


def sentences(rng, count=25):
    return [rng.choice([*WORDS, "zz"], rng.integers(0, 7)).tolist() for _ in range(count)]


def test_the_backoff_of_the_sentence_end_is_not_charged(tmp_path):
    model, reference = both(tmp_path, END_BACKOFF)
    assert model.score(["a"]) == pytest.approx(-1.5 * LOG_10)
    assert reference.score("a") == pytest.approx(-1.5)


def test_sentences_score_as_in_kenlm(tmp_path):
    for seed in SEEDS:
        model, reference = both(tmp_path, odd_arpa(seed))
        for sentence in sentences(np.random.default_rng(seed)):
            expected = LOG_10 * reference.score(" ".join(sentence))
            assert model.score(sentence) == pytest.approx(expected, rel=1e-5, abs=1e-4), (seed, sentence)
            assert model.score(" ".join(sentence)) == model.score(sentence), (seed, sentence)


def test_parts_of_sentences_score_as_in_kenlm(tmp_path):
    binary = "tests/lm/data/tiny.probing.binary"
    models = [both(tmp_path, odd_arpa(seed)) for seed in SEEDS] + [(LanguageModel.read(binary), kenlm.Model(binary))]
    for number, (model, reference) in enumerate(models):
        for sentence in sentences(np.random.default_rng(number), 8):
            for bos, eos in product((True, False), repeat=2):
                expected = LOG_10 * reference.score(" ".join(sentence), bos=bos, eos=eos)
                actual = model.score(sentence, bos=bos, eos=eos)
                assert actual == pytest.approx(expected, rel=1e-5, abs=1e-4), (number, sentence, bos, eos)
                assert len(model.full_scores(sentence, bos, eos)) == len(sentence) + eos


def test_words_score_as_in_kenlm(tmp_path):
    for seed in SEEDS:
        model, reference = both(tmp_path, odd_arpa(seed))
        for sentence in sentences(np.random.default_rng(seed), 8):
            expected = list(reference.full_scores(" ".join(sentence)))
            actual = model.full_scores(sentence)
            message = (seed, sentence)
            assert [score[1:] for score in actual] == [score[1:] for score in expected], message
            logs = [LOG_10 * score[0] for score in expected]
            assert [score.log_prob for score in actual] == pytest.approx(logs, rel=1e-5, abs=1e-4), message


def test_lattices_cost_what_kenlm_says(tmp_path):
    for seed in SEEDS:
        model, reference = both(tmp_path, odd_arpa(seed))
        lattice = random_lattice(np.random.default_rng(seed), 6, (*WORDS, "zz"))
        if not next(paths(lattice), None):
            continue
        expected = {
            words: cost - LOG_10 * reference.score(" ".join(words)) for words, cost in best_by_string(lattice).items()
        }
        actual = best_by_string(apply_lm(lattice, {"LM": (model, 1.0)}))
        assert actual.keys() == expected.keys(), seed
        assert [actual[words] for words in expected] == pytest.approx(list(expected.values()), abs=1e-4), seed


def test_a_state_is_advanced_word_by_word(tmp_path):
    for model in (both(tmp_path, END_BACKOFF)[0], LanguageModel.read("tests/lm/data/tiny.probing.binary")):
        begin = model.state()
        first, after_a = begin.advance("a")
        assert [first, after_a.advance("zz")[0]] == model.full_scores("a zz")[:2]
        assert begin.advance("a")[0] == first


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("<unk>", "<UNK>"),
        lambda text: text.replace("-99\t<s>", "-inf\t<s>"),
        lambda text: text.replace("-2\t<unk>\t0\n", "").replace("1=4", "1=3"),
        lambda text: text.replace("-99\t<s>\t0", "-99\t<s>\t0.4"),
        lambda text: text.replace("ngram 2=1", "ngram 2=1\nngram 3=0").replace("\\end", "\\3-grams:\n\n\\end"),
        lambda text: text.replace("\n-1\ta", "\n\n-1\ta"),
        lambda text: "# made by hand\n" + text,
    ],
)
def test_habits_of_other_tools_are_read_as_kenlm_does(tmp_path, change):
    model, reference = both(tmp_path, change(END_BACKOFF))
    for sentence in ("", "a", "a a", "zz", "a zz a"):
        assert model.score(sentence) == pytest.approx(LOG_10 * reference.score(sentence), rel=1e-6), sentence


def test_minus_infinity_is_the_pseudo_zero_of_other_tools():
    for number in ("-inf", "-Inf", "-INF"):
        model = LanguageModel.from_bytes(END_BACKOFF.replace("-0.5\t<s>", f"{number}\t<s>").encode())
        assert model.score("a") == pytest.approx(-100 * LOG_10)


def test_capital_sentence_marks_are_named():
    text = END_BACKOFF.replace("s>", "S>")
    with pytest.raises(FormatError, match=r"the model has no <s> \(rename <S> in the file"):
        LanguageModel.from_bytes(text.encode())
