"""The optional tabs: English simplification, Hindi clauses, paraphrases."""

from __future__ import annotations

import re

import pytest
from starlette.testclient import TestClient

import lattice_simp as ls
from lattice_simp.serve import Limits, Tabs, create_app
from lattice_simp.serve.hindi.section import make_analyser
from lattice_simp.serve.paraphrase.expander import Expander
from lattice_simp.serve.paraphrase.section import MAX_SENTENCES
from lattice_simp.serve.simplify.marking import marked_parts
from lattice_simp.serve.simplify.section import make_simplifier
from lattice_simp.serve.workers import BusyError
from lattice_simp.support.tasks.outcome import TimeLimitError
from lattice_simp.systems.paraphrase.filters import FILTERS
from lattice_simp.systems.simplify.simplification import Substitution
from tests.serve.conftest import BASE


def client_of(monkeypatch, answers, **tabs):
    """Returns a client of an app whose processes are functions of this process."""

    async def run(pool, request):
        return answers(request)

    monkeypatch.setattr("lattice_simp.serve.workers.WorkerPool.run", run)
    return TestClient(create_app(tabs=Tabs(**tabs), limits=Limits(tokens=20)), base_url=BASE)


def test_tabs_are_those_of_the_models(tmp_path, monkeypatch):
    for models, titles in [
        ({}, ["Translate"]),
        ({"simplifier": tmp_path}, ["Translate", "Simplify"]),
        ({"simplifier": tmp_path, "hindi": tmp_path}, ["Translate", "Simplify", "Hindi clauses"]),
        ({"paraphrases": True}, ["Translate", "Paraphrase"]),
        ({"simplify": True}, ["Translate", "Simplify"]),
    ]:
        client = client_of(monkeypatch, None, **models)
        page = client.get("/translate").text
        assert re.findall(r"<li><a href=\"[^\"]*\"[^>]*>([^<]*)</a></li>", page)[: len(titles)] == titles
        assert client.get("/simplify").status_code == (200 if models.keys() & {"simplifier", "simplify"} else 404)


def test_an_english_sentence_gets_simpler(simplifier, tmp_path, monkeypatch):
    answer = make_simplifier(simplifier, 20, "bold")
    client = client_of(monkeypatch, answer, simplifier=tmp_path)
    result = client.get("/api/simplify", params={"text": "the principal man ."}).json()
    best = result["simplifications"][0]
    assert best["simple"] == "The man ."
    page = client.get("/simplify", params={"text": "the principal man ."})
    assert best["readable"] in page.text
    assert "Deleted (modifier): principal" in page.text
    assert result["simplifications"][2]["readable"] in page.text
    long = client.get("/api/simplify", params={"text": "a " * 21})
    assert (long.status_code, long.json()["error"]) == (400, "the sentence has 21 tokens; give one of 1 to 20")
    assert "<b>" not in client.get("/simplify", params={"text": "the <b>principal</b> man ."}).text


def test_no_model_is_needed_to_simplify(monkeypatch):
    client = client_of(monkeypatch, make_simplifier(None, 20), simplify=True)
    result = client.get("/api/simplify", params={"text": "Mr. Brown commenced work."}).json()
    assert result["simplifications"][0]["readable"] == "Mr. Brown started work."
    result = client.get("/api/simplify", params={"text": "Numerous shops don &apos;t sell a_b in 24/7."}).json()
    assert result["simplifications"][0]["readable"] == "Many shops don't sell a_b in 24/7."


def test_words_in_the_place_of_others_are_marked(simplifier, tmp_path, monkeypatch):
    client = client_of(monkeypatch, make_simplifier(simplifier, 20, "bold"), simplifier=tmp_path)
    text = "required to <b>"
    best, *others = client.get("/api/simplify", params={"text": text}).json()["simplifications"]
    assert best["parts"] == [{"text": "Asked to", "changed": True}, {"text": " <b>", "changed": False}]
    for each in (best, *others):
        assert "".join(part["text"] for part in each["parts"]) == each["readable"]
        assert any(part["changed"] for part in each["parts"]) == bool(each["substitutions"])
    page = client.get("/simplify", params={"text": text}).text
    assert '<p class="words" dir="auto"><ins>Asked to</ins> &lt;b&gt;</p>' in page
    assert "Replaced: required to → asked to" in page
    assert page.count("<ins>words</ins> replace others") == 1
    further = client.get("/simplify", params={"text": "the principal man ."}).text
    assert '<p class="words" dir="auto">The man .</p>' in further
    assert '<li dir="auto">The <ins>main</ins> man . <span' in further
    assert "<ins>" not in client.get("/simplify", params={"text": "the man ."}).text


def test_marks_in_text_that_readers_see():
    tokens = 'Asked , he left the " main " man .'.split()
    substitutions = [Substitution(("required",), ("asked",), 0), Substitution(("principal", "old"), ("main",), 6)]

    def marked(text, marks=substitutions):
        parts = marked_parts(text, tokens, marks)
        assert "".join(part["text"] for part in parts) == text
        return [part["text"] for part in parts if part["changed"]]

    assert marked('Asked, he left the "main" man.') == ["Asked", "main"]
    assert marked('Asked, he left the "main" man.', substitutions[1:]) == ["main"]
    assert marked("Asked, he left the «main» man.") == []  # the text is not made of the tokens
    assert marked('Asked, he left the "main"') == []
    unknown, nothing = Substitution(("a",), ("b",)), Substitution(("a",), (), 2)
    assert marked('Asked, he left the "main" man.', [unknown, nothing]) == []


