"""Public operations with invalid arguments raise errors of this package, or TypeError for a wrong type."""

from __future__ import annotations

import inspect
import math
import traceback
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from tiny_decoder import tiny_decoder

import lattice_simp as ls
from lattice_simp import Hypothesis, InvalidLatticeError, Lattice, LatticeSimpError, SymbolTable
from lattice_simp.engines import ENGINES

INF = math.inf
NUMBERS = (
    math.nan,
    INF,
    -INF,
    -1,
    0,
    1,
    True,
    1e300,
    1e39,
    10**400,
    2**63,
    2**31,
    np.float32(0.5),
    np.int64(2),
    np.nan,
)
BROKEN_TEXT = ("\ud800", "x\udce4 a", "", " ", "\0", "<epsilon>", "a\nb")
OTHER_TYPES = (None, "1", [1], {}, object(), 1j)


@cache
def lattices() -> dict[str, Lattice]:
    """Returns lattices of all kinds, with words that some of them share."""
    shared = SymbolTable(["a", "b"])
    plain = Lattice.from_strings([("a b", 1.0), ("a", 2.0), ("b b", 0.5)], shared)
    ends = [INF, 0.0]
    return {
        "plain": plain,
        "features": plain.with_feature("LM", np.ones(plain.num_arcs)),
        "other table": Lattice.from_strings([("b a", 1.0), ("c", 0.0)]),
        "no states": Lattice.from_arcs([], [], [], [], [], SymbolTable()),
        "no strings": Lattice.from_strings([]),
        "no end": Lattice.from_arcs([0], [1], [0.0], [1], [INF, INF], shared),
        "empty string": Lattice.from_strings([("", 1.0)]),
        "epsilons": Lattice.from_arcs([0, 0, 1], [0, 1, 0], [0.0, 0.1, 0.2], [1, 1, 2], [INF, INF, 0.0], shared),
        "cycle": Lattice.from_arcs([0, 0], [1, 2], [0.0, 0.0], [0, 1], ends, shared),
        "epsilon cycle": Lattice.from_arcs([0, 0], [0, 2], [-1.0, 0.0], [0, 1], ends, shared),
        "transducer": Lattice.from_arcs([0], [1], [0.0], [1], ends, shared, inputs=([2], shared)),
        "two tables": Lattice.from_arcs([0], [1], [0.0], [1], ends, shared, inputs=([1], SymbolTable(list("xy")))),
        "one array": replace(Lattice.from_arcs([0], [2], [0.0], [1], ends, shared), isymbols=SymbolTable(list("xy"))),
        "huge costs": Lattice.from_strings([("a a", 1e39), ("b", -1e100), ("c", 1e100)]),
        "huge sums": Lattice.from_arcs([0, 1, 1], [1, 2, 0], [1e100] * 3, [1, 2, 2], [*ends, 1e100], shared),
        "odd words": Lattice.from_strings([("a\u00a0b <s> \0 ||| </s>", 0.0), (["a b", "\n", "\t"], 1.0)]),
    }


@cache
def lists() -> dict[str, list[Hypothesis]]:
    hypotheses = ls.nbest(lattices()["features"], 3)
    return {
        "list": hypotheses,
        "nothing": [],
        "empty": [Hypothesis(()), Hypothesis(("a",), 1.0)],
        "broken cost": [*hypotheses, Hypothesis(("a",), math.nan)],
        "endless cost": [Hypothesis(("a",), -INF)],
        "broken word": [Hypothesis(("\ud800",), 1.0, {"\ud800": 1.0})],
        "broken score": [Hypothesis(("a",), 1.0, {"LM": math.nan})],
        "word of nothing": [Hypothesis(("",), 1.0)],
        "huge": [Hypothesis(("a",), 1e100), Hypothesis(("b",), -1e100)],
        "beyond": [Hypothesis(("a",), 1e308), Hypothesis(("b",), -1e308)],
    }


