"""Parses as data: checks, files, and what spaCy returns."""

from __future__ import annotations

import numpy as np
import pytest

from lattice_simp.errors import FormatError, LatticeSimpError
from lattice_simp.skeleton.automatic import Parse, parse_sentences, parser_name, read_parses, write_parses


def test_parses_come_back_from_a_file(tmp_path, random_parse):
    parses = [random_parse(np.random.default_rng(seed), 1 + seed) for seed in range(6)]
    write_parses(tmp_path / "a.jsonl.zst", parses)
    assert list(read_parses(tmp_path / "a.jsonl.zst")) == parses


@pytest.mark.parametrize("text", ["{", "[]", '{"tokens": ["a"]}', '{"tokens": ["a"], "heads": [0]}'])
def test_broken_files_name_the_line(tmp_path, random_parse, text):
    write_parses(tmp_path / "a", [random_parse(np.random.default_rng(0), 3)])
    with open(tmp_path / "a", "a", encoding="utf-8") as file:
        file.write(text + "\n")
    with pytest.raises(FormatError, match=r"a:2: (not a parse|invalid JSON)"):
        list(read_parses(tmp_path / "a"))


@pytest.mark.parametrize(
    ("heads", "message"), [((1, 0), "cycle"), ((-1, 2), "the head 2"), ((-1, 1), "the head 1"), ((-1,), "1 heads")]
)
def test_impossible_trees(heads, message):
    with pytest.raises(LatticeSimpError, match=message):
        Parse(("a", "b"), heads, ("", ""), ("", ""), ("", ""), ("", ""))


def test_subtrees_and_depths_agree_with_the_heads(random_parse):
    for seed in range(30):
        parse = random_parse(np.random.default_rng(seed), 9)
        for position in range(9):
            chain = [position]
            while parse.heads[chain[-1]] >= 0:
                chain.append(parse.heads[chain[-1]])
            assert parse.depths[position] == len(chain) - 1
            assert all(position in parse.subtree(above) for above in chain)
        assert sum(len(parse.subtree(position)) for position in range(9)) == sum(parse.depths) + 9


def test_spacy_parses_given_tokens():
    pytest.importorskip("spacy")
    sentences = ["I can 't see the man who left .".split(), ["No", "."], ["10\u00a0000", "came"]]
    parses = list(parse_sentences(sentences))
    assert [list(parse.tokens) for parse in parses] == sentences
    first = parses[0]
    assert first.labels[first.tokens.index("'t")] == "neg"
    assert first.labels[first.tokens.index("left")] == "relcl"
    assert first.tokens[first.heads[first.tokens.index("man")]] == "see"
    assert "en_core_web_sm" in parser_name()
    with pytest.raises(LatticeSimpError, match="sentence 2 has no tokens"):
        list(parse_sentences([["a"], []]))
