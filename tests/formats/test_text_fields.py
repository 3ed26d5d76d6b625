"""Every reader splits words as its format does, and accepts only ASCII numbers."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

import lattice_simp as ls
from lattice_simp.commands.inputs.sentence_sets import read_sets
from lattice_simp.core.symbols import split_tokens
from lattice_simp.errors import FormatError, LatticeSimpError
from lattice_simp.formats.common import finite, is_plain, natural, split_fields
from lattice_simp.formats.moses.rule_table import parse_rules
from lattice_simp.formats.openfst.symbols import read_labels
from lattice_simp.formats.plain_text import stream_outputs
from lattice_simp.lm.arpa import parse_arpa
from lattice_simp.skeleton import read_brackets, read_parallel, read_skeletons
from lattice_simp.support.json_text import MAX_DEPTH, is_json, parse_json
from lattice_simp.support.tables import read_table
from lattice_simp.systems.hindi.clause import parse_bracketed
from lattice_simp.systems.hindi.formats.treebank import read_marked
from lattice_simp.systems.simplify.operations import OperationModel
from lattice_simp.text.tokeniser import Tokeniser
from lattice_simp.train.alignment.links import read_pharaoh
from lattice_simp.translate.model_files import read_weights

BLANKS = "\u00a0\u2028\u2029\u3000\u0085\v\f\x1c\x1d\x1e\x1f\u2009\ufeff"
"""Characters that are white space for Python's `split()` or `splitlines()`, but not for any format."""

WORD = "10\u00a0000"
ODD_NUMBERS = ("1_0", "١٢", "１２", " 1", "1\u00a0", "0x1", "1\x1f", "\v1", "infinity", "nan", "1e", "٣.٥")


def words_of(lattice):
    return [lattice.symbols[label] for label in lattice.olabels.tolist()]


def written(tmp_path, text, name="file"):
    path = tmp_path / name
    path.write_bytes(text.encode())
    return path


def of_file(read):
    """Makes a reader of text from a reader of files; its result is flattened."""
    return lambda tmp_path, text: read(written(tmp_path, text))


def _arpa(word):
    return parse_arpa(f"\\data\\\nngram 1=1\n\n\\1-grams:\n-0.5\t{word}\n\n\\end\\\n".encode())[0]


READERS = {
    "moses": ("0 ||| {} ||| LM= -1 ||| -1\n", of_file(lambda path: ls.read_nbest(path)[0][0].tokens)),
    "fairseq": ("S-0\ta\nH-0\t-1\t{}\n", of_file(lambda path: ls.read_nbest(path)[0][0].tokens)),
    "json text": ('{{"hypotheses": [{{"text": "{}"}}]}}\n', of_file(lambda path: ls.read_nbest(path)[0][0].tokens)),
    "outputs": ("{}\n", of_file(lambda path: next(stream_outputs([path]))[1][0].tokens)),
    "att": ("0 1 {}\n1\n", of_file(lambda path: words_of(ls.read(path)))),
    "features": ("0 1 {} lm:1\n1\n", of_file(lambda path: words_of(ls.read(path, "features")))),
    "slf": ("N=2 L=1\nI=0\nI=1\nJ=0 S=0 E=1 W={}\n", of_file(lambda path: words_of(ls.read(path, "slf")))),
    "plf": ("((('{}',0,1),),)\n", of_file(lambda path: words_of(ls.read(path)))),
    "kaldi": ("u\n0 1 {} 1,2,\n1\n\n", of_file(lambda path: words_of(next(ls.read_all(path))[1]))),
    "symbols": ("<eps> 0\n{} 1\n", of_file(lambda path: [read_labels(path)[1]])),
    "arpa": ("{}", lambda _, text: _arpa(text)),
    "hiero rules": ("[X] ||| {} ||| b ||| F=-1\n", lambda _, text: next(parse_rules([text])).source),
    "hiero targets": ("[X] ||| b ||| {} ||| F=-1\n", lambda _, text: next(parse_rules([text])).target),
    "phrases": ("{} ||| b ||| 0.5\n", lambda _, text: next(parse_rules([text])).source),
    "hierarchical": ("{} [X] ||| b [X] ||| 0.5\n", lambda _, text: next(parse_rules([text])).source),
    "brackets": ("a {}\n", of_file(lambda path: next(read_brackets(path)).tokens[1:])),
    "parallel": ("{} a\n", of_file(lambda path: next(read_parallel(path, path)).tokens[:1])),
    "skeletons": ('{{"tokens": ["{}"], "keep": ["1"]}}\n', of_file(lambda path: next(read_skeletons(path)).tokens)),
    "trees": ("(S (NN {}))", lambda _, text: ls.Tree.from_brackets(text).tokens),
    "clauses": ("(main {} )", lambda _, text: parse_bracketed(text)[0]),
    "synonyms": ("{}\tb\n", of_file(lambda path: [sorted(word for word, _ in ls.Thesaurus.read(path).groups)[0]])),
    "tokens": ("{}", lambda _, text: split_tokens(Tokeniser("", tokenise=False, normalise=False).tokens(text))),
    "table": ("word\n{}\n", of_file(lambda path: [row["word"] for row in read_table(path, ("word",))])),
}