def attempt(call: Callable[[], Any], what: str) -> None:
    """Calls a function that may refuse its arguments."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            result = call()
            if isinstance(result, Lattice):
                check(result)
        except (LatticeSimpError, TypeError):
            pass
        except Exception as error:
            raise AssertionError(f"{what}: {type(error).__name__}: {error}") from error


def check(lattice: Lattice) -> None:
    """Checks that a result is a lattice; sums of huge costs may overflow."""
    if np.isfinite(lattice.weights).all() and np.isfinite(lattice.features.arcs).all():
        lattice.validate()


ON_LATTICES: dict[str, Callable[..., Any]] = {
    "apply_lm": lambda lattice, x: ls.apply_lm(lattice, {}, beam=x, word_penalty=x),
    "arc_posteriors": ls.arc_posteriors,
    "confusion_network": ls.confusion_network,
    "confusion_network max_arcs": lambda lattice, x: ls.confusion_network(lattice, max_arcs=x),
    "count_paths": lambda lattice, x: ls.count_paths(lattice),
    "determinize": lambda lattice, x: ls.determinize(lattice, max_states=x),
    "minimize": lambda lattice, x: ls.minimize(lattice, max_states=x),
    "semiring": lambda lattice, x: ls.determinize(lattice, semiring=x),
    "gappy_acceptor": lambda lattice, x: ls.gappy_acceptor(lattice, loops=x),
    "join_pieces": lambda lattice, x: ls.join_pieces(lattice, x),
    "join_pieces max_arcs": lambda lattice, x: ls.join_pieces(lattice, max_arcs=x),
    "mbr": lambda lattice, x: ls.mbr(lattice, x),
    "nbest": ls.nbest,
    "nbest paths": lambda lattice, x: ls.nbest(lattice, x, unique=False),
    "ngram_posteriors": ls.ngram_posteriors,
    "ngram_posteriors scale": lambda lattice, x: ls.ngram_posteriors(lattice, 2, x),
    "normalise": ls.normalise,
    "oracle": ls.oracle,
    "oracle bleu": lambda lattice, x: ls.oracle(lattice, x, "bleu"),
    "oracle metric": lambda lattice, x: ls.oracle(lattice, "a", x),
    "prune": ls.prune,
    "prune max_arcs": lambda lattice, x: ls.prune(lattice, max_arcs=x),
    "remove_epsilons": lambda lattice, x: ls.remove_epsilons(lattice),
    "replace": lambda lattice, x: ls.replace(lattice, x),
    "replace word": lambda lattice, x: ls.replace(lattice, {x: lattice}),
    "sample": lambda lattice, x: ls.sample(lattice, min(x, 2**40) if x != 2**31 else 3),
    "sample seed": lambda lattice, x: ls.sample(lattice, 2, seed=x),
    "shortest_distance": lambda lattice, x: ls.shortest_distance(lattice, semiring=x),
    "shortest_path": lambda lattice, x: ls.shortest_path(lattice),
    "union": lambda lattice, x: ls.union(lattice, lattice, costs=[x, x]),
    "union shares": lambda lattice, x: ls.union(lattice, shares=[x]),
    "timed_words": lambda lattice, x: ls.timed_words(lattice.with_feature("time", lattice.weights), x),
    "timed_words scale": lambda lattice, x: ls.timed_words(lattice.with_feature("time", lattice.weights), scale=x),
    "word_confidences": lambda lattice, x: ls.word_confidences(lattice, x),
    "compose": lambda lattice, x: ls.compose_gappy(lattice, lattices()["plain"], weight=x),
    "compose beam": lambda lattice, x: ls.compose_gappy(lattice, lattices()["plain"], beam=x),
    "edits": lambda lattice, x: ls.compose_gappy(lattice, lattices()["plain"], edits=ls.EditCosts(deletion=x)),
    "mbr settings": lambda lattice, x: ls.mbr(lattice, ls.MbrSettings(scale=x, max_order=x, beam=x)),
    "to_dot": lambda lattice, x: ls.to_dot(lattice, x),
    "to_svg": lambda lattice, x: ls.to_svg(lattice, max_states=x),
    "with_feature": lambda lattice, x: lattice.with_feature("x", [x] * lattice.num_arcs),
    "with_feature ends": lambda lattice, x: lattice.with_feature("x", lattice.weights, [x] * lattice.num_states),
    "without_feature": lambda lattice, x: lattice.without_feature("LM", x),
    "to_pynini": lambda lattice, x: lattice.to_pynini(attach_symbols=True),
    "with_symbols": lambda lattice, x: lattice.with_symbols(SymbolTable(["b"])),
}

ON_PAIRS: dict[str, Callable[..., Any]] = {
    "compose": ls.compose_gappy,
    "edits": lambda one, other: ls.compose_gappy(one, other, edits=ls.EditCosts()),
    "gappy": lambda one, other: ls.compose_gappy(one, ls.gappy_acceptor(other, symbols=one.symbols)),
    "rho": lambda one, other: ls.compose_gappy(one, ls.gappy_acceptor(other, loops="rho")),
    "intersect": ls.intersect,
    "union": lambda one, other: ls.union(one, other, normalised=True),
    "replace": lambda one, other: ls.replace(one, {"a": other}),
    "combine": lambda one, other: ls.combine([ls.nbest(one, 2), ls.nbest(other, 2)]),
}

ON_LISTS: dict[str, Callable[..., Any]] = {
    "from_nbest": lambda own, x: Lattice.from_nbest(own),
    "from_strings": lambda own, x: Lattice.from_strings([*own, ("a", x)]),
    "gappy_acceptor": lambda own, x: ls.gappy_acceptor(own, positions=x),
    "from_generator": lambda own, x: ls.from_generator([one.text for one in own], x),
    "from_generator scores": lambda own, x: ls.from_generator([one.text for one in own], [x] * len(own)),
    "consensus_nbest": ls.consensus_nbest,
    "mbr_nbest": lambda own, x: ls.mbr_nbest(own, scale=x),
    "mbr_nbest utility": ls.mbr_nbest,
    "recombine": lambda own, x: ls.recombine(own),
    "skeleton_agreement": lambda own, x: ls.skeleton_agreement("a b", own, x),
    "combine": lambda own, x: ls.combine([own, own]),
    "term_acceptor": lambda own, x: ls.term_acceptor([x, [one.text for one in own]]),
}


def values() -> Iterator[Any]:
    yield from (*NUMBERS, *BROKEN_TEXT, *OTHER_TYPES)


@pytest.mark.parametrize("name", ON_LATTICES)
def test_operations_refuse_what_makes_no_sense(name):
    for kind, lattice in lattices().items():
        for value in values():
            attempt(lambda lattice=lattice, value=value: ON_LATTICES[name](lattice, value), f"{kind}, {value!r:.40}")


@pytest.mark.parametrize("name", ON_PAIRS)
def test_operations_on_two_lattices_refuse_what_does_not_fit(name):
    for kind, lattice in lattices().items():
        for other_kind, other in lattices().items():
            attempt(lambda lattice=lattice, other=other: ON_PAIRS[name](lattice, other), f"{kind}, {other_kind}")


@pytest.mark.parametrize("name", ON_LISTS)
def test_operations_on_lists_refuse_what_makes_no_sense(name):
    for kind, hypotheses in lists().items():
        for value in values():
            attempt(
                lambda hypotheses=hypotheses, value=value: ON_LISTS[name](hypotheses, value), f"{kind}, {value!r:.40}"
            )


@pytest.mark.parametrize("ending", ["fst", "txt", "plf", "slf", "gbnf", "lark", "regex", "fst.gz"])
def test_writers_refuse_what_they_cannot_hold(ending, tmp_path):
    for kind, lattice in lattices().items():
        attempt(lambda lattice=lattice: ls.write(lattice, tmp_path / f"a.{ending}"), f"{kind}, {ending}")
        attempt(lambda lattice=lattice: ls.write(lattice, tmp_path / "a", "features"), kind)


def test_lists_are_written_or_refused(tmp_path):
    for kind, hypotheses in lists().items():
        attempt(lambda hypotheses=hypotheses: ls.write_nbest([(0, hypotheses)], tmp_path / "a.nbest"), kind)


@pytest.mark.parametrize("depth", [10, 250, 900, 100_000])
def test_deep_trees_are_read_or_refused(depth):
    text = "(S " * depth + "(NN x)" + ")" * depth
    if depth < 300:
        assert ls.Tree.from_brackets(text).tokens == ("x",)
    else:
        with pytest.raises(LatticeSimpError, match="nested deeper"):
            ls.Tree.from_brackets(text)


@pytest.mark.parametrize("spelling", ["plain", "sentencepiece", "byte-level"])
def test_tokens_of_a_vocabulary_are_text(spelling):
    with pytest.raises(LatticeSimpError):
        ls.token_bytes({"a": 0, "\ud800": 1}, spelling)


def test_half_a_surrogate_pair_in_json_is_an_error_of_its_line(tmp_path):
    path = tmp_path / "a.jsonl"
    lines = ['{"hypotheses": ["\\ud83d\\ude00"]}', '{"hypotheses": ["a \\ud83d"]}']
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(ls.FormatError, match=r"a.jsonl:2: a lone surrogate"):
        ls.read_nbest(path)
    path.write_text(lines[0] + "\n")
    assert ls.read_nbest(path)[0][0].text == "\U0001f600"


COUNTS: dict[str, Callable[[Lattice, Any], Any]] = {
    "confusion_network": lambda lattice, x: ls.confusion_network(lattice, max_arcs=x),
    "determinize": lambda lattice, x: ls.determinize(lattice, max_states=x),
    "join_pieces": lambda lattice, x: ls.join_pieces(lattice, max_arcs=x),
    "nbest": ls.nbest,
    "openfst nbest": ENGINES["openfst"].nbest,
    "ngram_posteriors": ls.ngram_posteriors,
    "prune": lambda lattice, x: ls.prune(lattice, max_arcs=x),
    "read_nbest": lambda lattice, x: ls.read_nbest("a.nbest", first_id=x),
    "sample": ls.sample,
    "to_svg": lambda lattice, x: ls.to_svg(lattice, max_states=x),
    "write_nbest": lambda lattice, x: ls.write_nbest([(0, ls.nbest(lattice))], "a.nbest", first_id=x),
}


@pytest.mark.parametrize("name", COUNTS)
def test_fractions_are_no_counts(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for value in (2.5, 2.0, True, "2"):
        with pytest.raises(TypeError, match="must be a whole number, not"):
            COUNTS[name](lattices()["plain"], value)


def first_lattice(function):
    """Returns arguments with a string where a function takes its first lattice, or None if it takes none."""
    parameters = list(inspect.signature(function).parameters.values())
    lattice = next((parameter.name for parameter in parameters if parameter.annotation == "Lattice"), None)
    required = [p for p in parameters if p.default is p.empty and p.kind is not p.KEYWORD_ONLY]
    return lattice and ["the cat" if parameter.name == lattice else None for parameter in required]


def test_every_function_of_lattices_refuses_a_sentence():
    functions = {name: getattr(ls, name) for name in ls.__all__ if inspect.isfunction(getattr(ls, name))}
    arguments = {name: values for name, function in functions.items() if (values := first_lattice(function))}
    assert len(arguments) > 30
    for name, values in arguments.items():
        with pytest.raises(TypeError, match=rf"^{name} takes a lattice, not a str; make one: Lattice.from_strings"):
            functions[name](*values)


@pytest.mark.parametrize("name", ["compose", "difference", "equivalent", "intersect"])
def test_the_second_lattice_is_no_sentence(name):
    with pytest.raises(TypeError, match=f"{name} takes a lattice, not a str"):
        getattr(ls, name)(lattices()["plain"], "the cat")


def test_gappy_acceptors_are_no_lattices_and_hypotheses_no_gappy_acceptors():
    acceptor = ls.gappy_acceptor(["the cat"])
    with pytest.raises(TypeError, match=r"not a GappyAcceptor; compose_gappy composes it, .as_lattice\(\) converts it"):
        ls.to_svg(acceptor)
    for hypotheses in ("the cat", ["the cat"]):
        with pytest.raises(TypeError, match=r"a gappy acceptor, not a .*; make one: gappy_acceptor\(hypotheses\)"):
            ls.compose_gappy(lattices()["plain"], hypotheses)
    for edits in (True, {"deletion": 1.0}):
        with pytest.raises(TypeError, match=r"edits must be EditCosts, such as EditCosts\(deletion=6.0\), not"):
            ls.compose_gappy(lattices()["plain"], acceptor, edits=edits)
    with pytest.raises(TypeError, match="expected a lattice or a gappy acceptor, not a str"):
        ls.TokenConstraint.of("the cat", [None, b"the", b" cat"], end=0)


def test_the_costs_of_a_mapping_are_not_lost():
    for make in (ls.Lattice.from_strings, ls.Lattice.from_nbest, ls.gappy_acceptor, ls.from_generator):
        with pytest.raises(TypeError, match=r"expected a list, not a mapping; pass its .items\(\) or .values\(\)"):
            make({"the cat": 1.0})


def test_vocabularies_are_mappings():
    with pytest.raises(TypeError, match="the vocabulary must be a mapping, not list"):
        ls.token_bytes(["a", "b"], "plain")


def test_values_that_are_no_sentences():
    for values in (["a cat", None], ["a cat", 3]):
        with pytest.raises(TypeError, match="expected a sentence, not"):
            ls.from_generator(values)
    with pytest.raises(InvalidLatticeError, match=r"^3 is not a pair of words and a cost$"):
        ls.Lattice.from_strings(["a cat", 3])
    with pytest.raises(TypeError, match="the beam must be a number, not 'wide'"):
        ls.prune(lattices()["plain"], "wide")


def test_models_are_read_first():
    for models in ("lm.arpa", {"LM": "lm.arpa"}, {"LM": ("lm.arpa", 1.0)}, {"LM": ls.LanguageModel}):
        with pytest.raises(TypeError, match="takes models by name"):
            ls.apply_lm(lattices()["plain"], models)


OF_LATTICES = (
    "arc_posteriors confusion_network determinize mbr minimize nbest normalise prune sample shortest_path "
    "word_confidences"
)


@pytest.mark.parametrize("name", OF_LATTICES.split())
def test_hypotheses_are_no_lattice(name):
    with pytest.raises(TypeError, match=rf"{name} takes a lattice, not a list; make one: Lattice.from_nbest"):
        getattr(ls, name)([Hypothesis(("a",), 0.0)])
    for operation in (ls.compose_gappy, ls.oracle, ls.reweight, ls.apply_lm):
        with pytest.raises(TypeError, match=rf"{operation.__name__} takes a lattice, not a NoneType$"):
            operation(None, {})


TREE = "(S (NP (DT a) (NN cat)) (VP (VBD slept)))"
TOKENS = [None, b"a", b" cat", b" b"]


@cache
def language_model() -> ls.LanguageModel:
    return ls.LanguageModel.from_bytes(b"\\data\\\nngram 1=3\n\n\\1-grams:\n-9 <s>\n-0.5 a\n-0.25 </s>\n\n\\end\\\n")


@cache
def constraint() -> ls.TokenConstraint:
    return ls.TokenConstraint.of(lattices()["plain"], TOKENS, end=0)


@cache
def decoder() -> ls.Decoder:
    return tiny_decoder()


def sentence_with(**arguments: Any) -> ls.Translation:
    return decoder().translate("das alte haus", **arguments)


EXPLAINED: dict[str, Callable[[Any], Any]] = {
    "from_strings": Lattice.from_strings,
    "from_strings symbols": lambda x: Lattice.from_strings("a", x),
    "from_nbest": Lattice.from_nbest,
    "from_nbest symbols": lambda x: Lattice.from_nbest("a", x),
    "from_arcs symbols": lambda x: Lattice.from_arcs([0], [1], [0.0], [1], [INF, 0.0], x),
    "from_arcs inputs": lambda x: Lattice.from_arcs([0], [1], [0.0], [1], [INF, 0.0], SymbolTable("a"), inputs=x),
    "from_arcs features": lambda x: Lattice.from_arcs([0], [1], [0.0], [1], [INF, 0.0], SymbolTable("a"), features=x),
    "from_pynini": Lattice.from_pynini,
    "from_pynini symbols": lambda x: Lattice.from_pynini(lattices()["plain"].to_pynini(attach_symbols=True), x),
    "from_pynini inputs": lambda x: Lattice.from_pynini(lattices()["plain"].to_pynini(), SymbolTable("a b"), x),
    "empty_like": Lattice.empty_like,
    "arcs_of": lambda x: lattices()["plain"].arcs_of(x),
    "with_symbols": lambda x: lattices()["plain"].with_symbols(x),
    "with_feature name": lambda x: lattices()["plain"].with_feature(x, np.ones(lattices()["plain"].num_arcs)),
    "with_feature": lambda x: lattices()["plain"].with_feature("LM", x),
    "without_feature": lambda x: lattices()["features"].without_feature("LM", x),
    "without_words": lambda x: lattices()["plain"].without_words(x),
    "keep_arcs": lambda x: lattices()["plain"].keep_arcs(x),
    "subset": lambda x: lattices()["plain"].subset(x),
    "SymbolTable": SymbolTable,
    "add": lambda x: SymbolTable().add(x),
    "find": lambda x: SymbolTable().find(x),
    "label": lambda x: SymbolTable("a b")[x] if np.ndim(x) == 0 else None,
    "encode": lambda x: SymbolTable().encode(x),
    "decode": lambda x: SymbolTable("a b").decode(x),
    "read": ls.read,
    "read symbols": lambda x: ls.read("a.txt", symbols=x),
    "read format": lambda x: ls.read("a.txt", x) if np.ndim(x) == 0 else None,
    "read_all": lambda x: list(ls.read_all(x)),
    "read_all format": lambda x: list(ls.read_all("a.txt", x)) if np.ndim(x) == 0 else None,
    "read_nbest": ls.read_nbest,
    "read_nbest cost": lambda x: ls.read_nbest("a.nbest", cost=x),
    "read_nbest scales": lambda x: ls.read_nbest("a.nbest", scales=x),
    "read_terms": ls.read_terms,
    "write": lambda x: ls.write(lattices()["plain"], x),
    "write_nbest": lambda x: ls.write_nbest(x, "b.nbest"),
    "write_nbest path": lambda x: ls.write_nbest([], x),
    "write_nbest style": lambda x: ls.write_nbest([], "b.nbest", style=x),
    "from_generator": ls.from_generator,
    "from_generator scores": lambda x: ls.from_generator(["a", "b"], x),
    "from_generator pieces": lambda x: ls.from_generator(["a"], pieces=x),
    "combine": ls.combine,
    "combine settings": lambda x: ls.combine(["a"], x),
    "combine weights": lambda x: ls.combine(["a"], weights=x),
    "compose_gappy name": lambda x: ls.compose_gappy(lattices()["plain"], ls.gappy_acceptor("a"), name=x),
    "gappy_acceptor": ls.gappy_acceptor,
    "gappy_acceptor symbols": lambda x: ls.gappy_acceptor("a", symbols=x),
    "mbr_nbest utility": lambda x: ls.mbr_nbest(lists()["list"], x),
    "mbr_nbest pruning": lambda x: ls.mbr_nbest(lists()["list"], pruning=x),
    "mbr_nbest tokens": lambda x: ls.mbr_nbest(lists()["list"], "bleu", tokens=x),
    "mbr_nbest function": lambda x: ls.mbr_nbest(lists()["list"], lambda hypothesis, reference: x),
    "mbr_nbest words": lambda x: ls.mbr_nbest(lists()["list"], "bleu", tokens=lambda text: x),
    "oracle": lambda x: ls.oracle(lattices()["plain"], x),
    "oracle reference": lambda x: ls.oracle(lattices()["plain"], [x]),
    "oracle ignore": lambda x: ls.oracle(lattices()["plain"], "a", ignore=x),
    "pool_nbest": ls.pool_nbest,
    "pool_nbest shares": lambda x: ls.pool_nbest([lists()["list"]], x),
    "recombine": ls.recombine,
    "recombine symbols": lambda x: ls.recombine("a", x),
    "replace": lambda x: ls.replace(lattices()["plain"], {"a": x}),
    "union costs": lambda x: ls.union(lattices()["plain"], costs=x),
    "union shares": lambda x: ls.union(lattices()["plain"], shares=x),
    "term_acceptor": ls.term_acceptor,
    "term": lambda x: ls.term_acceptor([x]),
    "form": lambda x: ls.term_acceptor([[x]]),
    "term_acceptor symbols": lambda x: ls.term_acceptor("a", x),
    "to_svg highlight": lambda x: ls.to_svg(lattices()["plain"], highlight=x),
    "to_svg title": lambda x: ls.to_svg(lattices()["plain"], title=x) if np.ndim(x) == 0 else None,
    "to_dot highlight": lambda x: ls.to_dot(lattices()["plain"], highlight=x),
    "vocabulary": ls.TokenVocabulary.of,
    "vocabulary spelling": lambda x: ls.token_bytes({"a": 0}, x) if np.ndim(x) == 0 else None,
    "vocabulary numbers": lambda x: ls.token_bytes({"a": x}, "plain"),
    "special tokens": lambda x: ls.token_bytes({"a": 0}, "plain", special=x),
    "prefix": lambda x: constraint().allowed(x),
    "prefix of a text": lambda x: constraint().cost(x),
    "state": lambda x: constraint().targets(x),
    "token": lambda x: constraint().advance(0, x),
    "states": lambda x: constraint().mask(x),
    "prompt": lambda x: ls.Ctranslate2GeneratorStep(SimpleNamespace(forward_batch=None), x),
    "source": lambda x: ls.Ctranslate2TranslatorStep(SimpleNamespace(translate_batch=None), x, []),
    "TransformersStep": lambda x: ls.TransformersStep(x, [1]),
    "LlamaCppStep": lambda x: ls.LlamaCppStep(x, [1]),
    "Ctranslate2GeneratorStep": lambda x: ls.Ctranslate2GeneratorStep(x, [1]),
    "Ctranslate2TranslatorStep": lambda x: ls.Ctranslate2TranslatorStep(x, "a", []),
    "words_of": SymbolTable("a").words_of,
    "labels_of": lambda x: SymbolTable("a").labels_of(SymbolTable("a"), x),
    "labels_of another": lambda x: SymbolTable("a").labels_of(x, [1]),
    "validate": lambda x: lattices()["plain"].validate(largest=x),
    "validate features": lambda x: lattices()["features"].features.validate(*lattices()["features"].features.shape, x),
    "unique": lambda x: ls.nbest(lattices()["plain"], unique=x),
    "unique paths": lambda x: ls.shortest_paths(lattices()["plain"], unique=x),
    "uniform": lambda x: ls.sample(lattices()["plain"], uniform=x),
    "normalised": lambda x: ls.union(lattices()["plain"], normalised=x),
    "reverse": lambda x: ls.shortest_distance(lattices()["plain"], reverse=x),
    "attach_symbols": lambda x: lattices()["plain"].to_pynini(attach_symbols=x),
    "bos": lambda x: language_model().score("a", bos=x),
    "eos": lambda x: language_model().score("a", eos=x),
    "bos of several": lambda x: language_model().scores(["a"], bos=x),
    "eos of several": lambda x: language_model().scores(["a"], eos=x),
    "step": lambda x: ls.constrained_beam_search(x, constraint()),
    "search constraint": lambda x: ls.constrained_beam_search(len, x),
    "scores to mask": lambda x: ls.apply_mask(x, constraint().mask([0])),
    "LanguageModel.read": ls.LanguageModel.read,
    "LanguageModel.from_bytes": ls.LanguageModel.from_bytes,
    "score": lambda x: decoder().language_models["LM"].score(x),
    "scores": lambda x: decoder().language_models["LM"].scores(x),
    "skeleton mask": lambda x: ls.Skeleton.from_mask(x, "a cat"),
    "skeleton words": lambda x: ls.Skeleton.from_words("a cat", x),
    "skeleton brackets": ls.Skeleton.from_brackets,
    "skeleton_agreement": lambda x: ls.skeleton_agreement("a cat", x),
    "Decoder.load": ls.Decoder.load,
    "Decoder grammar": lambda x: ls.Decoder(x, decoder().language_models, decoder().weights),
    "Decoder models": lambda x: ls.Decoder(decoder().grammar, x, decoder().weights),
    "Decoder weights": lambda x: ls.Decoder(decoder().grammar, decoder().language_models, x),
    "with_weights": lambda x: decoder().with_weights(x),
    "with_models": lambda x: decoder().with_models(x, 1.0),
    "translate": lambda x: decoder().translate(x),
    "translate skeleton": lambda x: sentence_with(skeleton=x),
    "translate hypotheses": lambda x: sentence_with(skeleton_hypotheses=x),
    "translate probabilities": lambda x: sentence_with(
        skeleton=ls.Skeleton.from_words("das alte haus", "haus"), probabilities=x
    ),
    "MbrSettings": lambda x: ls.MbrSettings(precision=x),
    "MbrPruning": lambda x: ls.MbrPruning(confidence=x),
    "CombinationSettings shares": lambda x: ls.CombinationSettings(shares=x),
    "CombinationSettings strings": lambda x: ls.CombinationSettings(strings=x),
    "DecoderSettings beam": lambda x: ls.DecoderSettings(beam=x),
    "DecoderSettings exact": lambda x: ls.DecoderSettings(exact=x),
    "DecoderSettings max_span": lambda x: ls.DecoderSettings(max_span=x),
    "SkeletonSettings": lambda x: ls.SkeletonSettings(hypotheses=x),
    "ParaphraseSettings": lambda x: ls.ParaphraseSettings(depth=x),
    "ParaphraseSettings filters": lambda x: ls.ParaphraseSettings(filters=x),
    "AlignmentSettings": lambda x: ls.AlignmentSettings(min_linked=x),
    "CorpusSettings": lambda x: ls.CorpusSettings(min_words=x, skip_cost=x),
    "Tree.from_brackets": ls.Tree.from_brackets,
    "link_words": lambda x: ls.link_words(x, ls.Tree.from_brackets(TREE)),
    "align_phrases": lambda x: ls.align_phrases(*[ls.Tree.from_brackets(TREE)] * 2, x),
    "choose_parses": ls.choose_parses,
    "parses": lambda x: ls.choose_parses([x]),
    "expand_trees": lambda x: ls.Paraphraser().expand_trees(x),
    "Thesaurus.from_groups": ls.Thesaurus.from_groups,
}


def wrong_values() -> list[Any]:
    """Returns what callers confuse: numbers for lists, arrays for numbers, ids for words, names for objects."""
    numbers = [3, -1, 2.5, math.nan, 10**400, np.int64(3), np.array([1.0, 2.0]), np.array(2.0)]
    several = [[None], [5], [["a"], ["b"]], [lattices()["plain"]], lists()["list"], {"a": "b"}, ("a", "b"), iter(())]
    return [*numbers, *several, "a cat", b"a cat", Path("no.file"), lattices()["plain"], SymbolTable("a"), object()]


def is_explained(error: Exception) -> bool:
    """Returns whether this package raised an error, rather than the operation that failed."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return "lattice_simp" in last.filename and str(last.line).startswith("raise")


