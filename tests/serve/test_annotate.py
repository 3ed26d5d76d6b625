"""The annotation tab over HTTP: forms, programs, two annotators at once, and hostile requests."""

from __future__ import annotations

import json
import re
import sqlite3
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from html import unescape

import httpx
import pytest
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.testclient import TestClient

from lattice_simp.errors import FormatError
from lattice_simp.serve import Limits, Tabs, app_of, create_app
from lattice_simp.serve.annotate.section import annotate_section
from lattice_simp.skeleton import read_skeletons
from lattice_simp.systems.annotation import AnnotationStore, Sentence, StorageError, reliability
from lattice_simp.systems.annotation.progress import Computed
from tests.serve.conftest import BASE
from tests.serve.form_reader import FormReader
from tests.serve.running import running
from tests.systems.annotation.small_store import make_store

HOSTILE = '"><script>alert(1)</script>'


@pytest.fixture
def path(quick_path):
    make_store(quick_path / "talk.db", 4, shortenings=2, checks=1).close()
    return quick_path / "talk.db"


@pytest.fixture(autouse=True)
def few_rounds(monkeypatch):
    """Estimates the reliability of annotators, which the pages show, in a tenth of the time."""
    monkeypatch.setattr(reliability, "ROUNDS", 2)


@pytest.fixture
def app(path):
    return app_of([annotate_section(path)], Limits())


@pytest.fixture
def store(path):
    with AnnotationStore(path) as context:
        yield context


class Visitor(FormReader):
    """An annotator."""

    def __init__(self, app, name=""):
        super().__init__(app, "/annotate")
        if name:
            self.post("/annotate/name", annotator=name)

    def save(self, **fields):
        return self.post("/annotate/shorten", sentence=self.field("sentence"), action="save", **fields)


def test_a_sentence_is_shortened_with_forms_alone(app, store):
    ada = Visitor(app, "Ada")
    assert 'value="Ada"' in ada.page.text
    ada.get("/annotate/shorten")
    assert ada.field("sentence") == "talk.0"
    for position in (0, 1, 0):  # the buttons of words are part of the form
        values = {"sentence": ada.field("sentence"), "deleted": ada.field("deleted"), "toggle": str(position)}
        ada.post("/annotate/shorten", **values)
    assert ada.field("deleted") == "0100"
    ada.save(deleted="0100")
    assert [(judgement.annotator, judgement.skeleton.to_mask()) for judgement in store.judgements()] == [
        ("Ada", "1011")
    ]
    assert ada.field("sentence") == "talk.1"
    assert "you, <bdi>Ada</bdi>: 1" in ada.page.text


def test_nothing_deleted_must_be_meant(app, store):
    ada = Visitor(app, "Ada")
    ada.get("/annotate/shorten")
    assert ada.save(deleted="0000").status_code == 400
    assert "no word is deleted" in ada.page.text
    assert ada.save(deleted="1111").status_code == 400
    assert "keeps no token" in ada.page.text
    assert ada.field("deleted") == "1111"  # what was marked is there yet
    assert not store.judgements()
    ada.save(deleted="0000", whole="1")
    assert store.judgements()[0].skeleton.to_mask() == "1111"


@pytest.mark.slow
def test_others_work_is_checked_undone_and_checked_again(app, store):
    for name, mask in (("Ada", "0111"), ("Bob", "1110")):
        store.shorten(name, "talk.0", mask)
    cleo = Visitor(app, "Cleo")
    cleo.get("/annotate/check")
    assert cleo.fields("shown") == ["0111", "1110"]
    assert "the old mill by" in cleo.page.text
    shown = {"sentence": "talk.0", "shown": cleo.fields("shown"), "action": "save"}
    cleo.post("/annotate/check", **shown, bad="1110")
    assert {verdict.skeleton.to_mask(): verdict.bad for verdict in store.verdicts()} == {"0111": False, "1110": True}
    assert "Nothing left to do" in cleo.page.text
    cleo.post("/annotate/check/undo")
    assert not store.verdicts()
    assert re.findall(r'value="(\d+)" checked', cleo.page.text) == ["1110"]
    cleo.post("/annotate/check", **shown)
    assert [verdict.bad for verdict in store.verdicts()] == [False, False]


