"""KenLM binaries against KenLM itself, and against the original ARPA file."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import kenlm
import numpy as np
import pytest
from helpers import (
    LOG_10,
    PlainModel,
    best_by_string,
    feature_sums,
    path_costs,
    paths,
    random_arpa,
    random_lattice,
)

from lattice_simp import LanguageModel, Lattice, apply_lm
from lattice_simp.errors import FormatError
from lattice_simp.lm.binary import is_binary
from lattice_simp.translate.decoder import Decoder
from lattice_simp.translate.model_files import write_weights

DATA = Path(__file__).parent / "data"
ARPA = DATA / "tiny.arpa"
KINDS = ("probing", "trie", "quantised")
EXACT_KINDS = KINDS[:2]
WORDS = ("a", "b", "c", "été", "zz")  # the model does not know zz
TOLERANCE = {"rel": 1e-6, "abs": 1e-4}
SEEDS = range(6)


def binary(kind):
    return DATA / f"tiny.{kind}.binary"


def arpa_model():
    return LanguageModel.read(ARPA, cache=False)


def random_sentences(seed, count=80):
    rng = np.random.default_rng(seed)
    return [rng.choice([*WORDS, "yy"], rng.integers(0, 8)).tolist() for _ in range(count)]


def make_lattice(seed):
    rng = np.random.default_rng(seed)
    while True:
        lattice = random_lattice(
            rng,
            8,
            WORDS,
            epsilon=seed % 2 == 0,
            arcs_per_state=2.5,
            columns=("x",),
            numbered=True,
            shuffled=seed % 3 == 0,
        )
        if next(paths(lattice), None):
            return lattice


# ---------------------------------------------------------------- reading


@pytest.mark.parametrize("kind", KINDS)
def test_a_binary_is_detected_by_its_first_bytes(kind, tmp_path):
    assert is_binary(binary(kind))
    assert not is_binary(ARPA)
    assert not is_binary(tmp_path / "nothing")
    model = LanguageModel.read(binary(kind))
    assert model.order == 4
    assert model.needs_successors
    assert not arpa_model().needs_successors
    assert "binary" in repr(model)


@pytest.mark.parametrize("kind", KINDS)
def test_a_binary_gets_no_cache_beside_it(kind, tmp_path):
    copy = tmp_path / "model.arpa"  # the name does not matter
    copy.write_bytes(binary(kind).read_bytes())
    assert LanguageModel.read(copy).order == 4
    assert [path.name for path in tmp_path.iterdir()] == ["model.arpa"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_binary_knows_its_words(kind):
    model = LanguageModel.read(binary(kind))
    assert all(word in model for word in WORDS[:4])
    assert "zz" not in model
    assert "</s>" in model


# ---------------------------------------------------------------- scores


@pytest.mark.parametrize("kind", KINDS)
def test_score_equals_kenlm(kind):
    model, reference = LanguageModel.read(binary(kind)), kenlm.Model(str(binary(kind)))
    for sentence in random_sentences(1):
        assert model.score(sentence) == pytest.approx(LOG_10 * reference.score(" ".join(sentence)), **TOLERANCE)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("bos", "eos"), [(True, True), (True, False), (False, True)])
def test_scores_of_many_sentences_are_those_of_each(kind, bos, eos):
    model, sentences = LanguageModel.read(binary(kind)), random_sentences(3)
    scores = [model.score(sentence, bos, eos) for sentence in sentences]
    assert model.scores(sentences, bos, eos) == pytest.approx(scores, **TOLERANCE)


@pytest.mark.parametrize("kind", EXACT_KINDS)
def test_score_equals_the_arpas(kind):
    model, arpa, plain = LanguageModel.read(binary(kind)), arpa_model(), PlainModel(ARPA.read_text(encoding="utf-8"))
    for sentence in random_sentences(2):
        assert model.score(sentence) == pytest.approx(arpa.score(sentence), **TOLERANCE)
        assert model.score(sentence) == pytest.approx(-plain.cost(sentence), **TOLERANCE)


@pytest.mark.parametrize("kind", KINDS)
def test_every_path_gets_kenlms_cost(kind):
    reference = kenlm.Model(str(binary(kind)))
    for seed in SEEDS:
        lattice = make_lattice(seed)
        expected = {
            labels: cost - 0.7 * LOG_10 * reference.score(" ".join(words)) for words, labels, cost in paths(lattice)
        }
        scored = apply_lm(lattice, {"LM": (LanguageModel.read(binary(kind)), 0.7)})
        assert path_costs(scored) == pytest.approx(expected, **TOLERANCE)


@pytest.mark.parametrize("beam", [None, 0.0, 3.0])
@pytest.mark.parametrize("kind", EXACT_KINDS)
def test_a_lattice_gets_the_same_paths_and_costs_as_from_the_arpa(kind, beam):
    for seed in SEEDS:
        lattice = make_lattice(seed)
        models = LanguageModel.read(binary(kind)), arpa_model()
        actual, expected = (apply_lm(lattice, {"LM": (model, 0.8)}, beam=beam, word_penalty=0.1) for model in models)
        actual.validate()
        assert actual.is_topsorted, seed
        assert path_costs(actual) == pytest.approx(path_costs(expected), **TOLERANCE), seed
        for name in ("LM", "x"):
            assert feature_sums(actual, name) == pytest.approx(feature_sums(expected, name), **TOLERANCE), seed


@pytest.mark.parametrize("beam", [None, 0.0, 3.0])
@pytest.mark.parametrize("invisible", [("b",), ("zz", "a"), ("nowhere",), WORDS])
@pytest.mark.parametrize("kind", EXACT_KINDS)
def test_invisible_words_are_skipped_as_with_the_arpa(kind, invisible, beam):
    for seed in SEEDS:
        lattice = make_lattice(seed)
        actual, expected = (
            apply_lm(lattice, {"LM": (model, 1.0)}, beam=beam, word_penalty=0.3, ignore=invisible)
            for model in (LanguageModel.read(binary(kind)), arpa_model())
        )
        assert path_costs(actual) == pytest.approx(path_costs(expected), **TOLERANCE)


@pytest.mark.parametrize("invisible", [("b",), ("zz", "a")])
@pytest.mark.parametrize("kind", KINDS)
def test_invisible_words_are_not_in_the_string_that_kenlm_scores(kind, invisible):
    reference = kenlm.Model(str(binary(kind)))
    for seed in SEEDS:
        lattice = make_lattice(seed)
        expected = {}
        for words, labels, cost in paths(lattice):
            seen = [word for word in words if word not in invisible]
            expected[labels] = cost - LOG_10 * reference.score(" ".join(seen)) + 0.3 * len(seen)
        scored = apply_lm(lattice, {"LM": (LanguageModel.read(binary(kind)), 1.0)}, word_penalty=0.3, ignore=invisible)
        assert path_costs(scored) == pytest.approx(expected, **TOLERANCE)


@pytest.mark.parametrize("kind", KINDS)
def test_the_empty_string_is_scored(kind):
    model = LanguageModel.read(binary(kind))
    lattice = Lattice.from_strings([("", 1.5)])
    assert best_by_string(apply_lm(lattice, {"LM": (model, 1.0)})) == {(): pytest.approx(1.5 - model.score([]))}


@pytest.mark.parametrize("beam", [None, 1.0])
def test_a_binary_and_an_arpa_add_up(beam):
    rng = np.random.default_rng(5)
    other = LanguageModel.from_bytes(random_arpa(rng, WORDS[:3], 3).encode())
    lattice = make_lattice(4)
    actual, expected = (
        apply_lm(lattice, {"one": (first, 0.5), "two": (other, 1.0)}, beam=beam)
        for first in (LanguageModel.read(binary("trie")), arpa_model())
    )
    assert path_costs(actual) == pytest.approx(path_costs(expected), **TOLERANCE)


@pytest.mark.parametrize("kind", EXACT_KINDS)
def test_a_decoder_gives_the_same_with_a_binary(kind, tmp_path):
    results = []
    for number, (name, data) in enumerate([("lm.arpa", ARPA.read_bytes()), ("lm.binary", binary(kind).read_bytes())]):
        folder = tmp_path / str(number)
        folder.mkdir()
        rules = [f"[X] ||| {source} ||| {target}" for source, target in ("xa", "xb", "yc", "yé", "za")]
        rules += ["[X] ||| x [V,1] ||| [V,1] a", "[V] ||| y ||| b", "[X] ||| z ||| été"]
        (folder / "rules").write_text("\n".join(rules) + "\n", encoding="utf-8")
        (folder / name).write_bytes(data)
        write_weights(folder / "weights.tsv", {"LM": 1.0, "OOV": 1.0})
        decoder = Decoder.load(folder)
        results.append(best_by_string(decoder.translate("x y z q", "1011").lattice))
    assert results[1] == pytest.approx(results[0], **TOLERANCE)


# ---------------------------------------------------------------- broken files


READ_ALL = """
import sys
from lattice_simp import LanguageModel, Lattice, apply_lm
from lattice_simp.errors import FormatError
lattice = Lattice.from_strings([("a b c a", 0.0), ("b b", 1.0)])
for path in sys.argv[1:]:
    try:
        model = LanguageModel.read(path, cache=False)
    except FormatError as error:
        assert path in str(error), error
        print("refused", flush=True)
    else:
        arcs = apply_lm(lattice, {"LM": (model, 1.0)}).num_arcs
        print(f"{model.score('a b c zz'.split()):.4f} {arcs}", flush=True)
