"""Language models estimated with lmplz: against KenLM, sums of probabilities, faults of text, program and builder."""

from __future__ import annotations

import gzip
import random
import stat
from itertools import product
from pathlib import Path

import kenlm
import pytest

from lattice_simp import LanguageModel
from lattice_simp.errors import FormatError, LatticeSimpError, MissingExtraError
from lattice_simp.lm.arpa import parse_arpa
from lattice_simp.train.ngrams.estimate import (
    VARIABLE,
    estimate,
    explain,
    find_lmplz,
    memory_mebibytes,
    program_folder,
)

WORDS = ["the", "a", "cat", "dog", "sees", "likes", "big", "small", "here", "now", "<b>", "s\u00a0s", "ü", "x\u2028y"]
LOG_10 = 2.302585092994046


@pytest.fixture
def text(tmp_path: Path) -> Path:
    return write_text(tmp_path / "text", random_sentences(400))


def random_sentences(count: int, seed: int = 1) -> list[list[str]]:
    """Sentences whose words follow Zipf's law roughly, so that discounts can be estimated."""
    chance = random.Random(seed)
    rare = [f"w{number}" for number in range(200)]
    weights = [1 / (rank + 1) for rank in range(len(WORDS) + len(rare))]
    return [chance.choices(WORDS + rare, weights, k=chance.randint(1, 9)) for _ in range(count)]


def write_text(path: Path, sentences: list[list[str]]) -> Path:
    path.write_text("".join(" ".join(sentence) + "\n" for sentence in sentences), encoding="utf-8")
    return path


def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str) -> Path:
    """Makes LMPLZ a shell script."""
    script = tmp_path / "fake_lmplz"
    script.write_text(f"#!/bin/sh\n{body}\n")
    script.chmod(0o755)
    monkeypatch.setenv(VARIABLE, str(script))
    return script


@pytest.mark.usefixtures("lmplz")
@pytest.mark.parametrize(("order", "prune"), [(2, ()), (4, ()), (4, (0, 0, 1))])
def test_scores_are_those_of_kenlm(tmp_path: Path, text: Path, order: int, prune: tuple[int, ...]) -> None:
    arpa = tmp_path / "model.arpa"
    estimate(text, arpa, order=order, prune=prune, memory=100, discount_fallback=True)
    ours, theirs = LanguageModel.read(arpa), kenlm.Model(str(arpa))
    assert ours.order == theirs.order == order
    # KenLM's Python package splits sentences at all of Unicode's blanks, which words may hold.
    unseen = [sentence for sentence in random_sentences(60, seed=2) if not {"s\u00a0s", "x\u2028y"} & set(sentence)]
    for sentence in [*unseen[:40], ["never", "seen"], []]:
        assert ours.score(sentence) == pytest.approx(theirs.score(" ".join(sentence)) * LOG_10, abs=1e-4)


@pytest.mark.usefixtures("lmplz")
@pytest.mark.parametrize("prune", [(), (0, 0, 1)])
def test_probabilities_of_continuations_sum_to_one(tmp_path: Path, text: Path, prune: tuple[int, ...]) -> None:
    arpa = tmp_path / "model.arpa"
    estimate(text, arpa, order=3, prune=prune, memory=100, discount_fallback=True)
    words, _ = parse_arpa(arpa.read_bytes(), str(arpa))
    model = kenlm.Model(str(arpa))
    for context in [(), ("the",), ("the", "cat"), ("w199",), ("unseen", "a"), ("dog", "dog")]:
        state = kenlm.State()
        model.BeginSentenceWrite(state)
        for word in context:
            after = kenlm.State()
            model.BaseScore(state, word, after)
            state = after
        total = sum(10 ** model.BaseScore(state, word, kenlm.State()) for word in words if word != "<s>")
        assert total == pytest.approx(1.0, abs=1e-4)


@pytest.mark.usefixtures("lmplz")
def test_every_word_of_the_text_is_in_the_model(tmp_path: Path) -> None:
    """Even words with Unicode's blanks and control characters, which are not separators."""
    odd = [
        "\u00a0",
        "a\u2028b",
        "a\u0085b",
        "a\x0bb",
        "a\x0cb",
        "a\x1cb",
        "\ufeff",
        "\\end\\",
        "ngram",
        "<s",
        "</s>x",
        "#",
    ]
    path = write_text(tmp_path / "text", [odd, ["BZhang"]])
    estimate(path, tmp_path / "model.arpa", memory=100, discount_fallback=True)
    words, _ = parse_arpa((tmp_path / "model.arpa").read_bytes(), "model")
    assert sorted(words) == sorted([*odd, "BZhang", "<s>", "</s>", "<unk>"])