def test_a_hindi_sentence_gets_its_clauses(hindi, tmp_path, monkeypatch):
    answer = make_analyser(hindi, 20)
    client = client_of(monkeypatch, answer, hindi=tmp_path)
    text = "राम आया कि सीता आया।"
    (sentence,) = client.get("/api/hindi", params={"text": text}).json()["sentences"]
    assert sentence["brackets"] == "(main राम आया (comp कि सीता आया ) । )"
    page = client.get("/hindi", params={"text": text}).text
    assert page.count('class="clause"') == 2
    assert all(entry in page for entry in sentence["simple"])
    assert client.get("/api/hindi", params={"text": "राम " * 30}).status_code == 400


SETS = "The man bought a big <b> car .\r\n\r\nThe man purchased a large <b> car yesterday ."


@pytest.fixture(scope="module")
def expander():
    pytest.importorskip("spacy", reason="spaCy is not installed (the extra 'skeletons')")
    return Expander(ls.Thesaurus.from_groups([["buy", "purchase"], ["big", "large"]]), 20)


def test_sentences_are_paraphrased(expander, monkeypatch):
    client = client_of(monkeypatch, expander, paraphrases=True)
    result = client.get("/api/paraphrase", params={"text": SETS.replace("<b> ", "")}).json()
    sentences = result["text"].split("\n")
    assert len(sentences) == 2
    settings = ls.ParaphraseSettings()
    expansion = ls.Paraphraser(settings, expander.thesaurus).expand(sentences)
    assert (result["sentences"], result["new"]) == (expansion.count, expansion.new)
    assert result["removed"] == dict(expansion.removed)
    assert {frozenset(entry["phrases"]) for entry in result["equivalent"]} == {
        frozenset(" ".join(phrase.words) for phrase in pair) for pair in expansion.grammar.pairs
    }
    texts = [entry["text"] for entry in result["listed"]]
    assert len(set(texts)) == len(texts) == expansion.new > 0
    assert not set(texts) & {" ".join(sentence) for sentence in expansion.sentences}
    for case in result["listed"]:
        assert not all(part["changed"] for part in case["parts"])
        assert " ".join(part["text"] for part in case["parts"]) == case["text"]
    marked = {
        entry["text"]: (
            entry["sentence"],
            [part["text"] for part in entry["parts"] if part["changed"]],
            entry["replacements"],
        )
        for entry in result["listed"]
    }
    large, big = {"text": "large", "replaced": "big"}, {"text": "big", "replaced": "large"}
    assert marked["The man bought a large car ."] == (1, ["large"], [large])
    assert marked["The man purchased a big car yesterday ."] == (2, ["big"], [big])
    page = client.get("/paraphrase", params={"text": SETS.replace("<b> ", "")}).text
    assert re.search(r"<ins>large</ins> car \.\s*<span class=\"cost\">sentence 1: large for big</span>", page)


def test_filters_are_switched_by_the_form(expander, monkeypatch):
    entries = []

    def answer(query):
        entries.append(query.filters)
        return expander(query)

    client = client_of(monkeypatch, answer, paraphrases=True)
    for address, filters in [
        ("", tuple(FILTERS)),
        ("&filters=&filters=mood&filters=mood", ("mood",)),
        ("&filters=", ()),
    ]:
        page = client.get(f"/paraphrase?text=A+man+slept.%0AA+man+slept+well.{address}").text
        assert entries.pop() == filters
        boxes = re.findall(r'name="filters" value="(\w+)"( checked)?', page)
        assert [name for name, checked in boxes if checked] == list(filters)
        assert page.count("removed)") == len(filters)
        (link,) = re.findall(r'href="(/api/paraphrase[^"]*)"', page)
        client.get(link.replace("&amp;", "&"))
        assert entries.pop() == filters
    wrong = client.get("/api/paraphrase?text=So.&filters=x")
    assert (wrong.status_code, "unknown filter 'x'" in wrong.json()["error"]) == (400, True)


def test_sets_are_bounded_and_escaped(expander, monkeypatch):
    client = client_of(monkeypatch, expander, paraphrases=True)
    page = client.get("/paraphrase", params={"text": SETS}).text
    assert "<b>" not in page
    assert "&lt;b&gt;" in page
    assert client.get("/paraphrase").status_code == 200
    for text, problem in [
        ("Yes.\n" * (MAX_SENTENCES + 1), f"there are {MAX_SENTENCES + 1} sentences; use at most {MAX_SENTENCES}"),
        ("so " * 21, "a sentence has 21 tokens; give sentences of at most 20"),
        ("so " * 1000, "the text has 3,000 characters; use at most 2,000"),
    ]:
        answer = client.get("/api/paraphrase", params={"text": text})
        assert (answer.status_code, answer.json()["error"]) == (400, problem)
        assert problem in client.get("/paraphrase", params={"text": text}).text


def test_numbers_of_any_size_are_exact(monkeypatch):
    facts = {"sentences": 10**40 + 1, "new": 10**40, "removed": {"mood": 10**30}, "bounded": 2, "wordnet": False}
    client = client_of(
        monkeypatch, lambda _: facts | {"given": 1, "phrases": 0, "equivalent": [], "listed": []}, paraphrases=True
    )
    page = client.get("/paraphrase", params={"text": "Yes."}).text
    assert f"{10**40 + 1:,} sentences" in page
    assert f"{10**30:,} removed" in page
    assert client.get("/api/paraphrase", params={"text": "Yes."}).json()["sentences"] == 10**40 + 1


@pytest.mark.parametrize(("error", "status"), [(BusyError("busy"), 503), (TimeLimitError(20.0), 504)])
def test_what_stops_a_request_is_reported(tmp_path, monkeypatch, error, status):
    def answer(value):
        raise error

    client = client_of(monkeypatch, answer, simplifier=tmp_path)
    page = client.get("/simplify", params={"text": "so it is"})
    assert page.status_code == status
    assert str(error) in page.text
    assert "so it is" in page.text
