"""The command that shows what is installed."""

from __future__ import annotations

from importlib import metadata

import pytest

from lattice_simp.cli import main
from lattice_simp.commands import doctor


def run(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["doctor"])
    return ended.value.code, *capsys.readouterr()


def test_a_working_installation(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("LATTICE_SIMP_CACHE", str(tmp_path / "none"))
    code, out, err = run(capsys)
    assert (code, err) == (0, "")
    assert f"numpy {metadata.version('numpy')}" in " ".join(out.split())
    assert f"{tmp_path / 'none'} will be created when it is needed" in out
    assert "n-best  ready in " in out


def test_what_is_missing_is_named_with_its_remedy(capsys, monkeypatch):
    version = doctor._version
    monkeypatch.setattr(doctor, "_version", lambda name: None if name in ("pygraphviz", "pynini") else version(name))
    code, out, err = run(capsys)
    assert code == 2
    assert "pynini missing; pip install lattice-simp" in " ".join(out.split())
    assert "pip install 'lattice-simp[draw]' installs pygraphviz" in out
    assert err == "lattice-simp: lattice-simp does not work here; see the lines above that name a remedy\n"


def test_a_missing_extra_or_program_is_no_fault(capsys, monkeypatch):
    version = doctor._version
    monkeypatch.setattr(doctor, "_version", lambda name: None if name == "pygraphviz" else version(name))
    monkeypatch.setattr(doctor.shutil, "which", lambda name, **options: None)
    code, out, _ = run(capsys)
    assert code == 0
    assert "java   not found" in out


def test_a_compiler_that_fails_is_reported(capsys, monkeypatch):
    def broken(*arguments):
        raise RuntimeError("no compiler")

    monkeypatch.setattr("lattice_simp.ops.nbest.nbest", broken)
    code, out, _ = run(capsys)
    assert code == 2
    assert "RuntimeError: no compiler" in out


def test_requirements_of_this_package():
    extras = doctor.requirements()
    assert "pynini" in extras[""]
    assert extras["draw"] == ["pygraphviz"]
    assert extras["corpus"].count("mwparserfromhell") == 1


def test_the_size_of_the_cache(tmp_path):
    (tmp_path / "a").write_bytes(bytes(3 << 20))
    assert doctor._folder("models", tmp_path).state == f"{tmp_path} (1 file, 3 MiB)"
