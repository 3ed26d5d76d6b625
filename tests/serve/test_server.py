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


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize(("number", "raised"), [(signal.SIGINT, KeyboardInterrupt), (signal.SIGTERM, SystemExit)])
def test_a_signal_while_an_object_is_destroyed_ends_the_server(number, raised):
    app = Starlette()
    app.state.services = []
    other = {signal.SIGINT: signal.SIGTERM, signal.SIGTERM: signal.SIGINT}[number]
    late = threading.Timer(60, os.kill, [os.getpid(), other])
    late.start()
    with pytest.raises(raised):
        run(app, listen("127.0.0.1", 0), ready=lambda: Raising(number) and None)
    late.cancel()
