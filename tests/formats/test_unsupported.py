"""Files other than lattices and n-best lists: errors name their kind and a remedy."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import pickle
import struct
import tarfile
import zipfile

import numpy as np
import pytest

from lattice_simp import FormatError, read, read_nbest
from lattice_simp.formats import is_text
from lattice_simp.formats.collections import read_all
from lattice_simp.support.textio import read_lines


def zipped(name: str, content: bytes = b"0 1 a\n1\n") -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr(name, content)
    return target.getvalue()


def archived(name: str, content: bytes) -> bytes:
    target, member = io.BytesIO(), tarfile.TarInfo(name)
    member.size = len(content)
    with tarfile.open(fileobj=target, mode="w") as archive:
        archive.addfile(member, io.BytesIO(content))
    return target.getvalue()


def array(save, *arrays) -> bytes:
    target = io.BytesIO()
    save(target, *arrays)
    return target.getvalue()


def fst_header(arc_type: bytes) -> bytes:
    fields = (b"vector", arc_type)
    return b"\xd6\xfd\xb2\x7e" + b"".join(struct.pack("<i", len(field)) + field for field in fields) + bytes(40)


BINARY = {
    "arrow": (b"ARROW1\0\0" + bytes(40), "an Arrow file", "as text"),
    "arrow stream": (b"\xff\xff\xff\xff\x78\x01\0\0\x10\0\0\0" + bytes(40), "an Arrow file", "as text"),
    "npz": (array(np.savez, np.zeros(3)), r"a NumPy archive \(.npz\)", "as text"),
    "npy": (array(np.save, np.zeros(3)), "a NumPy array", "as text"),
    "torch": (zipped("model/data.pkl"), "a PyTorch file", "k2.to_str"),
    "pickle": (pickle.dumps({"a": [1.5]}), "a Python pickle", "as text"),
    "png": (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "a PNG image", ""),
    "jpeg": (b"\xff\xd8\xff\xe0\0\x10JFIF", "a JPEG image", ""),
    "pdf": (b"%PDF-1.4\n%\xe2\xe3\n", "a PDF document", ""),
    "wave": (b"RIFF\x24\0\0\0WAVEfmt ", r"sound \(WAVE\)", "recognise"),
    "utf-16": ("0 1 café\n1\n".encode("utf-16"), "UTF-16 text", "iconv -f UTF-16 "),
    "utf-16le": ("0 1 a\n1\n".encode("utf-16-le"), "UTF-16 text without its mark", "iconv -f UTF-16LE"),
    "utf-16be": ("0 1 a\n1\n".encode("utf-16-be"), "UTF-16 text without its mark", "iconv -f UTF-16BE"),
    "kenlm": (b"mmap lm http://kheafield.com/code format version 5\n\0", "a KenLM binary", "--model"),
    "far": (struct.pack("<i", 2125656924) + bytes(20), r"an OpenFst archive \(FAR\)", "farextract"),
    "table": (struct.pack("<i", 2125658996) + bytes(20), "an OpenFst symbol table in binary", "--symbols"),
    "kaldi matrices": (b"utt-1 \0BFM \x04\1\0\0\0", "a Kaldi archive in binary", "ark,t:-"),
}

TEXT = {
    "word lattice": ("version 3\nname m\ninitial 0\nfinal 1\n", "a word lattice of SRILM of another", "-write-mesh"),
    "old word lattice": ("initial 0\nfinal 1\nnode 0 NULL 1 1\n", "a word lattice of SRILM of another", "-write-mesh"),
    "log of OpenNMT": ("[2024-01-01 INFO] \nSENT 1: ['a']\nPRED 1: b\n", "a log of OpenNMT", "-output"),
    "pointer": ("version https://git-lfs.github.com/spec/v1\noid sha256:1\n", "a pointer of Git LFS", "lfs pull"),
    "dictionaries": ("{'hypotheses': ['a cat']}\n", "Python's notation of dictionaries", "json.dumps"),
    "stream": ('data: {"choices": []}\n\ndata: [DONE]\n', "a stream of JSON", "stream=false"),
    "stm": ("utt-1 1 spk 0.0 1.25 <O> a cat\n", "references of NIST", "trn"),
    "stm without labels": ("u-1 1 s 0.00 1.25 a cat\n", "references of NIST", "trn"),
    "long log of OpenNMT": ("[2024 INFO] Loading\n[2024 INFO] \nSENT 1: ['a']\n", "a log of OpenNMT", "-output"),
    "table of whisper.cpp": ('0,1000," a cat"\n', "subtitles", "JSON"),
    "lyrics": ("[by:whisper.cpp]\n[00:00.00] a cat\n", "subtitles", "JSON"),
    "amr": ("# ::id 1\n# ::snt a cat\n(c / cat)\n", r"graphs of meaning \(AMR\)", "# ::snt"),
    "stm after comments": (';; CATEGORY "0"\nu 1 s 0.0 1.2 <O> a\n', "references of NIST", "trn"),
    "rttm": (";;\nSPKR-INFO u 1 <NA> <NA> <NA> male s <NA>\n", r"times of speakers \(RTTM\)", "CTM"),
    "rules of NIST": (";;\n* name\n", "a file with comments of NIST's tools", "CTM"),
    "vector": ("utt-1  [ 3.5 0.9 4 0.1 ]\n", "a Kaldi archive of vectors", "ark,t:-"),
    "matrix": ("utt-1  [\n  0.1 0.25\n  1e-3 2 ]\n", "a Kaldi archive of vectors or matrices", "ark,t:-"),
    "json object": (json.dumps({"results": [{"documents": []}]}), "JSON", '"hypotheses"'),
    "json of Ollama": ('{"model": "m", "response": "a"}\n', "JSON with the keys 'model', 'response'", '"hypo'),
    "beams": ('[["a cat", null, [["a", [0, 3]]], -3.2, -5.1]]\n', "beams of pyctcdecode", "[beam[0]"),
    "beams without states": ('[\n  ["a", [["a", [0, 3]]], -3.2, -5.1]]\n', "beams of pyctcdecode", "[beam[-1]"),
    "beams of Python": ("[('a', None, [('a', (0, 3))], -3.2, -5.1)]\n", "beams of pyctcdecode", '"hypotheses"'),
    "Vosk": (
        '{\n  "partial" : "a"\n}\n',
        "a partial result of Vosk",
        "SetMaxAlternatives",
    ),
    "NIST": ('<tstset setid="x" srclang="de">\n<doc docid="d">\n', "a text of NIST's or WMT's evaluations", "<seg>"),
    "mteval": ('<?xml version="1.0"?>\n<!DOCTYPE mteval SYSTEM "x">\n<mteval>\n', "a text of NIST's or WMT's", "<seg>"),
    "WMT": ('<?xml version="1.0"?>\n<dataset id="x">\n', "a text of NIST's or WMT's evaluations", "<seg>"),
    "document": ('<DOC docid="x">\n<seg id="1">a</seg>\n', "a text of NIST's or WMT's evaluations", "<seg>"),
    "slots": ("Haus 0.1 0.2 aus 0.9 0.8\nder 0.9 0.9\n", "a confusion network of Moses with several scores", "PLF"),
    "Julius as a server": ("<STARTPROC/>\n<RECOGOUT>\n", "messages of Julius' module mode", "standard output"),
    "bars": ("0|||a cat|||lm= -1|||-1\n", "an n-best list without blanks", "sed"),
    "json array": ('[\n  {"sentence": "a cat"}\n]\n', "JSON", '"hypotheses"'),
    "json numbers": ("[1, 2, [3, 4], 5", "JSON", '"hypotheses"'),
    "json lines": ('{ "sentence": "a cat" }\n{ "sentence": "a dog" }\n', "JSON", '"hypotheses"'),
    "html": ("\n<!DOCTYPE html>\n<html></html>\n", "HTML", "save the file itself"),
    "xml": ('<?xml version="1.0"?>\n<a/>\n', "XML", ""),
    "trees": ("(S (NP (DT the) (NN house)) (VP (VBD fell)))\n", "parse trees", ""),
    "tree with an outer bracket": ("( (S (NP (NNP Rome)) (VP (VBD fell))) )\n", "parse trees", ""),
    "arpa": ("\n\\data\\\nngram 1=2\n", r"a language model \(ARPA\)", "--model"),
    "conllu": ("# text = a\n1\ta\ta\tDET\tDT\t_\t0\troot\t_\t_\n", r"parsed text \(CoNLL-U\)", ""),
    "dot": ("digraph FST {\nrankdir = LR;\n}\n", r"a drawing \(DOT\)", "the lattice"),
    "gbnf": ('root ::= "a"\n', "a grammar", "the lattice"),
    "lark": ('start: s1 "a"\ns1: "b" |\n', "a grammar", "the lattice"),
    "forest": ('{"rules":[1,"[X] ||| a ||| b"],"features":["EF"]}\n', r"a hypergraph \(a forest of cdec", "--k_best"),
    "hypergraph": ("# target ||| features ||| source-covered\n2 1\n", "a hypergraph", "moses -n-best-list"),
    "TextGrid": ('File type = "ooTextFile"\nObject class = "TextGrid"\n', "a TextGrid of Praat", "CTM"),
    "HumanEval": ('{"task_id": "HumanEval/0", "completion": "  pass"}\n', r"samples of code", "group_by"),
    "EvalPlus": ('{"task_id": "a/0", "prompt": "def f():\\n", "solution": "  pass"}\n', "samples of code", "group_by"),
    "RETURNN": ("{\n'set/u-1': [\n(-0.5, 'a cat'),\n],\n}\n", "results of RETURNN's search", "ast.literal_eval"),
    "RASR": ('<?xml version="1.0"?>\n<fsa type="acceptor">\n', r"an automaton of RASR \(XML\)", "SLF"),
    "words": ('[\n {"word": "a", "start": 0.1, "end": 0.2}]', "a list of words or segments", "jq '{words: .}'"),
    "segments": ('[{"start": 0.1, "end": 2, "text": "a cat"}]', "a list of words or segments", "jq '{segments: .}'"),
    "chunks": ('[{"text": " a", "timestamp": [0.1, 0.2]}]', "a list of words or segments", "jq"),
    "printed segments": ("[00:00.000 --> 00:02.500]  A cat.\n", "subtitles", "--output_format json"),
    "printed seconds": ("[0.00s -> 2.50s]  A cat.\n", "subtitles", "--output_format json"),
    "table of subtitles": ('start,end,speaker,text\n0,1,A," a cat"\n', "subtitles", "--output_format json"),
    "error rate": (
        "%WER 3.20 [ 8 / 250, 1 ins, 2 del, 5 sub ]\n",
        "counts of recognition errors",
        "the recognised texts",
    ),
    "errors by utterance": (
        "u-1 ref  a  cat\nu-1 hyp  a  hat\nu-1 op   C   S\n",
        "counts of recognition errors",
        "the recognised",
    ),
    "alignments of sclite": (
        "Scores: (#C #S #D #I) 2 1 0 0\nREF:  a CAT\n",
        "counts of recognition errors",
        "the recognised texts",
    ),
    "foma": ("##foma-net 1.0##\n##props##\n", "a network of foma", "write att"),
    "Prolog": ('network(net).\nsymbol(net, "a").\n', "a network in Prolog", "write att"),
    "hypseg": ("u-1 S 0 T -60 A -50 L -10 0 -50 -10 <s> 10\n", "segments of CMU Sphinx", "-ctm"),
    "CTM with a negative duration": ("u-1 1 0.50 -0.20 a 0.9\n", "CTM with broken lines", "times from 0"),
    "CTM with blanks": ("u-1 1 0.50 0.20 New York 0.9\n", "CTM with broken lines", "no blanks"),
    "TTML": ('<tt xml:lang="en" xmlns="http://www.w3.org/ns/ttml">\n<body/>\n', "XML", "a sentence on each line"),
    "OpenNMT": ('[[{"src": "a", "tgt": "b", "n_best": 1, "pred_score": -1}]]', "answers of OpenNMT's server", "transp"),
    "given answers": ('{"doc_id": 0, "doc": {}, "resps": [[["-1", "True"]]]}\n', "scores of given answers", "generate"),
    "features": ("0 1 a lm:2.5 tm:1\n1\n", "a text lattice with features", "--from features"),
    "subtitles": ("1\n00:00:01,000 --> 00:00:02,000\nHello\n", "subtitles", ""),
    "table of scores": ("id\thyp\tscore\n0\ta cat\t-1\n", "a table", "convert it to JSON"),
    "table of texts": ('"source","Translation"\r\n"eine katze","a cat"\r\n', "a table", "hypotheses"),
    "table of Whisper": ("start\tend\ttext\n0\t1000\tA cat.\n", "subtitles", "--output_format json"),
    "symbols": ("<eps> 0\na 1\nb 2\n", "a symbol table", "--symbols"),
}
PLAIN = {
    "text": "The house is small.\nIt fell.\n",
    "numbers first": "7 houses were sold in 3 years\n8 of them in May\n",
    "brackets": "(the house) is small\n",
    "one word": "Hello\n",
    "column of numbers": "17\n4\n9\n",
    "number": "300\n",
    "settings": "# of a decoder\nbeam=13.0\nlattice-beam=6.0\n",
    "Thai": "บ้านหลังเล็ก\n" * 3000,  # its end is within a character
}


def packed(data: bytes):
    yield data
    yield gzip.compress(data)
    yield bz2.compress(data)
    yield lzma.compress(data)


@pytest.mark.parametrize("reader", [read, lambda path: list(read_all(path)), read_nbest])
@pytest.mark.parametrize("name", [*BINARY, *TEXT])
def test_what_it_looks_like_and_what_helps(tmp_path, reader, name):
    content, kind, remedy = (BINARY | TEXT)[name]
    for data in packed(content if isinstance(content, bytes) else content.encode()):
        (tmp_path / "x").write_bytes(data)
        with pytest.raises(FormatError, match=rf"x: looks like {kind}.*, which is not supported \(") as caught:
            reader(tmp_path / "x")
        assert remedy in caught.value.remedy
        wanted = "supported n-best lists are" if reader is read_nbest else "supported lattices are"
        if kind.split()[0] == "JSON":
            wanted = 'language models; the guide "Bring your own" describes it'
        assert wanted in caught.value.remedy, caught.value


@pytest.mark.parametrize(("pack", "kind"), [(archived, "tar"), (zipped, "zip")])
def test_an_archive_is_no_list(tmp_path, pack, kind):
    (tmp_path / "x").write_bytes(pack("a.nbest", b"0 ||| a cat ||| F= -1 ||| -1\n"))
    assert [name for name, _ in read_all(tmp_path / "x")] == ["a"]
    with pytest.raises(
        FormatError, match=rf"x: looks like a {kind} archive.* \(unpack it first; most commands read one"
    ):
        read_nbest(tmp_path / "x")


@pytest.mark.parametrize("name", PLAIN)
def test_plain_text_is_called_so(tmp_path, name):
    (tmp_path / "x").write_text(PLAIN[name], encoding="utf-8")
    with pytest.raises(FormatError, match=r"x: looks like plain text, not like a lattice \(.*lattice collect"):
        read(tmp_path / "x")
    with pytest.raises(FormatError, match=r"x: looks like plain text, not like n-best lists \(.*lattice collect"):
        read_nbest(tmp_path / "x")
    assert is_text(tmp_path / "x")


@pytest.mark.parametrize("name", [*BINARY, *TEXT])
def test_what_is_recognised_is_no_text_of_a_system(tmp_path, name):
    content, kind, _ = (BINARY | TEXT)[name]
    (tmp_path / "x").write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(FormatError, match=f"looks like {kind}"):
        is_text(tmp_path / "x")


@pytest.mark.parametrize("name", BINARY)
def test_readers_of_text_name_binary_files(tmp_path, name):
    content, kind, _ = BINARY[name]
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(FormatError, match=f"x: looks like {kind}"):
        list(read_lines(tmp_path / "x"))


def test_the_head_of_a_binary_file_may_hold_the_byte_of_a_line_end(tmp_path):
    (tmp_path / "x").write_bytes(b"PK\x03\x04" + b"\n".rjust(26, b"\0") + b"archive/data.pkl" + bytes(100))
    with pytest.raises(FormatError, match="x: looks like a PyTorch file"):
        list(read_lines(tmp_path / "x"))


def test_a_list_without_numbers_is_called_so(tmp_path):
    (tmp_path / "x").write_text("newstest-1 ||| a cat ||| LM= -1 ||| -1\n")
    for reader in (read, lambda path: list(read_all(path))):
        with pytest.raises(FormatError, match=r"x: looks like an n-best list whose ids are no numbers.* as ids"):
            reader(tmp_path / "x")


def test_json_with_bars_is_no_list_without_numbers(tmp_path):
    (tmp_path / "x").write_text('{"texts":[1,"[X] ||| a ||| b"]}\n')
    with pytest.raises(FormatError, match="x: looks like JSON"):
        read(tmp_path / "x")


def test_a_list_where_a_lattice_is_needed(tmp_path):
    (tmp_path / "x").write_text("0 ||| a cat ||| LM= -1 ||| -1\n")
    with pytest.raises(FormatError, match=r"x: looks like an n-best list.*read_nbest"):
        read(tmp_path / "x")
    (tmp_path / "x").write_text("u\n0 1 a 1,2,\n1\n\n" * 2)
    with pytest.raises(FormatError, match=r"x: holds several lattices of Kaldi's.*read_all"):
        read(tmp_path / "x")


KALDI = {
    "archive": (b"utt-1 " + fst_header(b"compactlattice44"), "a Kaldi archive in binary"),
    "lattice": (fst_header(b"lattice4"), "a Kaldi lattice in binary"),
    "scp": (b"utt-1 exp/lat.1.ark:15\n", r"a list of Kaldi's files \(.scp\)"),
}


@pytest.mark.parametrize("name", KALDI)
def test_lattices_of_kaldi_are_no_lists_and_no_text(tmp_path, name):
    content, kind = KALDI[name]
    (tmp_path / "x").write_bytes(content)
    for reader in (read_nbest, is_text):
        with pytest.raises(FormatError, match=f"x: looks like {kind}"):
            reader(tmp_path / "x")


def test_latin_1_is_no_binary_file(tmp_path):
    (tmp_path / "x").write_bytes("un\ncaf\xe9 au lait\n".encode("latin-1"))
    with pytest.raises(FormatError, match=r"x:2: bytes that are not UTF-8 \(convert the file with iconv -t UTF-8\)"):
        read(tmp_path / "x")


@pytest.mark.parametrize("text", ["2" * 70_000, f"u{' ' * 70_000}"], ids=["digits", "blanks"])
def test_long_fields_take_no_quadratic_time(tmp_path, text):
    """Patterns that tried all divisions of a field would take minutes."""
    (tmp_path / "x").write_text(text)
    for reader in (read, read_nbest, lambda path: list(read_all(path))):
        with pytest.raises(FormatError):
            reader(tmp_path / "x")
