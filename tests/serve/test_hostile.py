"""Any request to any address of any tab gets an answer, never a crash, and its content is never markup."""

from __future__ import annotations

import json
import re
from concurrent.futures import ThreadPoolExecutor

import pytest
from starlette.testclient import TestClient

from lattice_simp.serve import Limits, Tabs, app_of, create_app
from lattice_simp.serve.annotate.section import annotate_section
from lattice_simp.serve.hindi.section import make_analyser
from lattice_simp.serve.paraphrase.expander import make_expander
from lattice_simp.serve.simplify.section import make_simplifier
from lattice_simp.systems.annotation import AnnotationStore
from tests.serve.conftest import BASE
from tests.systems.annotation.small_store import make_store

MARKUP = '"><script>alert(1)</script><h1>'
TEXTS = [
    MARKUP,
    "{{ 70007 * 7 }} {% raw %} &lt;b&gt; %s {0}",
    "a\x00b \x08 \x1b[31m \u2028 \ufeff",
    "\u202eevil\u202c \u05e9\u05dc\u05d5\u05dd \u200f \u2066x",
    "<eps> <s> </s> [X,1] ||| - (S (NP",
    "\U0001f600 e\u0301 \u0915\u094d\u200d\u0937",
    "",
]
FORMS = {
    "/annotate/name": {"annotator": "Ada"},
    "/annotate/shorten": {"sentence": "talk.0", "deleted": "1000", "action": "save"},
    "/annotate/check": {"sentence": "talk.0", "shown": "0111", "bad": "0111", "action": "save"},
    "/annotate/shorten/undo": {},
    "/annotate/check/skipped": {},
}
PROGRAMS = {
    "next": {"annotator": "Ada"},
    "judge": {"annotator": "Ada", "sentence": "talk.0", "mask": "0111", "bad": {"0111": True}},
    "skip": {"annotator": "Ada", "sentence": "talk.0"},
    "undo": {"annotator": "Ada"},
}
NO_TEXTS = [None, 7, 1e400, True, [], {}, ["a"], {"a": {}}, "\ud800"]


@pytest.fixture
def visitor(quick_path):
    """A client of the annotation with a name."""
    make_store(quick_path / "talk.db", 4, shortenings=2, checks=1).close()
    app = app_of([annotate_section(quick_path / "talk.db")], Limits())
    with TestClient(app, base_url=BASE, raise_server_exceptions=False) as client:
        client.post("/annotate/name", data={"annotator": "Ada"})
        yield client


def require_answer(answer, sent):
    """Fails if an answer reports a bug, or is a page with markup from the request."""
    assert answer.status_code < 500, (answer.text, sent)
    assert "490049" not in answer.text, sent
    if "html" in answer.headers.get("content-type", ""):
        assert "<script>alert" not in answer.text, sent
        assert answer.text.count("<h1") == 1, sent
        assert not re.search(r"[\x00-\x08\x0b-\x1f]", answer.text), sent


def test_forms_with_anything_in_any_field(visitor):
    client = visitor
    for place, fields in FORMS.items():
        for name in fields:
            for text in [*TEXTS, "1" * 10_000]:
                require_answer(client.post(place, data=fields | {name: text}), (place, name, text))
            rest = {other: value for other, value in fields.items() if other != name}
            require_answer(client.post(place, data=rest), (place, name))
        for kind in ("application/json", "multipart/form-data; boundary=x", "text/plain"):
            headers = {"content-type": kind}
            require_answer(client.post(place, content=b"\xff\xfe--x\r\n\x00", headers=headers), (place, kind))
        for text in (*TEXTS, "http://[", "null", "://", "http://127.0.0.1:8000@evil.example"):  # says who sends it
            for header in ("sec-fetch-site", "origin"):
                answer = client.post(place, data=fields, headers={header: text.encode()})
                assert answer.status_code == 403, (header, text)


