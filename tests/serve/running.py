"""A server in a thread of the test's process."""

from __future__ import annotations

import threading
from contextlib import contextmanager

import uvicorn

from lattice_simp.serve.server import _config, address_of, listen


@contextmanager
def running(app):
    """Serves an app; yields the address."""
    socket = listen("127.0.0.1", 0)
    server = uvicorn.Server(_config(app, lambda: None))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [socket]}, daemon=True)
    thread.start()  # connections wait until it accepts them
    try:
        yield address_of(socket)
    finally:
        server.should_exit = True
        thread.join()
        socket.close()
