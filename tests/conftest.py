"""Fixtures of the whole suite."""

from __future__ import annotations

import doctest
import gc
import io
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from _pytest.doctest import DoctestModule
from hypothesis import settings
from inline_tasks import inline_batch

from lattice_simp.cli import main
from lattice_simp.errors import MissingExtraError
from lattice_simp.support.array_cache import CACHE_VARIABLE
from lattice_simp.support.tasks import batch, run_batch
from lattice_simp.train.ngrams.estimate import find_lmplz

# A busy machine must not fail tests.
settings.register_profile("lattice_simp", deadline=None, max_examples=50)
settings.load_profile("lattice_simp")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as for background jobs of a shell, which inherit it
    signal.signal(signal.SIGINT, signal.default_int_handler)


SLOW = {"nltk", "numba", "scipy", "spacy", "transformers"}
"""Libraries that collection, which each process repeats, should not import."""

_loaded = set[str]()

Done = subprocess.CompletedProcess[str]


@pytest.fixture
def loaded_by_collection() -> set[str]:
    return _loaded


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Exempts what collection creates, millions of lasting objects, from garbage collection."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()
        _loaded.update(SLOW & sys.modules.keys())


class Examples:
    """Hooks for the examples of all folders; those of this file itself apply to tests alone."""

    @pytest.hookimpl(wrapper=True)
    def pytest_collect_file(self, file_path: Path) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
        """Skips the search for examples in files without any, which would take seconds in all."""
        collectors = yield
        if file_path.suffix != ".py" or ">>> " in file_path.read_text(encoding="utf-8"):
            return collectors
        return [collector for collector in collectors if not isinstance(collector, DoctestModule)]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self) -> Generator[None, object, object]:
        """Skips examples that need a package or a program which is not installed."""
        try:
            return (yield)
        except doctest.UnexpectedException as error:
            if isinstance(error.exc_info[1], MissingExtraError):
                pytest.skip(str(error.exc_info[1]))
            raise


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Examples())


@pytest.fixture(scope="session", autouse=True)
def cache_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Keeps parsed models out of the user's cache."""
    folder = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(CACHE_VARIABLE, str(folder))
        yield folder


@pytest.fixture(scope="session", autouse=True)
def inline_workers() -> Iterator[None]:
    """Runs tasks for one worker in the tests' process; `workers` starts a process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(batch, "run_batch", inline_batch)
        yield


@pytest.fixture
def workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs tasks for one worker in a worker process."""
    monkeypatch.setattr(batch, "run_batch", run_batch)


@pytest.fixture
def lmplz() -> None:
    """Skips tests that estimate language models where KenLM's program is not built."""
    try:
        find_lmplz()
    except MissingExtraError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of shared development data beside the repository."""
    folder = Path(__file__).resolve().parents[2] / "shared"
    if not folder.is_dir():
        pytest.skip(f"no shared development data at {folder}")
    return folder


@pytest.fixture
def grammar_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that stands for `grammars/` while the test runs."""
    monkeypatch.setattr("lattice_simp.support.tables.resources.files", lambda package: tmp_path)
    for name in ("demo", "english", "hindi"):
        (tmp_path / name).mkdir()
    return tmp_path


@pytest.fixture
def quick_path(tmp_path: Path) -> Iterator[Path]:
    """A folder in memory if possible, for tests that would wait for the disk at each step."""
    memory = Path("/dev/shm")
    if not memory.is_dir():
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        yield Path(folder)


@pytest.fixture(scope="session")
def program() -> Callable[..., Done]:
    """Runs `lattice-simp` in a new process."""
    path = Path(sys.executable).parent / "lattice-simp"

    def run(*arguments: object, stdin: str = "", check: bool = True, **options: Any) -> Done:
        done = subprocess.run(
            [path, *map(str, arguments)], input=stdin, capture_output=True, text=True, check=False, **options
        )
        if check:
            assert done.returncode == 0, done.stderr
        return done

    run.path = path  # type: ignore[attr-defined]
    return run


@pytest.fixture
def call(capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch) -> Callable[..., SimpleNamespace]:
    """Runs `lattice-simp` in this process, which is quicker (`translate` still starts its workers)."""

    def run(*arguments: object, stdin: str | bytes = "") -> SimpleNamespace:
        data = stdin if isinstance(stdin, bytes) else stdin.encode()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        out, err = capfdbinary.readouterr()
        return SimpleNamespace(returncode=ended.value.code, stdout=out.decode(), stderr=err.decode())

    return run
