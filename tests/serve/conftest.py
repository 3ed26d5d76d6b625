"""The demo's app, with processes started once."""

from __future__ import annotations

import pytest

pytest.importorskip("starlette", reason="starlette is not installed (the extra 'serve')")
pytest.importorskip("uvicorn", reason="uvicorn is not installed (the extra 'serve')")

from starlette.testclient import TestClient

from lattice_simp.serve import Limits, create_app

SENTENCE = "the librarians published the old petition that was rejected in the garden ."
MASK = "1111110000001"
BASE = "http://127.0.0.1:8000"


@pytest.fixture(scope="package")
def demo_app():
    """The app of the demo grammar; a `TestClient` that is entered starts its processes, and leaving it stops them."""
    return create_app(limits=Limits(characters=500, tokens=30, seconds=60, waiting=4, workers=1))


@pytest.fixture(scope="package")
def client(demo_app):
    with TestClient(demo_app, base_url=BASE) as context:
        yield context


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    """Chromium, for all tests of a module."""
    from tests.serve.in_browser import chromium

    with chromium(tmp_path_factory.mktemp("browser")) as context:
        yield context


@pytest.fixture(scope="package")
def simplifier(tmp_path_factory):
    """A small simplification model."""
    pytest.importorskip("spacy", reason="spaCy is not installed (the extra 'skeletons')")
    simplifier_model = pytest.importorskip("simplifier_model")
    return simplifier_model.write_model(tmp_path_factory.mktemp("simplifier"))


@pytest.fixture(scope="package")
def hindi(tmp_path_factory):
    """A small model of Hindi clauses."""
    pytest.importorskip("pycrfsuite", reason="python-crfsuite is not installed (the extra 'hindi')")
    from small_treebank import write_bank

    from lattice_simp.systems.hindi.formats.treebank import read_treebank
    from lattice_simp.systems.hindi.model import HindiModel

    folder = tmp_path_factory.mktemp("hindi")
    write_bank(folder / "bank")
    HindiModel.train(folder / "model", [sentence for _, sentence in read_treebank(folder / "bank", [])])
    return folder / "model"
