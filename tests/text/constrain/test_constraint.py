"""Masks over vocabularies, against brute force over texts; the logits processor, with a stand-in and with torch."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest

import lattice_simp as ls
from lattice_simp.errors import LatticeSimpError

CHARACTERS = "ab, é"
TEXTS = ["".join(text) for length in range(7) for text in itertools.product(CHARACTERS, repeat=length)]
TOKENS = [None, b"a", b"b", b",", b" ", b" a", b"ab", b"b ", b"\xc3", b"\xa9", b"\xc3\xa9", b"", b" a, b", b"\xa9 b"]
END = 0
PREFIXES = [prefix for length in range(3) for prefix in itertools.product(range(1, len(TOKENS)), repeat=length)]


def texts_of(strings):
    """Returns the texts, with and without a leading blank, that hold one of the strings of words in order."""

    def pattern(words):
        parts = [f"(?<![abé]){re.escape(word)}(?![abé])" if word != "," else "," for word in words]
        return re.compile(".*".join(["", *parts, ""]))

    patterns = [pattern(string) for string in strings]
    return [text.encode() for text in TEXTS if any(compiled.fullmatch(text) for compiled in patterns)]


def test_masks_are_those_of_brute_force():
    for seed in range(12):
        rng = np.random.default_rng(seed)
        strings = [tuple(rng.choice(["a", "b", ",", "é"], size=1 + seed % 2).tolist()) for _ in range(2)]
        longest = 2 if seed % 2 else 4  # bytes: longer ones may need texts beyond these
        acceptor = ls.gappy_acceptor([(string, 0.0) for string in strings])
        constraint = ls.TokenConstraint.of(acceptor, TOKENS, END, leading_blank=False)
        texts = texts_of(strings)
        prefixes = {text[:length] for text in texts for length in range(len(text) + 1)}
        for prefix in PREFIXES:
            data = b"".join(TOKENS[token] for token in prefix)
            if b"" in (TOKENS[token] for token in prefix) or len(data) > longest:
                continue
            wanted = [data in texts, *(bool(token) and data + token in prefixes for token in TOKENS[1:])]
            allowed = constraint.allowed(prefix)
            known = [len(data) + len(token or b"") <= longest for token in TOKENS]
            assert allowed[known].tolist() == np.array(wanted)[known].tolist(), (seed, strings, prefix)


def generated(constraint, rng, length=12):
    """Returns a text that a generator without a model writes: any allowed token, the end as soon as it may."""
    prefix = []
    while len(prefix) < length:
        allowed = np.flatnonzero(constraint.allowed(prefix))
        prefix.append(END if END in allowed and rng.random() < 0.5 else int(rng.choice(allowed)))
        if prefix[-1] == END:
            break
    return prefix, b"".join(TOKENS[token] or b"" for token in prefix)


def test_what_ends_is_a_text_of_the_acceptor():
    terms = ls.term_acceptor([["ab", "a"], ["é", "éa b"]])
    constraint = ls.TokenConstraint.of(terms, TOKENS, END)
    pattern = re.compile(r".*(?<![abé])ab?(?![abé]).*(?<![abé])é(a b)?(?![abé]).*")
    ended = 0
    for seed in range(300):
        prefix, data = generated(constraint, np.random.default_rng(seed))
        if prefix[-1] == END:
            assert pattern.fullmatch(data.decode()), (seed, data)
            assert np.flatnonzero(constraint.allowed([*prefix, END])).tolist() == [END]
            ended += 1
    assert ended > 50


def test_what_is_not_allowed_has_no_way_on():
    constraint = ls.TokenConstraint.of(ls.Lattice.from_strings([("ab", 0.0)]), TOKENS, END)
    for prefix in ([END], [2], [1, 1], [11], [99], [1, 2, 1]):
        assert not constraint.allowed(prefix).any(), prefix
    assert np.flatnonzero(constraint.allowed([6])).tolist() == [END]
    with pytest.raises(LatticeSimpError, match="the end 99 is not a token"):
        ls.TokenConstraint.of(ls.Lattice.from_strings([("ab", 0.0)]), TOKENS, 99)


def test_a_term_within_running_text_over_pieces_that_cross_its_edges():
    """The masks are those of brute force over all texts of few characters: pieces hold the term's edges, or bytes."""
    characters, term = "日本語は。", "本語"
    pieces = ["日", "日本", "語は", "は", "本語", "語", "。", "本", "日本語は"]
    tokens = [None, *(piece.encode() for piece in pieces), "本".encode()[:2], "本".encode()[2:], b" "]
    constraint = ls.TokenConstraint.of(ls.term_acceptor([term]), tokens, END)
    texts = ["".join(text) for length in range(6) for text in itertools.product(characters, repeat=length)]
    ending = {text.encode() for text in texts if term in text}
    going = {text[:size] for text in ending for size in range(len(text) + 1)}
    for length in range(4):
        for prefix in itertools.product(range(1, len(tokens) - 1), repeat=length):
            data = b"".join(tokens[token] for token in prefix)
            if len(data) > 9 or data not in going:
                continue
            allowed = constraint.allowed(prefix)
            assert allowed[END] == (data in ending), prefix
            for token, piece in enumerate(tokens[1:-1], 1):
                if len(data + piece) <= 9:
                    assert allowed[token] == (data + piece in going), (prefix, piece)
    assert constraint.allowed([1, 10, 11, 6])[END]  # a term in bytes: 日 + two bytes, the third one, 語


