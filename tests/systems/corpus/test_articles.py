"""Collections of articles: JSON lines, dumps, and their faults."""

from __future__ import annotations

import json
from importlib.util import find_spec

import pytest
from systems.corpus.collection import dump_of, page_of

from lattice_simp import FormatError, MissingExtraError
from lattice_simp.errors import InputWarning
from lattice_simp.support.textio import open_text
from lattice_simp.systems.corpus.articles import Article, read_articles
from lattice_simp.systems.corpus.mediawiki import paragraphs_of, read_pages

needs_parser = pytest.mark.skipif(find_spec("mwparserfromhell") is None, reason="mwparserfromhell is not installed")

LINES = [{"title": "Rain", "text": "One.\n\nTwo."}, {"title": "Snow", "paragraphs": ["Three.", "Four\nfive."]}]


def written(folder, content, name="articles.jsonl"):
    with open_text(folder / name, "w") as file:
        file.write(content)
    return folder / name


@pytest.mark.parametrize("suffix", ["", ".gz", ".bz2", ".xz"])
def test_json_lines(tmp_path, suffix):
    path = written(tmp_path, "".join(json.dumps(line) + "\n\n" for line in LINES), f"a.jsonl{suffix}")
    assert list(read_articles(path)) == [
        Article("Rain", ("One.", "", "Two."), 1),
        Article("Snow", ("Three.", "Four\nfive."), 3),
    ]


@pytest.mark.parametrize("title", ["Café au lait", "Cafe\u0301 au lait", " Café_au  lait\u00a0", "Café\tau_lait"])
def test_keys(title):
    assert Article(title, (), 1).key == "Café au lait"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "invalid JSON: "),
        ("[" * 100_000, "a value nested more than 100 levels deep"),
        ("[1]", "is not a JSON object"),
        ('{"text": "a"}', "has no title"),
        ('{"title": " ", "text": "a"}', "has no title"),
        ('{"title": 7, "text": "a"}', "has no title"),
        ('{"title": "a"}', "has neither text nor paragraphs"),
        ('{"title": "a", "text": ["b"]}', "has neither text nor paragraphs"),
        ('{"title": "a", "paragraphs": "b"}', "its paragraphs are not a list of strings"),
        ('{"title": "a", "paragraphs": ["b", 7]}', "its paragraphs are not a list of strings"),
        ('{"title": "a", "text": "\\ud800"}', "a lone surrogate"),
        ("plain text", "invalid JSON: "),
    ],
)
def test_broken_lines(tmp_path, line, message):
    path = written(tmp_path, json.dumps(LINES[0]) + "\n" + line + "\n")
    with pytest.raises(FormatError) as caught:
        list(read_articles(path))
    assert str(caught.value).startswith(f"{path}:2: {message}")
    assert 'each line is {"title": "...", "text": "..."}' in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"\n \n", b"\xef\xbb\xbf"])
def test_empty_files(tmp_path, content):
    (tmp_path / "empty").write_bytes(content)
    with pytest.raises(FormatError, match=r"empty: has no articles \(each line is"):
        list(read_articles(tmp_path / "empty"))


def test_not_utf8(tmp_path):
    (tmp_path / "latin").write_bytes(json.dumps(LINES[0]).encode() + b'\n{"title": "caf\xe9", "text": ""}\n')
    with pytest.raises(FormatError, match=r"latin:2: bytes that are not UTF-8"):
        list(read_articles(tmp_path / "latin"))


def test_pages(tmp_path):
    content = dump_of(
        page_of("Rain", "first", "It rains &amp; rains.\n"),
        page_of("Talk:Rain", "no article", namespace=1),
        page_of("Snow", ""),
    )
    for name in ("dump.xml", "dump.xml.bz2"):
        path = written(tmp_path, content, name)
        assert list(read_pages(path)) == [(1, "Rain", "It rains & rains.\n"), (3, "Snow", "")]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (dump_of(page_of("Rain", "x"))[:-30], "dump.xml:"),
        ("<html></html>", "dump.xml:1: is XML of the kind <html>"),
        (dump_of("<page><ns>0</ns></page>"), "dump.xml: page 1 has no title"),
        ("<mediawiki><page></mediawiki>", "dump.xml:1: is broken XML: mismatched tag"),
    ],
)
def test_broken_dumps(tmp_path, content, message):
    with pytest.raises(FormatError, match=message):
        list(read_pages(written(tmp_path, content, "dump.xml")))


@pytest.mark.skipif(find_spec("mwparserfromhell") is not None, reason="mwparserfromhell is installed")
def test_a_missing_parser_is_reported_before_anything_is_read(tmp_path):
    path = written(tmp_path, dump_of(page_of("Rain", "x")), "dump.xml")
    with pytest.raises(MissingExtraError, match=r"mwparserfromhell is missing; pip install 'lattice-simp\[corpus\]'"):
        next(read_articles(path))


@needs_parser
def test_dumps_are_detected_by_content(tmp_path):
    path = written(tmp_path, dump_of(page_of("Rain", "It ''rains''.")), "articles.jsonl")
    assert list(read_articles(path)) == [Article("Rain", ("It ''rains''.",), 1, is_wikitext=True)]


@needs_parser
def test_no_brackets_stay_of_a_template():
    text = "The '''Rhine''' ({{lang-de|Rhein}}; {{IPA|x}}) rises (2,346 m) here."
    assert paragraphs_of(text) == ["The Rhine rises (2,346 m) here."]


@needs_parser
def test_paragraphs_of_wikitext():
    text = """{{Infobox rain|kind={{wet}}
|x=y}}
[[File:rain.jpg|thumb|A [[wet]] street]]
'''Rain''' is [[water]]<ref name="a">A [[book]]</ref> that falls.{{cite}} It is ''[[wet thing|wet]]''&nbsp;and
cold.<br />Very cold.

== Kinds ==
{| class="table"
| cell
|}
* [[Drizzle|drizzle]] is light
* showers are short
<!-- a remark -->
[[Category:Weather]]
__NOTOC__
"""
    assert paragraphs_of(text) == [
        "Rain is water that falls. It is wet and cold. Very cold.",
        "drizzle is light",
        "showers are short",
    ]


@needs_parser
@pytest.mark.parametrize("text", ["", "{{", "[[a|b", "{| x", "<ref>", "'''''", "== a", "{{{x|y}}", "<br", "[[File:x|"])
def test_broken_wikitext_is_text(text):
    assert isinstance(paragraphs_of(text), list)


def test_lists_in_place_of_plain_text_are_reported(tmp_path):
    path = written(tmp_path, "0 ||| a cat ||| -1\n1 ||| a dog ||| -1\n", "a.txt")
    with pytest.warns(InputWarning, match="a.txt: looks like an n-best list, and each line counts as a sentence"):
        assert len(list(read_articles(path))) == 2
