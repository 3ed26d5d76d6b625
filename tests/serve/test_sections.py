"""The tabs that are there where their models are given: English simplification, Hindi clauses."""

from __future__ import annotations

import re

import pytest
from small_treebank import write_bank
from starlette.testclient import TestClient

from lattice_simp.serve import Limits, create_app
from lattice_simp.serve.hindi.section import make_analyser
from lattice_simp.serve.simplify.section import make_simplifier
from lattice_simp.serve.workers import BusyError, TimeLimitError
from tests.serve.conftest import BASE


@pytest.fixture(scope="module")
def simplifier(tmp_path_factory):
    pytest.importorskip("spacy", reason="spaCy is not installed (the extra 'skeletons')")
    simplifier_model = pytest.importorskip("simplifier_model")
    return simplifier_model.write_model(tmp_path_factory.mktemp("simplifier"))


@pytest.fixture(scope="module")
def hindi(tmp_path_factory):
    pytest.importorskip("pycrfsuite", reason="python-crfsuite is not installed (the extra 'hindi')")
    from lattice_simp.hindi.formats.treebank import read_treebank
    from lattice_simp.hindi.model import HindiModel

    folder = tmp_path_factory.mktemp("hindi")
    write_bank(folder / "bank")
    HindiModel.train(folder / "model", [sentence for _, sentence in read_treebank(folder / "bank", [])])
    return folder / "model"


def client_of(monkeypatch, answers, **models):
    """Returns a client of an app whose processes are functions of this process."""

    async def run(pool, given):
        return answers(given)

    monkeypatch.setattr("lattice_simp.serve.workers.WorkerPool.run", run)
    return TestClient(create_app(limits=Limits(tokens=20), **models), base_url=BASE)


def test_tabs_are_those_of_the_models(tmp_path, monkeypatch):
    for models, titles in [
        ({}, ["Translate"]),
        ({"simplifier": tmp_path}, ["Translate", "Simplify"]),
        ({"simplifier": tmp_path, "hindi": tmp_path}, ["Translate", "Simplify", "Hindi clauses"]),
    ]:
        client = client_of(monkeypatch, None, **models)
        page = client.get("/translate").text
        assert re.findall(r"<li><a href=\"[^\"]*\"[^>]*>([^<]*)</a></li>", page)[: len(titles)] == titles
        assert client.get("/simplify").status_code == (200 if "simplifier" in models else 404)


def test_an_english_sentence_gets_simpler(simplifier, tmp_path, monkeypatch):
    answer = make_simplifier(simplifier, 20)
    client = client_of(monkeypatch, answer, simplifier=tmp_path)
    found = client.get("/api/simplify", params={"text": "the principal man ."}).json()
    best = found["simplifications"][0]
    assert best["simple"] == "The man ."
    page = client.get("/simplify", params={"text": "the principal man ."})
    assert best["readable"] in page.text
    assert "Deleted (modifier): principal" in page.text
    assert found["simplifications"][1]["readable"] in page.text
    long = client.get("/api/simplify", params={"text": "a " * 21})
    assert (long.status_code, long.json()["error"]) == (400, "the sentence has 21 tokens; give one of 1 to 20")
    assert "<b>" not in client.get("/simplify", params={"text": "the <b>principal</b> man ."}).text


def test_a_hindi_sentence_gets_its_clauses(hindi, tmp_path, monkeypatch):
    answer = make_analyser(hindi, 20)
    client = client_of(monkeypatch, answer, hindi=tmp_path)
    text = "राम आया कि सीता आया।"
    (sentence,) = client.get("/api/hindi", params={"text": text}).json()["sentences"]
    assert sentence["brackets"] == "(main राम आया (comp कि सीता आया ) । )"
    page = client.get("/hindi", params={"text": text}).text
    assert page.count('class="clause"') == 2
    assert all(own in page for own in sentence["simple"])
    assert client.get("/api/hindi", params={"text": "राम " * 30}).status_code == 400


@pytest.mark.parametrize(("error", "status"), [(BusyError("busy"), 503), (TimeLimitError("late"), 504)])
def test_what_stops_a_request_is_said(tmp_path, monkeypatch, error, status):
    def answer(given):
        raise error

    client = client_of(monkeypatch, answer, simplifier=tmp_path)
    page = client.get("/simplify", params={"text": "so it is"})
    assert page.status_code == status
    assert str(error) in page.text
    assert "so it is" in page.text
