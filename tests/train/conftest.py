"""Training runs on a toy language pair."""

from __future__ import annotations

import os
import shutil
from functools import partial
from pathlib import Path

import pytest
from train.toy import write_config, write_toy_data

from lattice_simp.pipeline.stage import Run
from lattice_simp.train.config import read_config
from lattice_simp.train.pipeline import train


@pytest.fixture(scope="session")
def toy_data(tmp_path_factory) -> Path:
    """The text files, which tests must not change."""
    return write_toy_data(tmp_path_factory.mktemp("toy"))


@pytest.fixture
def configured(toy_data, tmp_path):
    """Writes a config file for the toy data; its work folder is `work` beside it."""

    def write(data=toy_data, **sections) -> Path:
        return write_config(tmp_path / "config.yaml", data, tmp_path / "work", **sections)

    return write


@pytest.fixture(scope="session")
def reported() -> dict[str, list[tuple[int, int | None]]]:
    """The progress that each stage of `trained` reported."""
    return {}


@pytest.fixture(scope="session")
def trained(toy_data, tmp_path_factory, reported) -> Path:
    """The work folder of a complete run, which tests must not change."""
    folder = tmp_path_factory.mktemp("trained")
    config = write_config(folder / "config.yaml", toy_data, folder / "work")
    run = Run(
        begin=lambda name: reported.setdefault(name, []),
        progress=lambda *arguments: [*reported.values()][-1].append(arguments),
    )
    train(read_config(config), run)
    return folder / "work"


@pytest.fixture
def trained_copy(trained, tmp_path) -> Path:
    """A copy of the complete run in the work folder of `configured`."""
    return shutil.copytree(trained, tmp_path / "work")


@pytest.fixture
def command(call):
    """Runs `lattice-simp train` in this process."""
    return partial(call, "train")


@pytest.fixture
def fails(command):
    """Runs `lattice-simp train` and returns the one line of its error."""

    def run(*arguments) -> str:
        done = command(*arguments, "--quiet")
        [line] = done.stderr.splitlines()
        assert (done.returncode, done.stdout) == (2, ""), done
        return line

    return run


@pytest.fixture
def as_a_user():
    """Skips tests of permissions that do not bind the superuser."""
    if os.geteuid() == 0:
        pytest.skip("the superuser may write anywhere")
