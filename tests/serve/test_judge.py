"""The judging tab over HTTP: forms, programs, two raters at once, hostile requests, and hidden systems."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from html import unescape

import httpx
import pytest

pytest.importorskip("pydantic", reason="pydantic is not installed (the extra 'judging')")

from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.testclient import TestClient

from lattice_simp.serve import Limits, Tabs, app_of, create_app
from lattice_simp.serve.judge.section import judge_section
from lattice_simp.support.database import StorageError
from lattice_simp.systems.judging.store import JudgingStore
from tests.serve.conftest import BASE
from tests.serve.form_reader import FormReader
from tests.systems.judging.small_study import CHOICE, ERRORS, PREFERENCE, RATING, example, make_study

HOSTILE = '"><script>alert(1)</script>'


@contextmanager
def serving(path, study):
    """Yields an app of a study."""
    app = app_of([judge_section(study, path)], Limits())
    with TestClient(app, base_url=BASE):
        yield app


@pytest.fixture
def study():
    return make_study(items=4, questions=RATING | ERRORS, training=(example(0, why="The order."),))


@pytest.fixture
def path(quick_path):
    return quick_path / "a.db"


@pytest.fixture
def app(path, study):
    with serving(path, study) as result:
        yield result


class Rater(FormReader):
    """A rater."""

    def __init__(self, app, name=""):
        super().__init__(app, "/judge")
        if name:
            self.post("/judge/name", rater=name)

    def send(self, **fields):
        kept = {name: self.field(name) for name in ("position", "pressed", "marking", "answer.errors")}
        return self.post("/judge/next", **({name: text for name, text in kept.items() if text is not None} | fields))

    def save(self, fluency="3", **fields):
        return self.send(**{"answer.fluency": fluency, "action": "save"} | fields)


def judgements(path):
    with JudgingStore(path) as store:
        return [(entry.rater, dict(entry.answers)) for entry in store.judgements()]


def test_a_rater_works_from_the_first_to_the_last(app, path):
    ada = Rater(app, "Ada")
    assert "0 of 5 done" in ada.page.text
    assert "this one does not count" in ada.page.text
    ada.save("5")
    assert "Other answers were expected" in ada.page.text
    assert "The order." in ada.page.text
    ada.save("2")
    assert "expected" not in ada.page.text
    for number in (3, 4, 5):
        assert f"{number - 1} of 5 done" in ada.page.text
        ada.save(str(number))
    assert "You have judged everything" in ada.page.text
    assert [answers["fluency"] for _, answers in judgements(path)] == [5, 2, 3, 4, 5]
    ada.post("/judge/undo")
    assert re.search(r'value="5" required checked', ada.page.text)  # as it was
    ada.send(action="skip")
    assert "You have judged everything" in ada.page.text
    assert judgements(path)[-1] == ("Ada", {})


def test_without_a_script_errors_are_marked_by_forms(app, path):
    ada = Rater(app, "Ada")
    ada.save()
    ada.send(press="1")
    ada.send(press="2")
    assert ada.field("pressed") == "01100"
    ada.send(mark="meaning", **{"answer.fluency": "4"})
    assert ada.field("answer.errors") == "2-3 meaning"
    assert re.search(r'value="4" required checked', ada.page.text)  # other answers stay
    assert ada.page.text.count('class="marked"') == 2
    ada.send(press="0")
    ada.send(mark="grammar")
    ada.send(remove="1")
    assert ada.field("answer.errors") == "1 grammar"
    ada.save("4")
    assert judgements(path)[-1] == ("Ada", {"fluency": 4, "errors": ((0, 0, "grammar"),)})


def test_what_does_not_fit_is_shown_again(app, path):
    ada = Rater(app, "Ada")
    for fields, message in (
        ({"answer.fluency": ""}, "fluency: the answer is missing"),
        ({"answer.fluency": "9"}, "fluency: 9 is not a whole number from 1 to 5"),
        ({"answer.errors": "1 style"}, "errors: 'style' is not one of grammar, meaning"),
        ({"answer.errors": "x"}, "errors: 'x' marks no words"),
        ({"position": "3"}, "number 4 cannot be judged now; number 1 comes next"),
        ({"position": "99"}, "number 100 does not exist"),
        ({"position": HOSTILE}, "number 0 does not exist"),
    ):
        assert ada.save(**fields).status_code == 400, fields
        assert message in unescape(ada.page.text)
        assert "<script>alert" not in ada.page.text
        ada.get("/judge/next")
    assert judgements(path) == []
    for _ in range(2):  # a form that was sent twice
        assert ada.save("3", position="0").status_code == 200
    assert ada.save("4", position="0").status_code == 400
    assert "undo that first" in ada.page.text
    assert len(judgements(path)) == 1


def test_raters_at_once(path, study):
    with serving(path, study) as app:

        def work(name):
            rater = Rater(app, name)
            while "judged everything" not in rater.page.text:
                assert rater.save("4").status_code == 200
            return rater

        with ThreadPoolExecutor(2) as threads:
            list(threads.map(work, ("Ada", "Bob")))
        assert sorted(name for name, _ in judgements(path)) == ["Ada"] * 5 + ["Bob"] * 5
        cleo = Rater(app)
        assert cleo.post("/judge/name", rater="Cleo").status_code == 400
        assert "all 2 raters of this study have begun" in cleo.page.text
        assert cleo.get("/judge/next").url.path == "/judge"


@pytest.mark.parametrize("questions", [RATING | CHOICE | ERRORS, PREFERENCE])
def test_no_answer_of_the_server_names_a_system(path, questions):
    """Nor a check, nor the id of an item: on pages, in the interface, and in cookies."""
    names = ("quagga", "zebra")
    texts = ("a", "b")[: max(question.texts for question in questions.values())]
    study = make_study(
        items=4,
        systems=("q", "z"),
        questions=questions,
        checks=(example(0, id="okapi", texts=texts, expect={}),),
    )
    renamed = dict(zip(("q", "z"), names, strict=True))
    items = tuple(
        item.model_copy(update={"id": f"okapi {item.id}", "outputs": {renamed[s]: t for s, t in item.outputs.items()}})
        for item in study.items
    )
    study = study.model_copy(update={"systems": names, "items": items})
    answers = {"fluency": "3", "right": "right", "errors": "none", "better": "first"}
    form = {f"answer.{name}": answers[name] for name in questions} | {"action": "save"}
    values = {"fluency": 3, "right": "right", "errors": [], "better": "first"}
    with serving(path, study) as app:
        said = []
        ada = Rater(app, "Ada")
        while "judged everything" not in ada.page.text:
            said += [ada.page, ada.get("/judge"), ada.get("/judge/next")]
            ada.post("/judge/next", position=ada.field("position"), **form)
        said += [ada.page, ada.post("/judge/undo"), ada.send(position="7"), ada.get("/judge/none")]
        client = TestClient(app, base_url=BASE)
        for number in range(1, 7):
            for action, fields in (("next", {}), ("answer", {"answers": {}}), ("answer", {"answers": {
                name: values[name] for name in questions}})):  # fmt: skip
                said.append(client.post(f"/api/judge/{action}", json={"rater": "Bob", "number": number} | fields))
        assert len(said) > 20
        for answer in said:
            everything = answer.text + str(answer.headers) + str(answer.url)
            assert not re.search(r"quagga|zebra|okapi|\bcheck\b", everything), answer.url


def test_programs(app, path):
    client = TestClient(app, base_url=BASE)

    def post(action, **fields):
        return client.post(f"/api/judge/{action}", json={"rater": "Ada"} | fields).json()

    screen = post("next")
    assert (screen["number"], screen["training"], screen["texts"], screen["earlier"]) == (1, True, ["cat a"], {})
    answers = {"fluency": 2, "errors": [[0, 1, "grammar"]]}
    assert post("answer", number=1, answers=answers) == {"saved": True}
    assert post("undo") == {"number": 1}
    assert post("next")["earlier"] == answers
    assert post("skip", number=1) == {"saved": True}
    assert post("next")["number"] == 2
    for number in range(2, 6):
        post("answer", number=number, answers={"fluency": 4, "errors": []})
    assert post("next") == {"number": None}
    assert len(judgements(path)) == 5


@pytest.mark.parametrize(
    ("action", "fields", "status"),
    [
        ("answer", {"rater": "Ada", "number": 1}, 400),
        ("answer", {"rater": "Ada", "number": 1, "answers": [4]}, 400),
        ("answer", {"rater": "Ada", "number": 0, "answers": {"fluency": 4, "errors": []}}, 400),
        ("answer", {"rater": "Ada", "number": True, "answers": {"fluency": 4, "errors": []}}, 400),
        ("answer", {"rater": "Ada", "number": 10**12, "answers": {"fluency": 4, "errors": []}}, 400),
        ("answer", {"rater": "Ada", "number": 1, "answers": {"fluency": 1e999, "errors": []}}, 400),
        ("answer", {"rater": "Ada", "number": 1, "answers": {"fluency": 4, "errors": [[0, 0]]}}, 400),
        ("skip", {"rater": "Ada", "number": "1"}, 400),
        ("next", {"rater": ""}, 400),
        ("next", {}, 400),
        ("burn", {"rater": "Ada"}, 404),
    ],
)
def test_requests_that_say_nothing_are_refused(app, path, action, fields, status):
    client = TestClient(app, base_url=BASE, raise_server_exceptions=False)
    answer = client.post(f"/api/judge/{action}", content=json.dumps(fields))
    assert answer.status_code == status, answer.text
    assert list(answer.json()) == ["error"]
    assert judgements(path) == []


def test_other_sites_and_nameless_visitors_change_nothing(app, path):
    ada = Rater(app, "Ada")
    fields = {"position": "0", "answer.fluency": "4", "answer.errors": "none", "action": "save"}
    for headers in ({"sec-fetch-site": "cross-site"}, {"origin": "http://evil.example"}):
        for address in ("/judge/next", "/judge/undo", "/judge/name"):
            assert ada.client.post(address, data=fields, headers=headers).status_code == 403
    nobody = Rater(app)
    for address in ("/judge/next", "/judge/undo"):
        assert nobody.post(address, **fields).url.path == "/judge"
    assert judgements(path) == []


def test_names_and_texts_are_escaped(path):
    study = make_study(items=1, title=HOSTILE, instructions=HOSTILE, questions=ERRORS)
    texts = dict.fromkeys("ab", HOSTILE.replace(" ", ""))
    study = study.model_copy(
        update={"items": (study.items[0].model_copy(update={"source": HOSTILE, "outputs": texts}),)}
    )
    with serving(path, study) as app:
        eve = Rater(app, HOSTILE)
        for page in (
            eve.page,
            eve.get("/judge"),
            eve.get("/judge/next"),
            eve.send(press="0"),
            eve.send(mark="grammar"),
        ):
            assert "<script>alert" not in page.text
            assert "&lt;script&gt;alert" in page.text
        assert eve.post("/judge/name", rater="a\x00\u200b").status_code == 400


def test_it_can_be_mounted(path, study):
    app = Starlette(routes=[Mount("/tools", app_of([judge_section(study, path)], Limits(), ["*"]))])
    client = TestClient(app, base_url=BASE)
    assert client.post("/tools/judge/name", data={"rater": "Ada"}).url.path == "/tools/judge/next"
    answers = {"position": "0", "answer.fluency": "3", "answer.errors": "none"}
    assert "1 of 5 done" in client.post("/tools/judge/next", data=answers).text


def test_it_is_a_tab_of_the_whole_app(folder):
    client = TestClient(create_app(tabs=Tabs(study=folder / "study.yaml")), base_url=BASE)
    assert "A study" in client.get("/judge").text
    assert re.findall(r'<li><a href="([^"]*)"', client.get("/judge").text) == ["/translate", "/judge"]
    assert (folder / "study.db").exists()


def test_a_file_of_another_study_is_reported_when_the_server_starts(path, study):
    judge_section(study, path).services[0].close()
    with pytest.raises(StorageError, match="another version of the study"):
        judge_section(make_study(items=7), path)


# ---------------------------------------------------------------- the server as a process


@pytest.fixture
def folder(tmp_path):
    """A study of 300 outputs."""
    (tmp_path / "a.txt").write_text("".join(f"output {number}\n" for number in range(300)), encoding="utf-8")
    lines = ["title: A study", "systems: {a: a.txt}", "questions:", "  right: {kind: choice, ask: Is it right}"]
    (tmp_path / "study.yaml").write_text("\n".join([*lines, "raters: 2"]), encoding="utf-8")
    return tmp_path


@contextmanager
def judging(folder):
    """Starts the command; yields its process and its address once it answers."""
    command = [sys.executable, "-m", "lattice_simp", "judge", "serve", "study.yaml", "--port", "0"]
    process = subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True)
    try:
        address = next(found[1] for line in process.stderr if (found := re.search(r"serving at (\S+) ", line)))
        yield process, address
    finally:
        process.kill()
        process.wait()
        process.stderr.close()


@pytest.mark.slow
def test_a_killed_server_loses_nothing_that_raters_have_saved(folder):
    acknowledged = {"Ada": 0, "Bob": 0}

    def rate(address, process, name, last):
        try:
            with httpx.Client(base_url=address, cookies={"lattice_simp_rater": name}) as client:
                for position in range(acknowledged[name], 300):
                    fields = {"position": str(position), "answer.right": "right" if position % 3 else "wrong"}
                    if client.post("/judge/next", data=fields).status_code != 303:
                        return
                    acknowledged[name] = position + 1
                    if position == last:
                        process.send_signal(signal.SIGKILL)
        except httpx.TransportError:
            return

    for last in (17, 41):
        with judging(folder) as (process, address), ThreadPoolExecutor(2) as threads:
            list(threads.map(lambda name, last=last: rate(address, process, name, last), acknowledged))
        with JudgingStore(folder / "study.db") as store:
            for standing in store.standings():
                assert acknowledged[standing.rater] <= standing.done <= acknowledged[standing.rater] + 1
                acknowledged[standing.rater] = standing.done
    assert max(acknowledged.values()) > 40
    for name, count in acknowledged.items():
        answers = [answers["right"] for rater, answers in judgements(folder / "study.db") if rater == name]
        assert answers == ["right" if position % 3 else "wrong" for position in range(count)]


def test_the_server_ends_on_request(folder):
    with judging(folder) as (process, address):
        assert httpx.get(address, follow_redirects=True).status_code == 200
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130
    assert sorted(path.name for path in folder.iterdir()) == ["a.txt", "study.db", "study.yaml"]