def test_skipping_and_coming_back(app, store):
    ada = Visitor(app, "Ada")
    ada.get("/annotate/shorten")
    for number in range(4):
        assert ada.field("sentence") == f"talk.{number}"
        ada.post("/annotate/shorten", sentence=ada.field("sentence"), action="skip")
    assert "Nothing left to do" in ada.page.text
    ada.post("/annotate/shorten/undo")
    assert ada.field("sentence") == "talk.3"
    ada.post("/annotate/shorten/skipped")
    assert ada.field("sentence") == "talk.3"  # it was open
    ada.save(deleted="1000")
    assert ada.field("sentence") == "talk.0"
    assert not store.skips()


def test_two_annotators_at_once_lose_nothing(quick_path):
    make_store(quick_path / "many.db", 25, shortenings=2).close()
    app = app_of([annotate_section(quick_path / "many.db")], Limits())
    visitors = [Visitor(app, f"annotator {number}") for number in range(4)]

    def work(visitor):
        done = []
        visitor.get("/annotate/shorten")
        while "Nothing left" not in visitor.page.text:
            done.append(visitor.field("sentence"))
            assert visitor.save(deleted="1000").status_code == 200
        return done

    with ThreadPoolExecutor(4) as threads:
        done = list(threads.map(work, visitors))
    with AnnotationStore(quick_path / "many.db") as store:
        results = [(judgement.annotator, judgement.sentence.id) for judgement in store.judgements()]
    assert Counter(results) == Counter((f"annotator {n}", entry) for n, seen in enumerate(done) for entry in seen)
    assert Counter(second for _, second in results) == {f"talk.{n}": 2 for n in range(25)}


def test_a_form_sent_twice_is_one_judgement(app, store):
    ada = Visitor(app, "Ada")
    ada.get("/annotate/shorten")
    for _ in range(2):
        assert ada.post("/annotate/shorten", sentence="talk.0", deleted="1000", action="save").status_code == 200
    assert len(store.events()) == 1
    assert ada.post("/annotate/shorten", sentence="talk.0", deleted="1100", action="save").status_code == 400
    assert "undo that first" in ada.page.text
    assert len(store.judgements()) == 1


def test_programs(app, store):
    client = TestClient(app, base_url=BASE)

    def post(place, **fields):
        return client.post(f"/api/annotate/{place}", json=fields)

    for name, mask in (("Ada", "0111"), ("Bob", "1110")):
        arguments = post("shorten/next", annotator=name).json()
        assert arguments == {"sentence": "talk.0", "tokens": "the old mill by".split(), "skeletons": [], "earlier": []}
        assert post("shorten/judge", annotator=name, sentence="talk.0", mask=mask).json() == {"saved": True}
    assert post("check/next", annotator="Cleo").json()["skeletons"] == ["0111", "1110"]
    assert (
        post("check/judge", annotator="Cleo", sentence="talk.0", bad={"0111": True, "1110": False}).status_code == 200
    )
    assert post("shorten/skip", annotator="Cleo", sentence="talk.1").json() == {"saved": True}
    assert post("shorten/undo", annotator="Cleo").json() == {"sentence": "talk.1"}
    result = client.get("/api/annotate").json()
    assert (result["shorten"]["done"], result["check"]["done"]) == (1, 2)
    assert [annotator["name"] for annotator in result["annotators"]] == ["Ada", "Bob", "Cleo"]
    assert len(store.events()) == 5


