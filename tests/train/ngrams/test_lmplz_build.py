"""Building lmplz: what is missing is told in one line."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from lattice_simp.errors import LatticeSimpError
from lattice_simp.train.ngrams import lmplz_build


@pytest.fixture
def fake_tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder whose programs come before all others."""
    folder = tmp_path / "tools"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return folder


def make_script(path: Path, body: str) -> None:
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)


def make_source(folder: Path) -> Path:
    folder.mkdir()
    (folder / "CMakeLists.txt").write_text("find_package(Boost 1.41.0 REQUIRED COMPONENTS\n system\n thread)\n")
    return folder


def test_a_builder_without_an_index(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fake_tools: Path, capsys: pytest.CaptureFixture
) -> None:
    make_script(fake_tools / "cmake", "exit 1")
    for name in ("PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_INDEX_URL", (tmp_path / "no-index").as_uri())
    assert lmplz_build.main(["--to", str(tmp_path / "bin")]) == 1
    error = capsys.readouterr().err
    assert error.startswith("error: fetching setuptools failed: the package index has no sources")
    assert error.count("\n") == 1
    assert "No matching distribution" in (tmp_path / "bin" / lmplz_build.LOG).read_text()
    assert [path.name for path in (tmp_path / "bin").iterdir()] == [lmplz_build.LOG]


def test_a_builder_without_cmake(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    assert lmplz_build.main(["--to", str(tmp_path / "bin")]) == 1
    assert capsys.readouterr().err.startswith("error: cmake is not there")


@pytest.mark.parametrize(
    ("said", "message"),
    [
        (
            "CMake Error: Could NOT find Boost (missing: Boost_INCLUDE_DIR thread)",
            "Boost is not there .*libboost-thread",
        ),
        ('Could not find a package configuration file provided\n  by "boost_thread"', "Boost is not there"),
        ("No CMAKE_CXX_COMPILER could be found.", r"a C\+\+ compiler or make is not there"),
        ("CMake was unable to find a build program corresponding to Unix Makefiles", r"a C\+\+ compiler or make"),
        ("CMake 3.10 or higher is required.  You are running version 3.5", "cmake is too old"),
        ("Found Boost: /usr/lib/BoostConfig.cmake", "status 1"),
    ],
)
def test_a_builder_whose_configuration_fails(tmp_path: Path, fake_tools: Path, said: str, message: str) -> None:
    make_script(fake_tools / "cmake", f"cat <<'END'\n{said}\nEND\nexit 1")
    with pytest.raises(LatticeSimpError, match=f"^configuring failed: {message}.*; the log is "):
        lmplz_build.compile_programs(
            make_source(tmp_path / "source"), tmp_path, str(fake_tools / "cmake"), tmp_path / "log"
        )
    assert said in (tmp_path / "log").read_text()


def test_a_step_that_takes_too_long_ends_with_all_it_started(tmp_path: Path) -> None:
    command = ["sh", "-c", f"(sleep 2; touch {tmp_path}/late) & sleep 60"]
    with pytest.raises(LatticeSimpError, match="compiling took more than 1 seconds"):
        lmplz_build.run(lmplz_build.Step("compiling", command, 1, {}), tmp_path / "log")
    time.sleep(1.5)
    assert not (tmp_path / "late").exists()


def test_a_folder_that_cannot_be_made(tmp_path: Path, fake_tools: Path, capsys: pytest.CaptureFixture) -> None:
    make_script(fake_tools / "cmake", "exit 1")
    (tmp_path / "file").write_text("")
    assert lmplz_build.main(["--to", str(tmp_path / "file" / "bin")]) == 1
    assert "choose another folder with --to" in capsys.readouterr().err
