r"""Recognises files that are neither lattices nor n-best lists, so that errors name the kind and the remedy.

A kind is a row of a table here, or a signature of binary files in `support.signatures`.

>>> print(refusal(b"digraph {}\n", "a.dot").message)
looks like a drawing (DOT), which is not supported
"""

from __future__ import annotations

import re
from pathlib import Path

from lattice_simp.errors import FormatError
from lattice_simp.formats.common import key_names
from lattice_simp.formats.json.results import STRING
from lattice_simp.formats.kaldi.sausages import is_sausages
from lattice_simp.support.signatures import HEAD, Signature, first_match, signature, signatures
from lattice_simp.support.textio import text_begin

LATTICES = (
    "supported lattices are OpenFst, AT&T, PLF, SLF, PFSG, Kaldi's archives, word lattices of SRILM, and confusion "
    "networks of SRILM (meshes), Kaldi (sausages) and Moses"
)
LISTS = (
    "supported n-best lists are those of Moses (also cdec, Joshua, Marian) and SRILM, JSON, logs of fairseq, labels of "
    "HTK, CTM and results of Julius and icefall"
)

JSON_READ = (
    "JSON that is read: n-best lists, and results of speech recognisers, translators and language models; the guide "
    '"Bring your own" describes it'
)

_SRILM = "write a word mesh: nbest-lattice -use-mesh, lattice-tool -write-mesh"
_KALDI = "write its lattices as text: lattice-copy ark:FILE ark,t:-"
_ROW = "write id ||| words ||| Name= values ||| total, with whole numbers from 0 as ids"
_MODEL = "it is a language model: give it with --model or --lm"
_NIST = "write a sentence on each line, with its name in brackets at the end (trn)"
_JSON = 'write one line for each sentence: {"id": 0, "hypotheses": [{"text": "a cat", "score": -1.5}]}'
_PYCTCDECODE = (
    'write one line for each sentence: {"hypotheses": [beam[0] for beam in beams], "scores": [beam[-1] for ...]}'
)
_NUMBER = rb"-?(?:\d++\.?\d*+|\.\d++)(?:[eE][-+]?\d++)?"
_QUOTED = rb"(?:'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\")"
_TWO = (_NUMBER, _NUMBER)
_TAG = rb"[A-Z.,:$][\w$|=.-]*"
_COLUMN = (
    rb'"?(?i:id|text|hyp(?:othes[ie]s)?|transcri(?:pt|ption)|predictions?|translations?|outputs?|sentences?|sources?|'
    rb'references?|scores?)"?'
)
_OTHERS = rb'(?:"?[\w ]+"?[,;\t])*'
_FEATURES = (
    rb"\d+[ \t]+\d+[ \t]+\S+(?:(?:[ \t]+[^\s:]*[^\s\d:][^\s:]*:%b)+|(?:[ \t]+[^\s:]+:%b){3,})[ \t]*\r?(?:\n|\Z)" % _TWO
)

_HYPERGRAPH = (
    "a hypergraph (a forest of cdec, or of Moses)",
    rb'\{\s*"rules"\s*:\s*\[\s*\d+\s*,\s*"\[|# target \|\|\|',
    "a hypergraph is not a lattice; write lists of its best hypotheses: cdec --k_best 100, moses -n-best-list; or, "
    "from a phrase-based model of Moses, lattices: -output-search-graph",
)

