"""A browser without scripts, which reads pages and submits their forms."""

from __future__ import annotations

import re
from html import unescape

from starlette.testclient import TestClient

from tests.serve.conftest import BASE


class FormReader:
    """Holds the last page."""

    def __init__(self, app, start):
        self.client = TestClient(app, base_url=BASE)
        self.page = self.get(start)

    def get(self, address):
        self.page = self.client.get(address)
        return self.page

    def post(self, address, **fields):
        self.page = self.client.post(address, data=fields)
        return self.page

    def fields(self, name):
        """Returns the values of the page's fields of a name."""
        values = re.findall(rf'name="{re.escape(name)}"\s+value="([^"]*)"', self.page.text)
        return [unescape(value) for value in values]

    def field(self, name):
        """Returns the value of the first field of a name; None without one."""
        return next(iter(self.fields(name)), None)
