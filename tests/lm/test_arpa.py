"""ARPA files: valid ones are read, and broken ones raise a `FormatError` that names the place."""

from __future__ import annotations

import itertools
import re
import warnings

import numpy as np
import pytest
from helpers import PlainModel, random_arpa

from lattice_simp.errors import FormatError, InputWarning
from lattice_simp.lm import LanguageModel
from lattice_simp.lm.arpa import parse_arpa

TEXT = """\\data\\
ngram 1=4
ngram 2=3

\\1-grams:
-9\t<unk>
-99\t<s>\t-0.5
-1.25\ta\t0.25
-2\t</s>

\\2-grams:
-0.5\t<s> a
-0.75\ta a
-1\ta </s>

\\end\\
"""


def line_of(text, part):
    return text[: text.index(part)].count("\n") + 1


def grams(data):
    """Returns {n-gram: (probability, backoff)} of a parsed file."""
    words, sections = parse_arpa(data)
    return {
        tuple(words[number] for number in row): (prob, backoff)
        for section in sections
        for row, prob, backoff in zip(
            section.words.tolist(), section.probs.tolist(), section.backoffs.tolist(), strict=True
        )
    }


def test_every_ngram_is_read():
    for seed in range(10):
        rng = np.random.default_rng(seed)
        text = random_arpa(rng, ("a", "b\\", "été", "1.5", "-2"), 1 + seed % 5, pruned=0.5)
        assert grams(text.encode()) == PlainModel(text).grams, seed


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("\t", " "),
        lambda text: text.replace("\t", "  \t "),
        lambda text: text.replace("a </s>", "a\t</s>"),
        lambda text: text.replace("\n-", "\n  -"),
        lambda text: text.replace("\n-", "\n\n-"),
        lambda text: text.replace("\n\n", "\n"),
        lambda text: text.replace("a a\n", "a a \t \n"),
        lambda text: "A comment before the header.\n\n" + text,
        lambda text: text.replace("ngram 1=4", " ngram  1 = 4 "),
        lambda text: text + "\ntext after the end\n",
        lambda text: text.rstrip("\n"),
        lambda text: text.replace("\t<unk>", "\t<unk>\t0"),
        lambda text: text.replace("\t<unk>", "\t<unk>\t-0.0"),
    ],
)
def test_spacing_does_not_matter(change):
    assert grams(change(TEXT).encode()) == grams(TEXT.encode())


@pytest.mark.parametrize("number", ["-1.25", "-125e-2", "-0.125E+1", "-.0125e2", "-1.25e0", "-0001.2500"])
def test_numbers_may_have_exponents(number):
    assert grams(TEXT.replace("-1.25\t", f"{number}\t").encode())[("a",)] == (pytest.approx(-1.25, rel=1e-15), 0.25)


@pytest.mark.parametrize("number", [0.1, 1e-7, 12.3456789012, 98.999999, 3e-12, 1.17549e-38])
def test_numbers_are_read_to_the_last_digits(number):
    assert grams(TEXT.replace("-1.25\t", f"-{number!r}\t").encode())[("a",)][0] == pytest.approx(-number, rel=1e-14)


def test_the_header_may_be_explained_before_it():
    """CMU's toolkit writes explanations into every file."""
    explained = (
        b"Beginning of data mark: \\data\\\nngram 1=nr   # number of 1-grams\n\n\\1-grams:\np_1 wd_1 bo_wt_1\n"
        b"\\2-grams:\np_2 wd_1 wd_2\n\nend of data mark: \\end\\\n\n"
    )
    body = (
        b"\\data\\\nngram 1=3\nngram 2=1\n\n\\1-grams:\n-1 <s> -0.5\n-1 </s>\n-0.5 a -0.2\n\n\\2-grams:\n-0.1 <s> a\n"
    )
    body += b"\n\\end\\\n"
    assert LanguageModel.from_bytes(explained + body).score("a") == LanguageModel.from_bytes(body).score("a")