@pytest.mark.parametrize("name", READERS)
def test_words_keep_blanks_that_are_no_blank_or_tab(tmp_path, name):
    text, read = READERS[name]
    for blank in BLANKS:
        word = f"10{blank}000"
        value = json.dumps(word)[1:-1] if "{{" in text else word
        assert list(read(tmp_path, text.format(value))) == [word], f"{name}: {blank!r}"


def test_numbers_are_written_in_ascii():
    assert [finite(text) for text in ODD_NUMBERS] == [None] * len(ODD_NUMBERS)
    assert [finite(text.encode()) for text in ODD_NUMBERS] == [None] * len(ODD_NUMBERS)
    assert [natural(text) for text in ODD_NUMBERS] == [None] * len(ODD_NUMBERS)
    for text in ("0", "-1.5", "+2", ".5", "5.", "1e-3", "-1E+2"):
        assert finite(text) == float(text) == finite(text.encode())
        assert is_plain(text)


NUMBERS = {
    "moses total": ("0 ||| a ||| LM= -1 ||| {}\n", of_file(ls.read_nbest)),
    "moses feature": ("0 ||| a ||| LM= {} ||| -1\n", of_file(ls.read_nbest)),
    "moses id": ("0 ||| a ||| LM= -1 ||| -1\n{}||| a ||| LM= -1 ||| -1\n", of_file(ls.read_nbest)),
    "fairseq": ("S-0\ta\nH-0\t{}\ta\n", of_file(ls.read_nbest)),
    "fairseq pieces": ("S-0\ta\nH-0\t-1\ta\nP-0\t{}\n", of_file(ls.read_nbest)),
    "att": ("0 1 a a {}\n1\n", of_file(ls.read)),
    "att state": ("0 {} a\n1\n", of_file(ls.read)),
    "features": ("0 1 a lm:{}\n1\n", of_file(lambda path: ls.read(path, "features"))),
    "slf": ("N=2 L=1\nI=0\nI=1\nJ=0 S=0 E=1 W=a a={}\n", of_file(lambda path: ls.read(path, "slf"))),
    "plf": ("((('a',{},1),),)\n", of_file(ls.read)),
    "kaldi": ("u\n0 1 a {},2,\n1\n\n", of_file(lambda path: list(ls.read_all(path)))),
    "symbols": ("<eps> 0\na {}\n", of_file(read_labels)),
    "arpa": ("-0.5{}", lambda _, text: parse_arpa(f"\\data\\\nngram 1=1\n\\1-grams:\n{text} a\n\\end\\\n".encode())),
    "hiero": ("[X] ||| a ||| b ||| F={}\n", lambda _, text: list(parse_rules([text]))),
    "phrases": ("a ||| b ||| 0.5 {}\n", lambda _, text: list(parse_rules([text]))),
    "alignment": ("a ||| b ||| 0.5 ||| 0-{}\n", lambda _, text: list(parse_rules([text]))),
    "weights": ("LM\t{}\n", of_file(read_weights)),
    "operations": ("done\tchances\tfeature\n1\t{}\ta\n", of_file(OperationModel.read)),
    "links": ("0-{}\n", of_file(read_pharaoh)),
    "clauses": ("f#s\tmain:1-{}\n", of_file(read_marked)),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_other_numbers_are_refused(tmp_path, name):
    text, read = NUMBERS[name]
    for number in ODD_NUMBERS:
        if number.strip(" \t") != number and "a{}" not in text:  # blanks around a field are none of the field
            continue
        if number in ("infinity", "nan", "1e", "0x1") and name == "arpa":
            continue
        with pytest.raises(LatticeSimpError):
            print(name, number, read(tmp_path, text.format(number)))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "invalid JSON: "),
        ('{"a": 1} x', "invalid JSON: Extra data"),
        ("[" * 5000 + "]" * 5000, "nested more than 100 levels deep"),
        ("[" * 101 + "]" * 101, "nested more than 100 levels deep"),
        ('{"a":' * 100_000, "nested more than 100 levels deep|invalid JSON"),
        ('{"id": ' + "9" * 5000 + "}", "a number with too many digits"),
        ('{"a": "\\ud800"}', "a lone surrogate"),
        ('{"\\udfff": 1}', "a lone surrogate"),
    ],
)
def test_json_that_is_refused(text, message):
    with pytest.raises(FormatError, match=f"x:3: .*({message})"):
        parse_json(text, path="x", line=3)