@pytest.mark.usefixtures("lmplz")
def test_packing_memory_and_blank_lines_do_not_change_the_model(tmp_path: Path, text: Path) -> None:
    estimate(text, tmp_path / "plain.arpa", memory=100, discount_fallback=True)
    packed = tmp_path / "text.gz"
    packed.write_bytes(gzip.compress(b"\n" + text.read_bytes().replace(b"\n", b"\r\n\t \n")))
    estimate(packed, tmp_path / "packed.arpa.gz", memory="1%", discount_fallback=True, temporary=tmp_path)
    plain = (tmp_path / "plain.arpa").read_bytes()
    assert gzip.decompress((tmp_path / "packed.arpa.gz").read_bytes()) == plain
    assert sorted(path.name for path in tmp_path.iterdir()) == ["packed.arpa.gz", "plain.arpa", "text", "text.gz"]


@pytest.mark.usefixtures("lmplz")
def test_a_text_whose_first_letters_are_those_of_bzip2(tmp_path: Path) -> None:
    path = write_text(tmp_path / "text", [["BZhang", "9"], ["a"]])
    estimate(path, tmp_path / "model.arpa", order=2, memory=100, discount_fallback=True)
    assert "BZhang" in LanguageModel.read(tmp_path / "model.arpa", cache=False)


@pytest.mark.usefixtures("lmplz")
def test_too_little_text_says_what_to_do(tmp_path: Path) -> None:
    path = write_text(tmp_path / "text", [["a", "b"]])
    with pytest.raises(LatticeSimpError, match=r"too small or too repetitive.*1-grams.*discount_fallback"):
        estimate(path, tmp_path / "model.arpa", memory=100)
    assert not (tmp_path / "model.arpa").exists()


@pytest.mark.usefixtures("lmplz")
def test_a_model_pruned_to_lower_orders_is_still_read(tmp_path: Path) -> None:
    path = write_text(tmp_path / "text", [["a", "b", "c", "d"], ["a", "d"]])
    arpa = tmp_path / "model.arpa"
    estimate(path, arpa, order=3, prune=(0, 1, 9), memory=100, discount_fallback=True)
    assert LanguageModel.read(arpa).score(["a", "b"]) == pytest.approx(
        kenlm.Model(str(arpa)).score("a b") * LOG_10, abs=1e-4
    )


@pytest.mark.usefixtures("lmplz")
@pytest.mark.parametrize(("word", "blank"), list(product(["<s>", "</s>", "<unk>", "<UNK>"], " \t\0")))
def test_reserved_words_are_refused_with_their_line(tmp_path: Path, word: str, blank: str) -> None:
    path = tmp_path / "text"
    path.write_text(f"a b\nx{word} {word}y\na{blank}{word}{blank}b\n")
    with pytest.raises(FormatError, match=f"text:3: the word {word} ") as caught:
        estimate(path, tmp_path / "model.arpa", memory=100, discount_fallback=True)
    assert caught.value.line == 3
    assert not (tmp_path / "model.arpa").exists()


@pytest.mark.usefixtures("lmplz")
@pytest.mark.parametrize("content", ["", "\n\n", " \t \r\n"])
def test_a_text_without_words_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "text").write_text(content)
    with pytest.raises(FormatError, match="no words"):
        estimate(tmp_path / "text", tmp_path / "model.arpa", memory=100, discount_fallback=True)


@pytest.mark.usefixtures("lmplz")
def test_bytes_that_are_not_utf8_are_refused(tmp_path: Path) -> None:
    (tmp_path / "text").write_bytes(b"a b\n\xff\n")
    with pytest.raises(FormatError, match="text:2: bytes that are not UTF-8"):
        estimate(tmp_path / "text", tmp_path / "model.arpa", memory=100)


@pytest.mark.usefixtures("lmplz")
def test_a_missing_temporary_folder_and_a_target_that_cannot_be_written(tmp_path: Path, text: Path) -> None:
    with pytest.raises(LatticeSimpError, match=r"nowhere.*temporary folder"):
        estimate(text, tmp_path / "model.arpa", memory=100, temporary=tmp_path / "nowhere")
    with pytest.raises(LatticeSimpError, match="cannot be written"):
        estimate(text, tmp_path / "nowhere" / "model.arpa", memory=100, discount_fallback=True)