def test_a_missing_backoff_is_zero_and_a_positive_one_stays():
    read = grams(TEXT.encode())
    assert read[("</s>",)][1] == 0.0
    assert read[("a",)][1] == 0.25


@pytest.mark.parametrize("old", ["-1.25\ta", "-2\t</s>", "-0.75\ta a", "-1\ta </s>"])
def test_probabilities_above_0_are_warned_of_with_their_line(old):
    for blanks in ("", "\n\n"):
        text = TEXT.replace(old, blanks + old.replace("-", "", 1)).replace("-1\ta </s>", "1\ta </s>")
        where = line_of(text, old.replace("-", "", 1))
        with pytest.warns(InputWarning, match=rf"x:{where}: the log probability .* is above 0") as caught:
            parse_arpa(text.encode(), "x")
        assert len(caught) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parse_arpa(TEXT.replace("-1.25", "0").replace("-2", "0.0000001").encode())


def test_the_content_may_be_a_bytearray():
    assert LanguageModel.from_bytes(bytearray(TEXT.encode())).score("a") == LanguageModel.from_bytes(
        TEXT.encode()
    ).score("a")


def test_a_section_may_be_empty():
    text = TEXT[: TEXT.index("-0.5\t<s> a")].replace("2=3", "2=0") + "\\end\\\n"
    assert set(grams(text.encode())) == {("<unk>",), ("<s>",), ("a",), ("</s>",)}
    assert LanguageModel.from_bytes(text.encode()).order == 2


@pytest.mark.parametrize(
    ("old", "new", "place", "message"),
    [
        ("-1.25\ta", "x\ta", "x\ta", "finite number"),
        ("-1.25\ta", "nan\ta", "nan", "finite number"),
        ("-1.25\ta", "inf\ta", "inf", "finite number"),
        ("0.25", "-inf", "-inf", "finite number"),
        ("-1.25\ta", "-1.2.5\ta", "-1.2.5", "finite number"),
        ("-1.25\ta", "-1e\ta", "-1e", "finite number"),
        ("-1.25\ta", "-1e39\ta", "-1e39", "finite number"),
        ("0.25", "-1e39", "-1e39", "finite number"),
        ("-1.25\ta", "-1e999\ta", "-1e999", "finite number"),
        ("-1.25\ta", "-\ta", "-\ta", "finite number"),
        ("0.25", "0,25", "0,25", "finite number"),
        ("-0.75\ta a", "-0.75\ta", "-0.75\ta\n", "too few words"),
        ("-0.75\ta a", "-0.75\ta b", "-0.75\ta b", "not among the unigrams"),
        ("-0.75\ta a", "-0.75\ta a 0 0", "-0.75\ta a 0 0", "unexpected text"),
        ("-0.75\ta a", "-0.75\ta a a", "-0.75\ta a a", "finite number"),
        ("-2\t</s>", "-2\ta", "-2\ta", "occurs twice"),
        ("ngram 2=3", "ngram 2=x", "ngram 2=x", "not an n-gram count"),
        ("ngram 2=3", "ngram 2=-3", "ngram 2=-3", "not an n-gram count"),
        ("ngram 2=3", "ngram 3=3", "ngram 3=3", "not an n-gram count"),
        ("ngram 2=3", "2=3", "2=3", "not an n-gram count"),
        ("ngram 2=3", "ngram 2", "ngram 2", "not an n-gram count"),
    ],
)
def test_a_broken_line_is_named(old, new, place, message):
    text = TEXT.replace(old, new, 1)
    with pytest.raises(FormatError, match=message) as caught:
        parse_arpa(text.encode(), "model.arpa")
    assert caught.value.path == "model.arpa"
    assert caught.value.line == line_of(text, place)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("1=4", "1=5", "4 1-grams, but 5 announced"),
        ("1=4", "1=3", "1-grams, but 3 announced"),
        ("2=3", "2=2", "2-grams, but 2 announced"),
        ("2=3", "2=4", "3 2-grams, but 4 announced"),
        ("1=4", "1=0", "do not fit"),
        ("2=3", "2=99999999999999", "do not fit"),
        ("2=3", "2=" + "9" * 5000, "not an n-gram count"),
        ("\\data\\", "data", "header"),
        ("\\1-grams:", "1-grams:", "header"),
        ("\\2-grams:", "\\3-grams:", "no section"),
        ("ngram 1=4\nngram 2=3\n", "", "do not fit"),
        ("ngram 2=3\n", "", "no .*end"),
        ("-0.75\ta a", "-0.75\t<s> a", "occurs twice"),
    ],
)
def test_counts_and_sections_must_fit(old, new, message):
    with pytest.raises(FormatError, match=message) as caught:
        LanguageModel.from_bytes(TEXT.replace(old, new, 1).encode(), "model.arpa")
    assert caught.value.path == "model.arpa"