@pytest.mark.parametrize(
    ("place", "fields", "status"),
    [
        ("shorten/judge", {"annotator": "Ada", "sentence": "talk.0", "mask": "01"}, 400),
        ("shorten/judge", {"annotator": "Ada", "sentence": "talk.0"}, 400),
        ("shorten/judge", {"annotator": "Ada", "sentence": 7, "mask": "0111"}, 400),
        ("shorten/judge", {"annotator": "\ud800", "sentence": "talk.0", "mask": "0111"}, 400),
        ("shorten/judge", ["Ada"], 400),
        ("shorten/judge", "[" * 30_000, 400),
        ("check/judge", {"annotator": "Ada", "sentence": "talk.0", "bad": {"0111": 1}}, 400),
        ("shorten/next", {"annotator": ""}, 400),
        ("shorten/burn", {"annotator": "Ada"}, 404),
        ("lengthen/next", {"annotator": "Ada"}, 404),
    ],
)
def test_requests_that_say_nothing_are_refused(app, store, place, fields, status):
    client = TestClient(app, base_url=BASE, raise_server_exceptions=False)
    body = fields if isinstance(fields, str) else json.dumps(fields)
    answer = client.post(f"/api/annotate/{place}", content=body)
    assert answer.status_code == status, answer.text
    assert list(answer.json()) == ["error"]
    assert not store.events()


def test_other_sites_and_nameless_visitors_change_nothing(app, store):
    ada = Visitor(app, "Ada")
    fields = {"sentence": "talk.0", "deleted": "1000", "action": "save"}
    for headers in (
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"origin": "http://evil.example"},
    ):
        assert ada.client.post("/annotate/shorten", data=fields, headers=headers).status_code == 403
        next_one = ada.client.post("/api/annotate/shorten/next", json={"annotator": "Ada"}, headers=headers)
        assert next_one.status_code == 403
        assert ada.client.get("/annotate/shorten", headers=headers).status_code == 403  # it would be given out
    nobody = Visitor(app)
    assert nobody.get("/annotate/shorten").url.path == "/annotate"
    assert nobody.post("/annotate/shorten", **fields).url.path == "/annotate"
    nobody.client.cookies.set("lattice_simp_annotator", "%FF%00")
    assert nobody.get("/annotate/shorten").url.path == "/annotate"
    assert not store.events()


def test_judgements_are_not_acknowledged_without_the_file(app, path):
    ada = Visitor(app, "Ada")
    values = {"annotator": "Ada", "sentence": "talk.0", "mask": "0111"}
    path.rename(path.with_name("away.db"))
    answer = ada.client.post("/api/annotate/shorten/judge", json=values)
    assert answer.status_code == 500
    assert "removed or replaced" in answer.json()["error"]
    path.with_name("away.db").rename(path)
    assert ada.client.post("/api/annotate/shorten/judge", json=values).json() == {"saved": True}


@pytest.mark.slow
def test_a_locked_file_is_reported_and_holds_no_other_page(path, monkeypatch):
    monkeypatch.setattr("lattice_simp.serve.opened.PATIENCE_S", 0.2)
    app = app_of([annotate_section(path)], Limits())
    with running(app) as address, closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")

        def ask(number):
            values = {"annotator": f"annotator {number}"}
            return httpx.post(f"{address}api/annotate/shorten/next", json=values, timeout=60)

        with ThreadPoolExecutor(60) as threads:
            wanted = [threads.submit(ask, number) for number in range(60)]
            for name in ("style.css", "drawing.css", "annotate.js"):
                assert httpx.get(f"{address}static/{name}", timeout=60).status_code == 200
            answers = [entry.result() for entry in wanted]
        assert {answer.status_code for answer in answers} == {503}
        assert answers[0].headers["retry-after"]
        assert all("lock" in answer.json()["error"] for answer in answers)
        cookies = {"lattice_simp_annotator": "Ada"}
        page = httpx.get(f"{address}annotate/shorten", cookies=cookies)
        assert (page.status_code, "locked" in page.text) == (503, True)
        other.execute("ROLLBACK")
        assert ask(0).json()["sentence"] == "talk.0"


WORKERS = """
from pathlib import Path
from lattice_simp.serve import Limits, app_of
from lattice_simp.serve.annotate.section import annotate_section
app = app_of([annotate_section(Path("talk.db"))], Limits())
"""