@pytest.mark.parametrize("name", EXPLAINED)
def test_wrong_types_are_explained(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ls.write(lattices()["plain"], "a.txt")
    ls.write_nbest([lists()["list"]], "a.nbest")
    raw = []
    for value in wrong_values():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                EXPLAINED[name](value)
            except Exception as error:
                raw += [] if is_explained(error) else [f"{value!r:.60}: {type(error).__name__}: {error}"]
    assert not raw


def test_the_messages_name_the_remedy(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for call, message in (
        (lambda: ls.oracle(lattices()["plain"], 5), "expected a list or a string, not 5"),
        (lambda: ls.oracle(lattices()["plain"], [[1, 2]]), "words must be strings, not 1; decode token ids"),
        (lambda: ls.from_generator(["a"], ["x"]), "a score is not a finite number: could not convert"),
        (lambda: ls.from_generator(["a"], [None]), "each score must be a number"),
        (lambda: ls.from_generator(["a"], 1.5), "the scores must be a list of numbers, not 1.5"),
        (lambda: ls.term_acceptor([5]), "expected a list or a string, not 5"),
        (lambda: constraint().allowed(5), "a prefix must be a list of token numbers, not 5; encode texts first"),
        (lambda: constraint().allowed("a"), "a prefix must be a list of token numbers, not 'a'; encode"),
        (lambda: Lattice.from_strings("a", ["a"]), r"must be a SymbolTable, not list; make it: SymbolTable\(words\)"),
        (lambda: ls.DecoderSettings(exact=True), r"exact must be an ExactSearch, not bool; make it: ExactSearch\(\)"),
        (lambda: SymbolTable("a")["a"], r"labels are whole numbers, not 'a'; find\(word\) returns the label"),
        (lambda: ls.read(1), "a path must be a string or a Path, not 1"),
        (lambda: ls.write(lattices()["plain"], 1), "a path must be a string or a Path, not 1"),
        (lambda: Lattice.from_pynini("a.fst"), r"takes an FST of pynini or pywrapfst, not a str; read\(path\) reads"),
        (lambda: ls.LlamaCppStep("a.gguf", [1]), "the model must be a llama_cpp.Llama, not str: it has no 'reset'"),
        (lambda: ls.Ctranslate2TranslatorStep("ende", "a", []), "the model must be a ctranslate2.Translator, not str"),
        (lambda: ls.nbest(lattices()["plain"], unique="no"), "unique must be True or False, not 'no'"),
        (lambda: SymbolTable("a").words_of([-1]), "label -1 is not in the symbol table of 2 symbols"),
        (lambda: ls.to_svg(lattices()["plain"], highlight=3), "those of a path are path.arcs"),
        (lambda: ls.to_svg([lattices()["plain"]]), "to_svg takes a lattice, not a list; call it for each lattice"),
        (lambda: ls.word_confidences(lattices()["plain"], Hypothesis("a")), r"not Hypothesis\(.*; pass its tokens"),
        (
            lambda: decoder().translate(["das haus", "ein haus"]),
            "the token 'das haus' holds a blank; give one sentence",
        ),
        (lambda: ls.Skeleton.from_mask("law", "the law"), "mask position 0 is 'l'; .* from words: Skeleton.from_words"),
    ):
        with pytest.raises((LatticeSimpError, TypeError), match=message):
            call()


def test_large_objects_are_shown_in_a_line():
    constraint = ls.TokenConstraint.of(ls.term_acceptor(["a"]), [None, *(b"a" * 100 for _ in range(1000))], end=0)
    trees = [ls.Tree.from_brackets(f"(S (NP (DT the) (NN {noun})) (VP (VBD sat)))") for noun in ("cat", "dog")]
    expansion = ls.Paraphraser(thesaurus=ls.Thesaurus.from_groups([["cat", "dog"]] * 100)).expand(trees)
    for value in (decoder(), ls.Simplifier.untrained(), constraint, constraint.vocabulary, expansion, ls.Paraphraser()):
        assert len(repr(value)) < 1500
        assert "array(" not in repr(value)
        assert " object at 0x" not in repr(value)


def test_words_are_strings_in_every_list():
    model = decoder().language_models["LM"]
    for call in (model.score, SymbolTable, lambda words: ls.Skeleton.from_words(words, words), Hypothesis):
        with pytest.raises(TypeError, match="words must be strings, not 5"):
            call([5])


def test_fsts_with_log_arcs_keep_their_costs():
    pynini = pytest.importorskip("pynini")
    lattice = Lattice.from_strings([("a b", 1.5), ("b", 0.5)])
    for kind in ("to_std", "to_log", "to_log64"):
        fst = pynini.arcmap(lattice.to_pynini(attach_symbols=True), map_type=kind)
        assert ls.equivalent(Lattice.from_pynini(fst), lattice), kind