KINDS = signatures(
    (
        "a word lattice of SRILM of another version than 2",
        rb"version[ \t]+(?!2\s)\d+\s*?\n(?:name|initial|node)\b|initial[ \t]+\d+\s*?\nfinal[ \t]+\d+\s*?\nnode\b",
        _SRILM,
    ),
    (
        "an n-best list whose ids are no numbers, or rules of translation",
        rb"(?![{\[][\"{\[])\S+[ \t]+\|\|\|[ \t]",
        _ROW,
    ),
    (
        "an n-best list without blanks around its bars",
        rb"\d+[ \t]*\|\|\|",
        "put blanks around them: sed 's/|||/ ||| /g'",
    ),
    (
        "a confusion network of Moses with several scores for a word",
        rb"\S+(?:[ \t]+[01]?\.\d+){2,}(?:[ \t]+[^\s\d]\S*(?:[ \t]+[01]?\.\d+){2,})+[ \t]*\r?(?:\n|\Z)",
        "keep one probability for each word, or write PLF, which holds several scores",
    ),
    (
        "a log of OpenNMT",
        rb"(?:\[[^\n\]]*\][^\n]*\n\s*)*(?:\[[^\n\]]*\]\s*)?SENT \d+: ",
        "write the translations: onmt_translate -output FILE",
    ),
    ("a pointer of Git LFS", rb"version https://git-lfs\.github\.com/spec/", "get the file itself: git lfs pull"),
    (
        "results of RETURNN's search",
        rb"\{\s*%b\s*:\s*\[\s*\(" % _QUOTED,
        'write a line for each sequence: python3 -c \'import ast, json, sys; [print(json.dumps({"name": name, '
        '"hypotheses": [{"text": text, "score": score} for score, text in entries]})) for name, entries in '
        "ast.literal_eval(sys.stdin.read()).items()]' < FILE",
    ),
    ("Python's notation of dictionaries", rb"\[?\s*\{\s*'", "write JSON: json.dumps(value)"),
    ("a stream of JSON (server-sent events)", rb"data: \{", "ask the server for whole answers: stream=false"),
    (
        "references of NIST (stm)",
        rb"(?:;;[^\n]*\n\s*)*\S+[ \t]+[0-9AB][ \t]+(?=\S*[^\W\d]|[^\n<]*<)\S+[ \t]+%b[ \t]+%b[ \t]+\S" % _TWO,
        _NIST,
    ),
    (
        "times of speakers (RTTM)",
        rb"(?:;;[^\n]*\n\s*)*(?:SPEAKER|SPKR-INFO|LEXEME|NON-LEX|NON-SPEECH|SU|NOSCORE)[ \t]+\S+[ \t]+\w+[ \t]",
        "write CTM for recognised words",
    ),
    ("a file with comments of NIST's tools (;;)", rb";;", "for CTM, write utterance channel begin duration word"),
    (
        "a text of NIST's or WMT's evaluations (SGML, XML)",
        rb"(?i)(?:<\?xml[^>]*>\s*)?(?:<!doctype\s+mteval[^>]*>\s*)?<(?:mteval|srcset|refset|tstset|dataset|doc)\b",
        "write a sentence on each line: the text between <seg> and </seg>",
    ),
    ("a language model (ARPA)", rb"\\data\\", _MODEL),
    ("a Kaldi archive of vectors or matrices", rb"\S+[ \t]+\[\s+%b\s+[-\d\]]" % _NUMBER, _KALDI),
    ("a list of Kaldi's files (.scp)", rb"\S+[ \t]+\S+\.ark:\d+\s", "copy them: lattice-copy scp:FILE ark,t:-"),
    ("a lattice of CMU Sphinx", rb"# getcwd:", "write SLF: -outlatfmt htk, or write_htk in Python"),
    (
        "a confusion network or a word graph of Julius",
        rb"-{3,4} begin (?:confusion network|wordgraph data)",
        "name its format: `lattice convert --from julius-cn` or --from julius-graph",
    ),
    (
        "messages of Julius' module mode (XML)",
        rb"<(?:STARTPROC|STARTRECOG|INPUT(?:PARAM)?|SYSINFO|RECOGOUT|RECOGFAIL)\b",
        "keep its standard output: julius without -module",
    ),
    ("a TextGrid of Praat", rb'File type = "ooTextFile', "write CTM for recognised words"),
    (
        "an automaton of RASR (XML)",
        rb"(?:<\?xml[^>]*>\s*)?<(?:fsa|flf)\b",
        "write lattices as SLF: format=htk in RASR's archive-writer",
    ),
    ("HTML", rb"(?i)<!doctype html|<html\b", "save the file itself, not the page that shows it"),
    ("XML", rb"<\?xml\b|<svg\b|<\w+[^<>\n]*\sxmlns\b", "write its text, a sentence on each line"),
    ("a program", rb"#!\s*/", ""),
    ("a drawing (DOT)", rb"(?:strict\s+)?(?:di)?graph\s*\w*\s*\{", "pass the lattice that it shows"),
    ("a grammar, GBNF or Lark", rb'root[ \t]*::=|start[ \t]*:\s*["/Cs]', "pass the lattice from which it was made"),
    ("parsed text (CoNLL-U)", rb"(?:#[^\n]*\n)*1(?:-\d+)?\t[^\t\n]*(?:\t[^\t\n]*){6,}", ""),
    ("parse trees", rb"\(\s*(?:%b\s*)?\(\s*%b\s+(?:\(|[^\s()]+\s*\))" % (_TAG, _TAG), ""),
    ("graphs of meaning (AMR)", rb"# ::\w+ ", "write their sentences, the text after # ::snt"),
    ("a text lattice with features", _FEATURES, "name its format: `lattice convert --from features`"),
    (
        "subtitles",
        rb"WEBVTT|1\s*\n\d\d:\d\d:\d\d[,.]|start([\t,])end\1(?:speaker\1)?text\r?\n|\d+,\d+,\"|\[by:|"
        rb"\[\d\d:\d\d\.\d\d\]|\[\s*\d[\d:.]*s?\s+--?>\s",
        "let Whisper write JSON: --output_format json",
    ),
    (
        "a table (CSV, TSV)",
        rb'%b%b[,;\t]%b%b(?:[,;\t]"?[\w ]+"?)*[ \t]*\r?(?:\n|\Z)' % (_OTHERS, _COLUMN, _OTHERS, _COLUMN),
        f"convert it to JSON: {_JSON}",
    ),
    (
        "beams of pyctcdecode",
        rb"\[\s*(?:[\[(]\s*(?:\"[^\"\n]*\"|'[^'\n]*'),\s*(?:null|None|<|[\[(]+\"[^\"\n]*\",\s*\[\d)|OutputBeam\()",
        _PYCTCDECODE,
    ),
    (
        "a partial result of Vosk",
        rb'\{\s*"partial"\s*:\s*"',
        "keep the final results: Result() and FinalResult(), best with SetMaxAlternatives(10)",
    ),
    _HYPERGRAPH,
    (
        "samples of code with a line for each (HumanEval)",
        rb'\{\s*"task_id"\s*:\s*%b\s*,\s*(?:"prompt"\s*:\s*%b\s*,\s*)?"(?:completion|solution)"\s*:' % (STRING, STRING),
        "write a line for each task: jq -sc 'group_by(.task_id)[] | {name: .[0].task_id, hypotheses: "
        "map(.completion // .solution)}'",
    ),
    (
        "answers of OpenNMT's server",
        rb'\[\s*\[\s*\{[^\[\]{}]*"pred_score"\s*:',
        "write a line for each sentence: jq -c 'transpose[] | {hypotheses: map({text: .tgt, score: .pred_score})}'",
    ),
    (
        "scores of given answers (lm-evaluation-harness)",
        rb'\{\s*"doc_id"\s*:\s*\d+\s*,\s*"doc"\s*:',
        "only tasks that generate text have samples: output_type: generate_until",
    ),
    (
        "a list of words or segments with times, without a name",
        rb'\[\s*\{(?=[^{}]*"(?:text|word)"\s*:)(?=[^{}]*"(?:start|timestamp)"\s*:)',
        "name it, to read one transcript: jq '{segments: .}', or jq '{words: .}' if these are words",
    ),
    ("JSON", rb'\{\s*(?:"[^"\n]*"\s*:|\}\s*\Z)|\[\s*(?:[\["{]|%b\s*,|\]\s*\Z)' % _NUMBER, _JSON),
    (
        "counts of recognition errors",
        rb"%WER\b|Scores: \(#C|<SYSTEM title=|\S+[ \t]+ref[ \t][^\n]*\n\S+[ \t]+hyp[ \t]",
        "pass the recognised texts, of which they were counted",
    ),
    (
        "a network of foma",
        rb"##foma-net ",
        "write AT&T text: foma -s -e 'load stack FILE' -e 'write att > NAME.att'",
    ),
    ("a network in Prolog", rb"network\(", "write AT&T text, such as with foma's write att"),
    ("segments of CMU Sphinx", rb"\S+ S -?\d+ T -?\d+ A -?\d+ L ", "write CTM: pocketsphinx_batch -ctm FILE"),
    (
        "CTM with broken lines",
        rb"\S+[ \t]+\w+[ \t]+-?\d*\.\d+[ \t]+-?\d*\.\d+[ \t]+[^\d\s]",
        "write utterance channel begin duration word confidence, with times from 0, and no blanks within words",
    ),
    ("a symbol table", rb"(?:<eps>|<epsilon>|<blk>|<blank>)[ \t]+0\s+\S+[ \t]+\d+\s", "give it with --symbols"),
)
"""The kinds; the first match counts."""