@pytest.mark.usefixtures("lmplz")
def test_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: Path) -> None:
    real = find_lmplz()
    fake(tmp_path, monkeypatch, f'exec "{real}" "$@" >/dev/full')
    with pytest.raises(LatticeSimpError, match="the disk is full"):
        estimate(text, tmp_path / "model.arpa", memory=100, discount_fallback=True)
    fake(tmp_path, monkeypatch, f'ulimit -f 1; exec "{real}" "$@"')
    with pytest.raises(LatticeSimpError, match="the disk is full"):
        estimate(text, tmp_path / "model.arpa", memory=100, discount_fallback=True)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("exit 3", "lmplz failed: status 3"),
        ("cat >/dev/null; echo odd >&2; exit 1", "lmplz failed: odd$"),
        ("kill -9 $$", "killed, most likely for lack of memory .*100 MiB"),
        ("echo std::bad_alloc >&2; exit 1", "got no memory"),
        ("yes garbage | head -c 300000; cat >/dev/null", "no complete ARPA file"),
        ("cat >/dev/null; printf '\\\\data\\\\\\nngram 1=3\\n'", "no complete ARPA file"),
        ("cat >/dev/null", "no complete ARPA file"),
        ("yes noise | head -c 300000 >&2; exit 1", "lmplz failed: noise$"),
    ],
)
def test_a_program_that_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: Path, body: str, message: str
) -> None:
    fake(tmp_path, monkeypatch, body)
    (tmp_path / "model.arpa").write_text("old")
    with pytest.raises(LatticeSimpError, match=message) as caught:
        estimate(text, tmp_path / "model.arpa", memory=100, temporary=tmp_path)
    assert "\n" not in str(caught.value)
    assert (tmp_path / "model.arpa").read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["fake_lmplz", "model.arpa", "text"]


def test_a_program_that_cannot_be_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: Path) -> None:
    fake(tmp_path, monkeypatch, "").write_bytes(b"\x7fELF of another machine")
    with pytest.raises(LatticeSimpError, match="cannot be run"):
        estimate(text, tmp_path / "model.arpa", memory=100)


def test_a_refused_text_stops_the_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It must not continue with half a text, and the caller must not wait for it."""
    fake(tmp_path, monkeypatch, f"cat >/dev/null; touch {tmp_path}/done; sleep 60")
    (tmp_path / "text").write_text("a\n<s>\n")
    with pytest.raises(FormatError, match="text:2"):
        estimate(tmp_path / "text", tmp_path / "model.arpa", memory=100)
    assert not (tmp_path / "done").exists()


@pytest.mark.parametrize(
    "settings",
    [
        {"order": 1},
        {"order": 7},
        {"prune": (1, 0)},
        {"prune": (-1,)},
        {"prune": (0, 0, 0, 0, 1)},
        {"memory": 31},
        {"memory": "0%"},
        {"memory": "101%"},
        {"memory": "much"},
    ],
)
def test_settings_that_make_no_sense(tmp_path: Path, settings: dict) -> None:
    with pytest.raises(LatticeSimpError, match=next(iter(settings))):
        estimate(tmp_path / "text", tmp_path / "model.arpa", **settings)


def test_memory_shares() -> None:
    assert memory_mebibytes("1%") >= 32
    assert memory_mebibytes("80%") > memory_mebibytes("40%") > 32


def test_a_need_for_more_memory_is_distinguished_from_a_need_for_less() -> None:
    more = explain(
        -6, "x.cc:1 in f threw util::Exception because `a'.\nVocab hash 9 exceeds total memory 8\n", Path("t"), 50
    )
    assert (
        more == "lmplz needs more than 50 MiB of memory here: Vocab hash 9 exceeds total memory 8 (give it more memory)"
    )
    assert "less than 50 MiB" in explain(1, "util/scoped.cc threw MallocException because `!p'.\nCannot", Path("t"), 50)


def test_where_lmplz_is_looked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    monkeypatch.delenv(VARIABLE, raising=False)
    with pytest.raises(MissingExtraError, match=r"make lmplz.*cmake.*Boost") as caught:
        find_lmplz()
    assert "\n" not in str(caught.value)
    places = [program_folder() / "lmplz", tmp_path / "path" / "lmplz", tmp_path / "mine"]
    for place in places:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("#!/bin/sh\n")
        place.chmod(0o755)
        if place.name == "mine":
            monkeypatch.setenv(VARIABLE, str(place))
        assert find_lmplz() == place
    places[-1].chmod(stat.S_IRUSR)
    with pytest.raises(MissingExtraError, match="mine is not an executable program"):
        find_lmplz()


def test_either_status_of_a_kill_is_recognised() -> None:
    """Python gives minus the signal's number, a shell 128 more than it."""
    for code in (-9, 137):
        assert "was killed, most likely for lack of memory" in explain(code, "", Path("t"), 50), code
    assert "was killed" not in explain(119, "", Path("t"), 50)