def test_json_that_is_read():
    assert parse_json("[" * MAX_DEPTH + "]" * MAX_DEPTH)
    assert parse_json("null" + " " * 200) is None
    assert parse_json('{"a": "[[[[{{' + "[" * 200 + '", "b": "\\ud83d\\ude00", "c": "\\\\ud800"}')["b"] == "😀"


@pytest.mark.parametrize("blank", ["", " ", "\t", "  ", "\t "])
def test_json_lines_may_begin_with_blanks(tmp_path, blank):
    from lattice_simp.commands.inputs.sentences import read_records

    record = f'{blank}{{{blank}"tokens":{blank}["a", "b"],{blank}"keep": ["10"]{blank}}}\n'
    [result] = read_records(written(tmp_path, record, "x.jsonl"))
    assert (result.tokens, result.skeletons[0].to_mask()) == (("a", "b"), "10")
    sets = f'{blank}{{{blank}"sentences":{blank}["a", "b"]}}\n'
    assert [group.sentences for group in read_sets(str(written(tmp_path, sets)))] == [("a", "b")]
    lists = f'{blank}{{{blank}"id": 0,{blank}"hypotheses":{blank}["a"]}}\n'
    assert [[entry.text for entry in entries] for entries in ls.read_nbest(written(tmp_path, lists))] == [["a"]]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('{"tokens"', True),
        ('{ "a":1}', True),
        ('[{"a": 1}]', True),
        ("{", True),
        ("{}", True),
        ("{ a [[b]] }", False),
        ('{ " a " }', False),
        ("[[a]] b", False),
        ("a { b", False),
    ],
)
def test_json_is_distinguished_from_text(line, expected):
    assert is_json(line) is expected


def test_fields_are_those_between_blanks_of_each_line():
    for seed in range(300):
        rng = np.random.default_rng(seed)
        data = rng.choice(np.frombuffer(b"  \t\n\n\r\r\v\fab12", dtype=np.uint8), rng.integers(0, 40)).tobytes()
        text = split_fields(data, None)
        lines = [re.split(rb"[ \t]+", line.removesuffix(b"\r")) for line in data.split(b"\n")]
        expected = [[field for field in line if field] for line in lines]
        numbers = [np.arange(width) for width in text.widths.tolist()]
        rows = [text.column(np.full(len(row), line), row) for line, row in enumerate(numbers)]
        assert rows == expected, f"seed {seed}: {data!r}"


def test_states_are_whole_numbers():
    for seed in range(50):
        rng = np.random.default_rng(seed)
        states = [str(int(rng.integers(0, 10 ** rng.integers(1, 16 + 3 * (seed % 2))))) for _ in range(9)]
        lines = np.arange(9)
        assert split_fields("\n".join(states).encode(), None).states(lines, 0).tolist() == list(map(int, states))
        wrong = int(rng.integers(9))
        states[wrong] = ["x", "-1", "1.5", "1" * 19, "1/2", "1:"][seed % 6]
        with pytest.raises(FormatError, match=f":{wrong + 1}: not a state number"):
            split_fields("\n".join(states).encode(), "a.txt").states(lines, 0)
