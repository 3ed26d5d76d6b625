"""The command that shows what is installed."""

from __future__ import annotations

from importlib import metadata

from lattice_simp.commands import doctor


def test_a_working_installation(call, monkeypatch, tmp_path):
    monkeypatch.setenv("LATTICE_SIMP_CACHE", str(tmp_path / "none"))
    done = call("doctor")
    assert (done.returncode, done.stderr) == (0, "")
    assert f"numpy {metadata.version('numpy')}" in " ".join(done.stdout.split())
    assert f"{tmp_path / 'none'} will be created when it is needed" in done.stdout
    assert "n-best  ready in " in done.stdout


def test_what_is_missing_is_named_with_its_remedy(call, monkeypatch):
    version = doctor._version
    monkeypatch.setattr(doctor, "_version", lambda name: None if name in ("pygraphviz", "pynini") else version(name))
    done = call("doctor")
    assert done.returncode == 2
    assert "pynini missing; pip install lattice-simp" in " ".join(done.stdout.split())
    assert "pip install 'lattice-simp[draw]' installs pygraphviz" in done.stdout
    assert done.stderr == "lattice-simp: lattice-simp does not work here; see the lines above that name a remedy\n"


def test_a_missing_extra_or_program_is_no_fault(call, monkeypatch):
    version = doctor._version
    monkeypatch.setattr(doctor, "_version", lambda name: None if name == "pygraphviz" else version(name))
    monkeypatch.setattr(doctor.shutil, "which", lambda name, **options: None)
    done = call("doctor")
    assert done.returncode == 0
    assert "java   not found" in done.stdout


def test_a_compiler_that_fails_is_reported(call, monkeypatch):
    def broken(*arguments):
        raise RuntimeError("no compiler")

    monkeypatch.setattr("lattice_simp.ops.nbest.nbest", broken)
    done = call("doctor")
    assert done.returncode == 2
    assert "RuntimeError: no compiler" in done.stdout


def test_requirements_of_this_package():
    extras = doctor.requirements()
    assert "pynini" in extras[""]
    assert extras["draw"] == ["pygraphviz"]
    assert extras["corpus"].count("mwparserfromhell") == 1


def test_the_size_of_the_cache(tmp_path):
    (tmp_path / "a").write_bytes(bytes(3 << 20))
    assert doctor._folder("models", tmp_path).state == f"{tmp_path} (1 file, 3 MiB)"
