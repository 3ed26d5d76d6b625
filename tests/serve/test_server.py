"""The server in this process: signals that Python only prints."""

from __future__ import annotations

import os
import signal
import threading

import pytest

pytest.importorskip("uvicorn", reason="the server is not installed (the extra 'serve')")

from starlette.applications import Starlette

from lattice_simp.serve.server import listen, run


class Raising:
    def __init__(self, number):
        self.number = number

    def __del__(self):
        signal.raise_signal(self.number)


class Service:
    """Raises a signal while it starts."""

    def __init__(self, number):
        self.number = number

    def start(self):
        Raising(self.number)

    def close(self):
        pass


@pytest.fixture
def app():
    app = Starlette()
    app.state.services = []
    return app


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("where", ["start", "ready"])
@pytest.mark.parametrize(("number", "raised"), [(signal.SIGINT, KeyboardInterrupt), (signal.SIGTERM, SystemExit)])
def test_a_signal_while_an_object_is_destroyed_ends_the_server(app, number, raised, where):
    app.state.services = [Service(number)] if where == "start" else []
    other = {signal.SIGINT: signal.SIGTERM, signal.SIGTERM: signal.SIGINT}[number]
    late = threading.Timer(60, os.kill, [os.getpid(), other])
    late.start()
    with pytest.raises(raised):
        run(app, listen("127.0.0.1", 0), ready=lambda: Raising(number) and None if where == "ready" else None)
    late.cancel()


def test_it_is_ready_when_it_handles_signals(app):
    """A signal between the message and the server's first step left a traceback."""
    handlers = []

    def ready():
        handlers.append(signal.getsignal(signal.SIGINT).__name__)
        signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        run(app, listen("127.0.0.1", 0), ready=ready)
    assert handlers == ["handle_exit"]
