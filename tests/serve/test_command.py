"""`lattice-simp serve` as a process: it answers, it ends on request, it reports errors."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from lattice_simp.serve.server import listen
from tests.serve.conftest import SENTENCE

COMMAND = [sys.executable, "-m", "lattice_simp", "serve", "--port", "0", "--jobs", "1"]


@contextmanager
def serving(*more):
    """Starts a server; yields its process and its address once it answers."""
    process = subprocess.Popen([*COMMAND, *more], stderr=subprocess.PIPE, text=True)
    try:
        said = ""
        for line in process.stderr:
            said += line
            if result := re.search(r"serving at (\S+) ", line):
                process.said = said
                yield process, result[1]
                return
        pytest.fail(f"the server did not start: {said}")
    finally:
        process.kill()
        process.wait()
        process.stderr.close()


def children(process):
    return [int(word) for word in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()] + [
        int(word)
        for task in Path(f"/proc/{process.pid}/task").iterdir()
        for word in (task / "children").read_text().split()
    ]


def is_running(process):
    try:
        return ") Z" not in Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False


def port_of(address):
    return int(address.rstrip("/").rpartition(":")[2])


def end(process, number, code):
    """Sends a signal; the server and its processes end long before a decoding's time limit of a minute."""
    workers = children(process)
    assert workers
    begin = time.monotonic()
    process.send_signal(number)
    assert process.wait(30) == code
    assert time.monotonic() - begin < 30
    assert "Traceback" not in process.stderr.read()
    while any(map(is_running, workers)):
        assert time.monotonic() - begin < 30
        time.sleep(0.05)


@pytest.mark.slow
def test_an_interrupt_ends_open_connections_and_what_is_computed():
    with serving() as (process, address), socket.create_connection(("127.0.0.1", port_of(address))) as busy:
        text, mask = "+".join(SENTENCE.split() * 6), "1100000000001" * 6
        query = f"/api/translate?text={text}&mask={mask}&hypotheses=1000&strategy=skeleton-first"
        busy.sendall(f"GET {query} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        time.sleep(0.5)
        end(process, signal.SIGINT, 130)
        assert not busy.recv(100).startswith(b"HTTP/1.1 200")  # it was computed still


def crowd(address):
    """Requests 200 translations at once; each is computed, or refused with a request to retry."""
    with httpx.Client(base_url=address, timeout=60, limits=httpx.Limits(max_connections=200)) as client:

        def ask(number):
            return client.get("api/translate", params={"text": f"the house {number} ."}).status_code

        with ThreadPoolExecutor(200) as threads:
            counter = Counter(threads.map(ask, range(200)))
    assert counter.keys() <= {200, 503}
    assert counter[200] > 10


@pytest.mark.slow
def test_it_answers_refuses_and_ends(tmp_path):
    with serving("--host", "0.0.0.0", "--allowed-host", "lattice.example") as (process, own_address):
        assert "exposes the server to other machines" in process.said
        assert "lattice.example" in process.said
        address = own_address.replace("0.0.0.0", "127.0.0.1")
        assert httpx.get(address, follow_redirects=True).status_code == 200
        assert httpx.get(address, headers={"host": "lattice.example"}).status_code == 307
        assert httpx.get(address, headers={"host": "evil.example"}).status_code == 400
        assert httpx.get(address + "api/skeleton", params={"mask": "10"}).json()["gap_type"] == "End"
        assert httpx.post(address + "translate", content=b"x" * 1_000_000).status_code == 413
        with socket.create_connection(("127.0.0.1", port_of(address))) as context:
            context.sendall(b"GET /translate?text=" + b"a" * 200_000)
            assert context.recv(100).startswith(b"HTTP/1.1 400")
        crowd(address)
        long = httpx.get(address + "api/translate", params={"text": "क" * 1900}).json()
        assert long["tokens"] == ["क" * 1900]
        with socket.create_connection(("127.0.0.1", port_of(address))) as idle:
            idle.sendall(b"GET /translate HTTP/1.1\r\n")  # a request that never ends
            time.sleep(0.1)
            end(process, signal.SIGTERM, 143)


@pytest.mark.slow
def test_paraphrases_are_a_tab_and_an_interface():
    pytest.importorskip("spacy", reason="spaCy is not installed (the extra 'skeletons')")
    with serving("--paraphrases", "--max-tokens", "12") as (process, address):
        text = "The man repaired the old boat.\nThe man repaired the old boat in the harbour."
        assert "Paraphrase</a>" in httpx.get(address, follow_redirects=True).text
        page = httpx.get(address + "paraphrase", params={"text": text}, timeout=30)
        result = httpx.get(address + "api/paraphrase", params={"text": text, "filters": ""}, timeout=30).json()
        assert (page.status_code, result["error"], result["given"]) == (200, None, 2)
        assert f"{result['sentences']:,} sentence" in page.text
        wrong = httpx.get(address + "api/paraphrase", params={"text": "so " * 13}, timeout=30)
        assert (wrong.status_code, wrong.json()["error"]) == (
            400,
            "a sentence has 13 tokens; give sentences of at most 12",
        )
        end(process, signal.SIGTERM, 143)


@pytest.fixture
def refused(call):
    """Runs the command in this process; returns its messages, the last line of which is the error."""

    def run(*more):
        done = call("serve", "--port", "0", "--jobs", "1", *more)
        assert done.returncode == 2
        lines = done.stderr.strip().split("\n")
        assert lines[-1].startswith("lattice-simp: ")
        return lines

    return run


def test_two_simplifiers_are_one_line(refused):
    assert "exclude each other" in refused("--simplify", "--simplifier", "model")[-1]


def test_a_port_in_use_is_one_line(refused):
    with listen("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        assert refused("--port", str(port)) == [
            f"lattice-simp: port {port} of 127.0.0.1 is in use; give another --port, or 0 for any"
        ]


def test_what_is_wrong_is_one_line(tmp_path, refused):
    assert "cannot listen on port 0 of 203.0.113.1" in refused("--host", "203.0.113.1")[0]
    assert "jobs is 0" in refused("--jobs", "0")[0]
    assert "does not exist" in refused(str(tmp_path / "none"))[-1]
    assert "none" in refused("--examples", str(tmp_path / "none"))[-1]


def test_without_the_extra_it_is_named(tmp_path):
    (tmp_path / "starlette.py").write_text("raise ModuleNotFoundError('no', name='starlette')", encoding="utf-8")
    code = "import sys; sys.path.insert(0, sys.argv.pop()); from lattice_simp.cli import main; main(['serve'])"
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == "lattice-simp: starlette is missing; pip install 'lattice-simp[serve]'\n"