def test_programs_with_anything_in_any_field(visitor):
    client = visitor
    for action, fields in PROGRAMS.items():
        place = f"/api/annotate/shorten/{action}"
        for name in fields.keys() - {"bad"}:
            for value in NO_TEXTS:
                answer = client.post(place, content=json.dumps(fields | {name: value}))
                assert (answer.status_code, list(answer.json())) == (400, ["error"]), (action, name, value)
                assert "\n" not in answer.json()["error"]
            for text in TEXTS:
                require_answer(client.post(place, json=fields | {name: text}), (action, name, text))
        for body in (b"", b"{", b"null", b"7", b'"x"', b"[]", b"\xff\xfe", b'{"annotator": 1' + b"0" * 6000 + b"}"):
            answer = client.post(place, content=body)
            assert (answer.status_code, list(answer.json())) == (400, ["error"]), (action, body)
    for value in [*NO_TEXTS, "0111", {"0111": "yes"}, {MARKUP: True}]:
        entry = PROGRAMS["judge"] | {"bad": value}
        answer = client.post("/api/annotate/check/judge", content=json.dumps(entry))
        assert answer.status_code == 400, value


def test_a_megabyte_is_refused_everywhere(visitor):
    client = visitor
    for place in [*FORMS, *(f"/api/annotate/check/{action}" for action in PROGRAMS), "/annotate", "/nowhere"]:
        answer = client.post(place, content=b"a" * 1_000_000)
        assert (answer.status_code, answer.text) == (413, "the body is larger than 65,536 bytes"), place


@pytest.mark.slow
def test_two_hundred_judgements_at_once_leave_one(visitor, quick_path):
    client = visitor
    values = {"annotator": "Ada", "sentence": "talk.0", "mask": "0111"}

    def judge(_):
        for _ in range(100):
            status = client.post("/api/annotate/shorten/judge", json=values).status_code
            if status != 503:  # others hold the lock: "try again in a moment"
                break
        return status

    with ThreadPoolExecutor(50) as threads:
        statuses = list(threads.map(judge, range(200)))
    assert set(statuses) <= {200, 400}
    assert 200 in statuses
    assert client.get("/annotate").status_code == 200
    with AnnotationStore(quick_path / "talk.db") as store:
        assert len(store.judgements()) == 1


@pytest.fixture(scope="module")
def answers(simplifier, hindi):
    """The functions of the tabs' workers, in this process."""
    pytest.importorskip("spacy", reason="spaCy is not installed (the extra 'skeletons')")
    return {
        "simplify": make_simplifier(simplifier, 20),
        "hindi": make_analyser(hindi, 20),
        "paraphrase": make_expander(20),
    }


@pytest.mark.slow
@pytest.mark.parametrize("tab", ["simplify", "hindi", "paraphrase"])
def test_tabs_with_any_text(tab, answers, tmp_path, monkeypatch):
    async def run(pool, request):
        return answers[tab](request)

    monkeypatch.setattr("lattice_simp.serve.workers.WorkerPool.run", run)
    app = create_app(tabs=Tabs(simplifier=tmp_path, hindi=tmp_path, paraphrases=True), limits=Limits(tokens=20))
    client = TestClient(app, base_url=BASE, raise_server_exceptions=False)
    for text in [*TEXTS, "\n".join(TEXTS), "x" * 3000, "so " * 500]:
        for place in (f"/{tab}", f"/api/{tab}"):
            require_answer(client.get(place, params={"text": text}), (place, text))
            require_answer(client.get(place, params={"text": "Yes.", "filters": text, "other": text}), (place, text))
    for query in ("text=%ff%fe", "text", "text=a&text=b", "=", "text=%00", "filters=%ff&text=Yes."):
        require_answer(client.get(f"/{tab}?{query}"), query)
    assert client.post(f"/{tab}", content=b"text=a").status_code == 405
    assert client.post(f"/api/{tab}", content=b"a" * 1_000_000).status_code == 413
