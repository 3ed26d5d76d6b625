"""Masks over a large vocabulary, against xgrammar and llguidance if they are installed; results are compared."""

from __future__ import annotations

import importlib
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

import lattice_simp as ls
from experiments.bench.constrained import frequent_words, pieces_of
from experiments.bench.figures import Figures, figure, installed, repeated, timed
from lattice_simp.formats.generators.grammar import format_gbnf, format_lark, format_regex

VOCABULARY, ROWS, STEPS, TERMS = 130_000, 8, 50, 20
"""The number of tokens, rows of a step, steps of each state, and terms of a regular expression."""


def measure(shared: Path) -> Figures:
    """Measures the vocabulary, a second constraint, steps of decoding, and the grammars of many terms.

    Raises:
        AssertionError: a peer computes other masks, or refuses a grammar.
    """
    words = frequent_words(shared / "data" / "wmt" / "newstest2013.en-de.de.xz")
    tokens = _tokens(words)
    terms = ls.term_acceptor([[word, f"{word}s"] for word in words[100:102]])
    xgrammar, llguidance = map(installed, ("xgrammar", "llguidance"))
    _warm_up()
    vocabulary, seconds = timed(ls.TokenVocabulary.of, tokens)
    info, baseline = timed(_tokenizer_info, xgrammar, tokens) if xgrammar else (None, None)
    figures: Figures = {"peer_vocabulary_vs_xgrammar": figure(seconds, "CPU s", baseline)}
    with tempfile.TemporaryDirectory() as folder:
        vocabulary.write(Path(folder, "tokens.arrays"))
        _, seconds = timed(ls.TokenVocabulary.read, Path(folder, "tokens.arrays"))
    tokenizer, baseline = timed(_tokenizer, llguidance, tokens) if llguidance else (None, None)
    figures["peer_vocabulary_read_vs_llguidance"] = figure(seconds, "CPU s", baseline)
    written = [tokens.index(f" {word}".encode()) for word in (words[110], words[100], words[111], words[101])]
    figures |= _steps(terms, vocabulary, written, xgrammar, info)
    many = ls.term_acceptor([[word, f"{word}s"] for word in words[100 : 100 + TERMS]])
    for name, write in (("regex", format_regex), ("lark", format_lark)):
        grammar, seconds = timed(write, many, "text")
        read = {"llguidance reads it": _reading(llguidance, tokenizer, name, grammar)} if llguidance else {}
        figures[f"{name}_of_{TERMS}_terms"] = figure(seconds, "CPU s", **read)
    return figures


def _steps(
    terms: ls.GappyAcceptor, vocabulary: ls.TokenVocabulary, written: list[int], xgrammar: Any, info: Any
) -> Figures:
    """Measures a constraint with the masks of its states, then steps of several rows: the masks, and the scores."""

    def constraint() -> tuple[ls.TokenConstraint, list[int]]:
        constrained = ls.TokenConstraint.of(terms, vocabulary, 0)
        states = [constrained.state(written[:length]) for length in range(len(written) + 1)]
        constrained.mask(states)
        return constrained, states

    def grammar() -> Any:
        text = format_gbnf(terms, "text", leading_blank=True)
        return xgrammar.GrammarCompiler(info, max_threads=1, cache_enabled=False).compile_grammar(text)

    (constrained, states), seconds = timed(constraint)
    compiled, baseline = timed(grammar) if xgrammar else (None, None)
    figures: Figures = {"peer_constraint_vs_xgrammar": figure(seconds, "CPU s", baseline)}
    scores = np.zeros((ROWS, vocabulary.size), dtype=np.float32)
    spent, spent_by_peer = 0.0, 0.0
    matchers = [xgrammar.GrammarMatcher(compiled) for _ in range(ROWS)] if xgrammar else []
    for state, token in zip(states, [*written, None], strict=True):
        mask, seconds = timed(repeated(STEPS, partial(_masked, constrained, state, scores)))
        spent += seconds
        if xgrammar:
            theirs, seconds = timed(repeated(STEPS, _peer_step(xgrammar, matchers, vocabulary.size)))
            spent_by_peer += seconds
            if not np.array_equal(_bits(mask, vocabulary.size), _bits(theirs, vocabulary.size)):
                raise AssertionError("masks: xgrammar allows other tokens")
            for matcher in matchers if token is not None else ():
                matcher.accept_token(token)
    steps = STEPS * len(states)
    name = f"peer_mask_step_of_{ROWS}_rows_vs_xgrammar"
    figures[name] = figure(1e3 * spent / steps, "CPU ms", 1e3 * spent_by_peer / steps if xgrammar else None)
    return figures


def _masked(constraint: ls.TokenConstraint, state: int, scores: np.ndarray) -> np.ndarray:
    mask = constraint.mask([state] * ROWS)
    ls.apply_mask(scores, mask)
    return mask


def _peer_step(xgrammar: ModuleType, matchers: list[Any], size: int) -> Callable[[], np.ndarray]:
    torch = importlib.import_module("torch")
    scores, mask = torch.zeros(ROWS, size), xgrammar.allocate_token_bitmask(ROWS, size)

    def step() -> np.ndarray:
        for row, matcher in enumerate(matchers):
            matcher.fill_next_token_bitmask(mask, row)
        xgrammar.apply_token_bitmask_inplace(scores, mask)
        return mask.numpy().view(np.uint32)

    return step


def _bits(mask: np.ndarray, size: int) -> np.ndarray:
    return np.unpackbits(mask.view(np.uint8), axis=1, bitorder="little")[:, :size]


def _tokens(words: list[str]) -> list[bytes | None]:
    """Returns an end, pieces of words, and artificial pieces up to the size of a large vocabulary."""
    rng = np.random.default_rng(1)
    pieces = dict.fromkeys((*(bytes([byte]) for byte in range(256)), *pieces_of(words, VOCABULARY)))
    letters = np.array(list("etaoinshrdlcumwfgypbvk"))
    while len(pieces) < VOCABULARY:
        pieces["".join(rng.choice(letters, size=rng.integers(4, 9))).encode()] = None
    return [None, *list(pieces)[: VOCABULARY - 1]]


def _warm_up() -> None:
    """Loads the compiled code."""
    constraint = ls.TokenConstraint.of(ls.term_acceptor(["a"]), [None, b"a"], 0)
    _masked(constraint, 0, np.zeros((ROWS, 2), dtype=np.float32))


def _tokenizer_info(xgrammar: ModuleType, tokens: list[bytes | None]) -> Any:
    return xgrammar.TokenizerInfo([token or b"<end>" for token in tokens], stop_token_ids=[0])


def _tokenizer(llguidance: ModuleType, tokens: list[bytes | None]) -> Any:
    numbers = {token: number for number, token in enumerate(tokens)}

    class Tokenizer:
        eos_token_id, bos_token_id, special_token_ids = 0, None, (0,)

        def __init__(self) -> None:
            self.tokens = [token or b"<end>" for token in tokens]

        def __call__(self, text: str | bytes) -> list[int]:
            return [numbers[bytes([byte])] for byte in (text if isinstance(text, bytes) else text.encode())]

    return llguidance.LLTokenizer(llguidance.TokenizerWrapper(Tokenizer()))


def _reading(llguidance: ModuleType, tokenizer: Any, kind: str, grammar: str) -> float:
    convert = getattr(llguidance.LLMatcher, f"grammar_from_{kind}")
    matcher, seconds = timed(lambda: llguidance.LLMatcher(tokenizer, convert(grammar)))
    if matcher.is_error():
        raise AssertionError(f"masks: llguidance refuses the grammar ({kind}): {matcher.get_error()}")
    return seconds