class Tensor(np.ndarray):
    """The methods of a torch tensor that the processor calls."""

    def clone(self):
        return self.copy()


def test_the_processor_masks_each_row_after_its_prompt():
    constraint = ls.TokenConstraint.of(ls.gappy_acceptor([("a", 0.0)]), TOKENS, END)
    processor = ls.ConstraintProcessor(constraint)
    rng = np.random.default_rng(1)
    rows = np.array([[7, 7, 3], [7, 7, 3]])
    for _ in range(5):
        scores = rng.normal(size=(2, len(TOKENS) + 3)).view(Tensor)  # models pad their vocabularies
        masked = processor(rows, scores)
        for row, row_scores, masked_row in zip(rows, scores, masked, strict=True):
            allowed = np.append(constraint.allowed(row[3:]), [False] * 3)
            assert np.array_equal(np.isfinite(masked_row), allowed)
            assert np.array_equal(np.asarray(masked_row)[allowed], np.asarray(row_scores)[allowed])
        rows = np.hstack((rows, [[int(rng.choice(np.flatnonzero(np.isfinite(masked_row))))] for masked_row in masked]))
        rows = rows[rng.permutation(2)]  # beams change places
    with pytest.raises(LatticeSimpError, match="5 scores for a vocabulary of 14 tokens"):
        processor(rows, np.zeros((2, 5)).view(Tensor))


def test_bytes_of_tokens():
    assert ls.token_bytes({"a": 0, "<s>": 2}, "plain", [2]) == [b"a", None, None]
    every = {chr(code): place for place, code in enumerate([*range(33, 127), *range(161, 173), *range(174, 256)])}
    every |= {chr(256 + code): len(every) + code for code in range(68)}
    assert sorted(ls.token_bytes(every, "byte-level")) == [bytes([code]) for code in range(256)]
    with pytest.raises(LatticeSimpError, match="'日' is not byte-level"):
        ls.token_bytes({"日": 0}, "byte-level")
    with pytest.raises(LatticeSimpError, match="unknown spelling"):
        ls.token_bytes({"a": 0}, "x")


def test_term_acceptors_in_compositions():
    lattice = ls.Lattice.from_strings(
        [("the houses of new york", 0.0), ("new york houses", 1.0), ("a house new york", 2.0)]
    )
    acceptor = ls.term_acceptor([["house", "houses"], ["new york", "new york city"]], lattice.symbols)
    assert [entry.text for entry in ls.nbest(ls.compose_gappy(lattice, acceptor), 9)] == [
        "the houses of new york",
        "a house new york",
    ]
    with pytest.raises(LatticeSimpError, match="term 1 has no form"):
        ls.term_acceptor(["a", []])


@pytest.mark.slow
def test_generate_of_transformers():
    """A model with random weights writes texts that hold the terms, under beam search and sampling."""
    torch = pytest.importorskip("torch", reason="torch is not installed")
    transformers = pytest.importorskip("transformers", reason="transformers is not installed")
    torch.manual_seed(1)
    config = transformers.GPT2Config(
        vocab_size=len(TOKENS), n_positions=64, n_embd=16, n_layer=1, n_head=2, bos_token_id=END, eos_token_id=END
    )
    model = transformers.GPT2LMHeadModel(config).eval()
    constraint = ls.TokenConstraint.of(ls.term_acceptor([["ab", "a"], "b"]), TOKENS, END)
    pattern = re.compile(r".*(?<![abé])ab?(?![abé]).*(?<![abé])b(?![abé]).*")
    ended = 0
    for options in ({"num_beams": 4, "num_return_sequences": 4}, {"do_sample": True, "num_return_sequences": 8}):
        processor = ls.ConstraintProcessor(constraint)
        prompt = torch.tensor([[1, 2]])
        rows = model.generate(prompt, max_new_tokens=40, pad_token_id=END, logits_processor=[processor], **options)
        for row in rows[:, 2:].tolist():
            if END in row:
                data = b"".join(TOKENS[token] or b"" for token in row)
                assert pattern.fullmatch(data.decode()), data
                ended += 1
    assert ended >= 4