_KEY = re.compile(rb'"((?:[^"\\\n]|\\.)*+)(?:"[ \t\r\n]*+(:)?)?|[{}\[\]]')
"""A string, with a colon after it if it is a key, or a bracket."""

_TAR = "a tar archive", "unpack it first; most commands read one of lattices or lists"
_IS_TAR = re.compile(rb".{257}ustar", re.DOTALL)

MOST_MATCHED = 1 << 12
"""The number of bytes to match: some patterns take time quadratic in the length of a field."""

_PLAIN = {
    LATTICES: "make n-best lists from plain text with `lattice collect`",
    LISTS: "make them from plain text with `lattice collect`, or from lattices with `lattice nbest -n 100 --moses`",
}


def kind_of(head: bytes) -> Signature | None:
    """Returns the kind of an unsupported file from its first bytes, or None for all other files."""
    text = text_begin(head)
    if is_sausages(text):
        return None
    text = text[:MOST_MATCHED]
    return signature(head[:HEAD]) or first_match(KINDS, text)


def is_no_list(head: bytes) -> bool:
    """Returns whether a file, whose lines may have the bars of n-best lists, is of another kind than a list."""
    kind = kind_of(head)
    return b"\0" in head if kind is None else kind.remedy != _ROW


def refusal(
    head: bytes, path: str | Path | None, supported: str = LATTICES, *, format_name: str | None = None
) -> FormatError:
    """Returns the error for a file of unknown format: its kind by the first bytes, and the supported formats.

    Args:
        head: the first bytes.
        path: the file.
        supported: the supported formats.
        format_name: the format to suggest for a file that looks like plain text, or None.
    """
    text = text_begin(head)
    if not text:
        return FormatError("the file is empty", path=path, remedy=supported)
    kind = kind_of(head)
    if kind is not None and kind.remedy == _JSON:
        name, remedy, supported = f"JSON{_with_keys(text)}, which is not supported", _JSON, JSON_READ
    elif kind is not None:
        name, remedy = f"{kind.name}, which is not supported", kind.remedy
    elif b"\0" in text:
        name, remedy = _TAR if _IS_TAR.match(head) else ("binary data of an unknown kind", "")
    elif (line := _line_of_bad_utf8(head)) is not None:
        remedy = "convert the file with iconv -t UTF-8"
        return FormatError("bytes that are not UTF-8", path=path, line=line, remedy=remedy)
    else:
        name = f"plain text, not like {'a lattice' if supported == LATTICES else 'n-best lists'}"
        remedy = _PLAIN[supported]
        if format_name is not None:
            remedy = f"name the format if it is {format_name}: `lattice convert --from {format_name}`; {remedy}"
    return FormatError(f"looks like {name}", path=path, remedy="; ".join(filter(None, (remedy, supported))))


def _with_keys(text: bytes) -> str:
    r"""Adds the keys of the first JSON object, which may be cut off, to a message.

    >>> _with_keys(b'[\n  {"model": "m", "response": {"text": "a ca')
    " with the keys 'model', 'response'"
    """
    depth, keys = 0, dict[str, None]()
    for match in _KEY.finditer(text, max(text.find(b"{"), 0)):
        depth += (match[0] in b"{[") - (match[0] in b"}]")
        if depth == 0:
            break
        if depth == 1 and match[2] is not None:
            keys[match[1].decode(errors="replace")] = None
    return f" with {key_names(keys)}" if keys else ""


def _line_of_bad_utf8(head: bytes) -> int | None:
    """Returns the line of the first bytes that are not UTF-8; the last character may be cut off."""
    try:
        head.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.reason != "unexpected end of data":
            return head.count(b"\n", 0, error.start) + 1
    return None