"""


def read_apart(files):
    """Reads files in another process, since KenLM may abort; returns a line for each."""
    done = subprocess.run(
        [sys.executable, "-c", READ_ALL, *map(str, files)], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, f"{done.returncode}: {done.stdout} {done.stderr[-2000:]}"
    return done.stdout.splitlines()


def written(folder, contents):
    files = []
    for number, data in enumerate(contents):
        files.append(folder / f"{number}.binary")
        files[-1].write_bytes(data)
    return files


@pytest.mark.slow
def test_truncated_binaries_are_refused(tmp_path):
    contents = []
    for kind in KINDS:
        data = binary(kind).read_bytes()
        vocabulary = data.index(b"<unk>\0")  # the words are last; no answer depends on them
        cuts = {*range(0, vocabulary, vocabulary // 40), vocabulary - 1}
        contents += [data[:length] for length in sorted(cuts)]
    assert set(read_apart(written(tmp_path, contents))) == {"refused"}


@pytest.mark.slow
def test_a_broken_header_is_refused_or_makes_no_difference(tmp_path):
    contents, whole = [], []
    for kind in KINDS:
        data = binary(kind).read_bytes()
        for index in range(0, 140, 3):  # magic bytes, test values, parameters, counts
            contents.append(data[:index] + bytes([data[index] ^ 0xFF]) + data[index + 1 :])
            whole.append(binary(kind))
    lines = read_apart(written(tmp_path, contents))
    expected = dict(zip(KINDS, read_apart([binary(kind) for kind in KINDS]), strict=True))
    same = {line for line in lines if line != "refused"}
    assert same <= set(expected.values())
    assert lines.count("refused") > len(lines) / 2


ONLY_THE_BEGINNING = (
    b"mmap lm http://kheafield.com/code format version",
    b"mmap lm http://kheafield.com/code format version 4\n\0" + bytes(200),  # an older one
    b"mmap lm http://kheafield.com/code format version 5\n\0" + bytes(2000),
    b"mmap lm http://kheafield.com/code incomplete\n" + bytes(200),
)


def test_files_that_only_begin_like_a_binary_are_refused(tmp_path):
    assert read_apart(written(tmp_path, ONLY_THE_BEGINNING)) == ["refused"] * len(ONLY_THE_BEGINNING)


def test_the_error_says_what_kenlm_says(tmp_path):
    path = tmp_path / "cut.binary"
    path.write_bytes(binary("trie").read_bytes()[:600])
    with pytest.raises(FormatError, match=r"KenLM cannot load it: .*make the binary again") as caught:
        LanguageModel.read(path)
    assert str(path) in str(caught.value)
    assert caught.value.path == path