def without(text, gone):
    """Returns an ARPA file without these n-grams."""
    lines = [line for line in text.split("\n") if line.split("\t")[1:2] == [] or line.split("\t")[1] not in gone]
    for order in range(1, 5):
        count = sum(len(line.split("\t")[1].split()) == order for line in lines if "\t" in line)
        lines = [re.sub(rf"^ngram {order}=\d+", f"ngram {order}={count}", line) for line in lines]
    return "\n".join(lines)


def test_missing_contexts_cost_what_backing_off_costs():
    """SRILM may prune n-grams that are the context of longer ones."""
    num_missing = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        text = random_arpa(rng, ("a", "b", "c"), 4, density=0.8, pruned=0.3 * (seed % 2))
        longer = [line.split("\t")[1] for line in text.split("\n") if "\t" in line]
        gone = {gram for gram in longer if len(gram.split()) in (2, 3) and rng.random() < 0.3}
        num_missing += len(gone)
        pruned = without(text, gone)
        model, plain = LanguageModel.from_bytes(pruned.encode()), PlainModel(pruned)
        for words in itertools.product("abcx", repeat=4):
            expected = -plain.cost(words)
            assert model.score(" ".join(words)) == pytest.approx(expected, rel=1e-5), (seed, words)
    assert num_missing > 100


def test_words_must_be_utf8():
    with pytest.raises(FormatError, match="UTF-8") as caught:
        parse_arpa(TEXT.encode().replace(b"<unk>", b"\xff\xfe"), "model.arpa")
    assert caught.value.line == line_of(TEXT, "<unk>")


@pytest.mark.parametrize(
    "data", [b"", b"\n", b"\0" * 1000, bytes(range(256)) * 40, b"\\data\\", b"\\data\\\n\\1-grams:"]
)
def test_junk_is_no_model(data):
    with pytest.raises(FormatError, match=r"model\.arpa"):
        LanguageModel.from_bytes(data, "model.arpa")


def test_a_file_cut_anywhere_before_its_end_is_refused():
    data = TEXT.rstrip("\n").encode()
    for length in range(len(data)):
        with pytest.raises(FormatError, match=r"model\.arpa"):
            LanguageModel.from_bytes(data[:length], "model.arpa")


def test_mutated_files_are_read_or_refused():
    for seed in range(40):
        rng = np.random.default_rng(seed)
        paths = set()
        data = bytearray(random_arpa(rng, ("a", "b", "c"), 1 + seed % 4, density=0.4).encode())
        for _ in range(50):
            mutated = bytearray(data)
            for _ in range(rng.integers(1, 5)):
                begin = int(rng.integers(0, len(mutated)))
                end = begin + int(rng.integers(0, 4))
                mutated[begin:end] = rng.choice(
                    [
                        b"",
                        b"\n",
                        b"\0",
                        b"\\",
                        b"9",
                        b"-",
                        b" ",
                        b"\t",
                        b"e",
                        b"\xff",
                        b"=",
                        bytes(mutated[begin:end]) * 2,
                    ]
                )
            try:
                model = LanguageModel.from_bytes(bytes(mutated), "model.arpa")
            except FormatError as error:
                paths.add(error.path)
            else:
                assert np.isfinite(model.score(["a", "b", "zz", "c", "a"])), seed
        assert paths <= {"model.arpa"}, seed