@contextmanager
def two_processes(folder):
    """Serves the annotations with two processes of uvicorn; yields the address once both answer."""
    command = [sys.executable, "-m", "uvicorn", "annotations:app", "--workers", "2", "--port", "0"]
    process = subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True)
    try:
        address, started = "", 0
        while not address or started < 2:
            line = process.stderr.readline()
            assert line, "the server did not start"
            address = result[1] if (result := re.search(r"running on (\S+) ", line)) else address
            started += "startup complete" in line
        yield address
    finally:
        process.terminate()
        process.wait()
        process.stderr.close()


@pytest.mark.slow
def test_open_pages_outlive_a_server_of_several_processes(path, store):
    (path.parent / "annotations.py").write_text(WORKERS, encoding="utf-8")
    browser = {"sec-fetch-site": "same-origin", "cookie": "lattice_simp_annotator=Ada"}
    with two_processes(path.parent) as address:
        page = httpx.get(f"{address}/annotate/shorten", headers=browser).text
        assert re.search('name="sentence" value="talk.0"', page)
    with two_processes(path.parent) as address:
        for number in range(4):
            fields = {"sentence": f"talk.{number}", "deleted": "1000", "action": "save"}
            answer = httpx.post(f"{address}/annotate/shorten", data=fields, headers=browser | {"origin": address})
            assert answer.status_code == 303, answer.text
    assert len(store.judgements()) == 4


def test_names_and_tokens_are_escaped(app, store):
    store.add([Sentence(HOSTILE, 9, (HOSTILE.replace(" ", ""), "b"))])
    eve = Visitor(app, HOSTILE)
    eve.get("/annotate/shorten")
    while eve.field("sentence") != HOSTILE:
        eve.save(deleted="1000")
    assert "<script>alert" not in eve.page.text
    eve.save(deleted="01")
    assert {judgement.annotator for judgement in store.judgements()} == {HOSTILE}
    assert "<script>alert" not in eve.get("/annotate").text
    assert eve.post("/annotate/name", annotator="a\x00\u200b").status_code == 400
    assert eve.post("/annotate/name", annotator="x" * 2000).status_code == 400
    assert eve.post("/annotate/shorten", sentence=HOSTILE + "2", deleted="01", action="save").status_code == 400
    assert "<script>alert" not in eve.page.text


def test_what_was_made_is_taken_out_and_in_again(app, store, tmp_path):
    for name, mask in (("Ada", "0111"), ("Bob", "1110"), ("Cleo", "0111")):
        store.shorten(name, "talk.0", mask)
    ada = Visitor(app, "Ada")
    answer = ada.get("/annotate/export/judgements.jsonl")
    assert answer.headers["content-disposition"] == 'attachment; filename="judgements.jsonl"'
    (tmp_path / "made.jsonl").write_text(answer.text, encoding="utf-8")
    record = next(read_skeletons(tmp_path / "made.jsonl"))
    assert record.annotators == ("Ada", "Bob", "Cleo")
    assert len(ada.get("/annotate/export/events.jsonl").text.splitlines()) == 3
    assert ada.get("/annotate/export/secrets.jsonl").status_code == 404


@pytest.mark.slow
def test_one_skeleton_and_how_reliable_annotators_are(app, store):
    for name in ("crowdkit", "nltk"):
        pytest.importorskip(name, reason=f"{name} is not installed (the extra 'annotation')")
    for name, mask in (("Ada", "0111"), ("Bob", "1110"), ("Cleo", "0111")):
        store.shorten(name, "talk.0", mask)
    ada = Visitor(app, "Ada")
    assert json.loads(ada.get("/annotate/export/skeletons.jsonl").text)["keep"] == ["0111"]
    result = ada.get("/api/annotate").json()
    reliability = {annotator["name"]: annotator["reliability"] for annotator in result["annotators"]}
    assert 0 < reliability["Bob"] < reliability["Ada"] == reliability["Cleo"] < 1
    assert result["missing"] is None
    page = ada.get("/annotate").text
    assert f"Krippendorff's α {result['shorten']['alpha']:.2f}" in page
    assert f"<td>{reliability['Bob']:.2f}</td></tr>" in page
    assert "no reliability" not in page


