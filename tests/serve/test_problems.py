"""Reports of broken requests, and of requirements that the server lacks."""

from __future__ import annotations

import pytest

from lattice_simp.errors import LatticeSimpError, MissingExtraError
from lattice_simp.serve.hindi.section import make_analyser
from lattice_simp.serve.pages import problem
from lattice_simp.serve.problems import require_no_problem
from lattice_simp.systems.hindi.model import HindiModel


class Failing:
    """A model whose analyser fails."""

    def __init__(self, error):
        self.error = error

    def analyser(self, text):
        raise self.error


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (MissingExtraError("needs the Indic NLP Library; pip install 'lattice-simp[hindi]'"), 501),
        (LatticeSimpError("too long"), 400),
    ],
)
def test_what_the_server_lacks_is_no_fault_of_the_request(error, status, monkeypatch, tmp_path):
    monkeypatch.setattr(HindiModel, "load", lambda path, **options: Failing(error))
    answer = make_analyser(tmp_path, 100)("a text")
    with pytest.raises(type(error)) as raised:
        require_no_problem(answer)
    message, second, headers = problem(raised.value)
    assert (message, second, headers) == (str(error), status, {})


def test_an_answer_passes():
    require_no_problem({"sentences": []})
