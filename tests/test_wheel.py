"""The built wheel, installed in a separate environment: one command of each kind."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

for name in ("hatchling", "pip"):
    pytest.importorskip(name, reason=f"{name} is not installed (the extra 'dev')")

pytestmark = pytest.mark.slow  # it builds the wheel twice, and installs it

ROOT = Path(__file__).parents[1]

SSF = """<Sentence id='1'>
1\t((\tNP\t<fs name='NP'>
1.1\traam\tNNP\t<fs af='raam,n,m,sg,3,d,0,0'>
1.2\tne\tPSP\t<fs af='ne,psp,,,,,,'>
\t))
2\t((\tNP\t<fs name='NP2'>
2.1\tkhaanaa\tNN\t<fs af='khaanaa,n,m,sg,3,d,0,0'>
\t))
3\t((\tVGNF\t<fs name='VGNF'>
3.1\tkhaakara\tVM\t<fs af='khaa,v,,,,,,'>
\t))
4\t((\tNP\t<fs name='NP3'>
4.1\tpaanii\tNN\t<fs af='paanii,n,m,sg,3,d,0,0'>
\t))
5\t((\tVGF\t<fs name='VGF'>
5.1\tpiyaa\tVM\t<fs af='pii,v,m,sg,3,,yaa,yA'>
\t))
</Sentence>
"""

COMMANDS = {
    "lattice": (["lattice", "convert", "a.plf", "-"], "\tc\t"),
    "skeleton": (["skeleton", "convert", "a.brackets", "--to", "masks"], "1001\n"),
    "hindi": (
        ["hindi", "classify", "a.ssf", "--system", "rules"],
        "(main raam ne (nonfin khaanaa khaakara ) paanii piyaa )",
    ),
    "hindi simplify": (
        ["hindi", "simplify", "a.ssf", "--system", "rules"],
        "raam ne khaanaa khaayaa\nraam ne paanii piyaa\n",
    ),
    "evaluate": (["evaluate", "one=a.txt", "--reference", "a.txt"], "100.0"),
}


def build(target: str, source: Path, folder: Path) -> Path:
    """Builds with hatchling itself, which needs no network."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(folder)]
    subprocess.run(command, cwd=source, check=True, capture_output=True)
    (built,) = folder.iterdir()
    return built


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    return build("wheel", ROOT, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def program(wheel, tmp_path_factory):
    """Installs only the wheel; libraries come from this environment."""
    folder = tmp_path_factory.mktemp("installed")
    venv.create(folder / "venv", with_pip=False)
    python = folder / "venv" / "bin" / "python"
    install = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-deps", "--no-index"]
    subprocess.run([*install, str(wheel)], check=True)
    ask = [str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    path = Path(subprocess.run(ask, check=True, capture_output=True, text=True).stdout.strip())
    # A folder that a .pth file names comes last, and .pth files in it (of an editable installation) are not read.
    (path / "libraries.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    work = folder / "work"
    work.mkdir()
    (work / "a.plf").write_text("((('a',0.5,1),('b',0.5,1),),(('c',1.0,1),),)\n", encoding="utf-8")
    (work / "a.brackets").write_text("so [[it is]] said\n", encoding="utf-8")
    (work / "a.ssf").write_text(SSF, encoding="utf-8")
    (work / "a.txt").write_text("the house was built yesterday .\n", encoding="utf-8")
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}

    def run(*command: str, compiled: bool = False) -> str:
        # What is newly installed has no compiled kernels yet; most commands read small inputs without any.
        path = environment if compiled else environment | {"NUMBA_DISABLE_JIT": "1"}
        done = subprocess.run(
            [str(folder / "venv" / "bin" / command[0]), *command[1:]],
            cwd=work,
            env=path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def test_the_package_is_that_of_the_wheel(program):
    said = program("python", "-c", "import lattice_simp.grammars; print(lattice_simp.grammars.__file__)")
    assert "/installed" in said
    assert str(ROOT) not in said


@pytest.mark.parametrize("kind", COMMANDS)
def test_commands(program, kind):
    command, wanted = COMMANDS[kind]
    assert wanted in program("lattice-simp", *command)


def test_the_data_of_the_demo_are_there(program):
    code = """from lattice_simp.skeleton import read_skeletons
from lattice_simp.support.tables import grammar_path
print(len(list(read_skeletons(grammar_path("demo/data/test.jsonl")))))"""
    assert program("python", "-c", code) == "200\n"


def test_commands_with_kernels(program):
    assert "arcs" in program("lattice-simp", "lattice", "info", "a.plf", compiled=True)
    said = program("lattice-simp", "demo", "--sentences", "1", "--output", "demo", compiled=True)
    assert "skeleton-first" in said


def test_a_wheel_holds_what_is_in_git_and_no_caches(wheel):
    listed = ["git", "ls-files", "grammars"]
    rooms = ("lattice_simp/serve/", "lattice_simp/skeleton/")  # with templates, scripts, a schema
    tracked = subprocess.run([*listed, *rooms], cwd=ROOT, capture_output=True, text=True, check=False)
    if tracked.returncode:
        pytest.skip("not a checkout")
    names = set(zipfile.ZipFile(wheel).namelist())
    assert names >= {f"lattice_simp/{name}" for name in tracked.stdout.split() if name.startswith("grammars/")}
    assert names >= {name for name in tracked.stdout.split() if name.startswith(rooms)}
    assert any(name.endswith("translate.html") for name in names)
    assert not [name for name in names if "__pycache__" in name or name.endswith((".nbc", ".nbi", ".pyc"))]


def test_the_wheel_of_the_sdist_is_the_same(wheel, tmp_path):
    with tarfile.open(build("sdist", ROOT, tmp_path / "sdist")) as archive:
        # Python 3.11 has filters from 3.11.4 on.
        archive.extractall(tmp_path, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
    (source,) = tmp_path.glob("lattice_simp-*")
    again = build("wheel", source, tmp_path / "again")
    assert zipfile.ZipFile(again).namelist() == zipfile.ZipFile(wheel).namelist()