def test_reliability_is_computed_once_for_the_same_judgements(path, store, monkeypatch):
    calls = []

    def computed(judgements, verdicts):
        calls.append((len(judgements), len(verdicts)))
        return Computed(reliability={"Ada": 0.25})

    monkeypatch.setattr("lattice_simp.serve.annotate.section.computed", computed)
    ada = Visitor(app_of([annotate_section(path)], Limits()), "Ada")
    for number in (0, 1):
        store.shorten("Ada", f"talk.{number}", "0111")
        for _ in range(2):
            assert "<td>0.25</td></tr>" in ada.get("/annotate").text
            assert ada.get("/api/annotate").json()["shorten"]["judgements"] == number + 1
    store.check("Bob", "talk.0", {"0111": True})
    ada.get("/annotate")
    assert calls == [(0, 0), (1, 0), (2, 0), (2, 1)]


def test_without_the_extra_the_page_says_what_is_missing(app, store, monkeypatch):
    for name in ("crowdkit.aggregation", "nltk.metrics.agreement", "pandas"):
        monkeypatch.setitem(sys.modules, name, None)
    ada = Visitor(app, "Ada")
    assert "lattice-simp[annotation]" not in ada.page.text  # nothing is missed yet
    store.shorten("Ada", "talk.0", "0111")
    store.shorten("Bob", "talk.0", "1110")
    page = unescape(ada.get("/annotate").text)
    remedy = r"pip install 'lattice-simp\[annotation\]'"
    assert re.search(rf"Reliability and α are not available: .* is missing; {remedy}", page)
    assert "<td>0.67</td><td>–</td></tr>" in page  # F1 needs nothing
    answer = ada.get("/annotate/export/skeletons.jsonl")
    assert answer.status_code == 501
    assert "pip install 'lattice-simp[annotation]'" in unescape(answer.text)


def test_a_file_that_is_none_is_reported_when_the_server_starts(tmp_path):
    (tmp_path / "a.db").write_text("no database " * 100, encoding="utf-8")
    with pytest.raises(FormatError, match="not a database"):
        create_app(tabs=Tabs(annotations=tmp_path / "a.db"))


def test_it_is_a_tab_of_the_whole_app(path):
    client = TestClient(create_app(tabs=Tabs(annotations=path)), base_url=BASE)
    page = client.get("/annotate").text
    assert re.findall(r'<li><a href="([^"]*)"([^>]*)>', page)[:2] == [
        ("/translate", ""),
        ("/annotate", ' aria-current="page"'),
    ]
    assert "Annotate" not in TestClient(create_app(), base_url=BASE).get("/api/annotate").text


def test_it_can_be_mounted(path):
    app = Starlette(routes=[Mount("/tools", app_of([annotate_section(path)], Limits(), ["*"]))])
    client = TestClient(app, base_url=BASE)
    client.post("/tools/annotate/name", data={"annotator": "Ada"})
    answer = client.post("/tools/annotate/shorten", data={"sentence": "talk.0", "deleted": "1000"})
    assert answer.url.path == "/tools/annotate/shorten"
    assert 'value="talk.1"' in answer.text


def test_the_file_is_closed_with_the_server_and_opened_with_it_again(app, path):
    for number in range(2):
        with TestClient(app, base_url=BASE) as client:
            assert client.get("/annotate").status_code == 200, number
            assert {hypothesis.name for hypothesis in path.parent.iterdir()} > {path.name}
        assert [hypothesis.name for hypothesis in path.parent.iterdir()] == [path.name]


def test_what_cannot_be_stored_is_reported(app, monkeypatch):
    ada = Visitor(app, "Ada")
    ada.get("/annotate/shorten")

    def full(*_):
        raise StorageError("database or disk is full", path="talk.db", remedy="free some space")

    monkeypatch.setattr("lattice_simp.systems.annotation.store.AnnotationStore.shorten", full)
    assert ada.save(deleted="1000").status_code == 500
    assert "talk.db: database or disk is full (free some space)" in ada.page.text
