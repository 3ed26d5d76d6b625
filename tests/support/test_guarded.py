"""Damaged files for libraries that crash: refused with one line, whatever bytes are damaged."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from lattice_simp import LanguageModel
from lattice_simp.errors import FormatError
from lattice_simp.support import guarded
from lattice_simp.support.crfsuite import train_tagger

BINARIES = Path(__file__).parents[1] / "lm" / "data"

SCRIPTS = {
    "crashes on it": ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", 60.0),
    "does not finish": ("while True: pass", 0.5),
    "cannot load it: no good": ("print('no good'); raise SystemExit(3)", 60.0),
}
"""The scripts and their time limits in seconds."""


@pytest.mark.parametrize("message", SCRIPTS)
def test_what_a_library_does_with_a_file_becomes_one_line(tmp_path, monkeypatch, message):
    text, seconds = SCRIPTS[message]
    monkeypatch.setattr(guarded, "SECONDS", seconds)
    (tmp_path / "file").write_bytes(b"x")
    script = tmp_path / "script.py"
    script.write_text(text)
    with pytest.raises(FormatError, match=rf"file: .*{message}.* \(do something\)"):
        guarded.check_in_child(tmp_path / "file", script, library="It", remedy="do something")


def test_a_file_is_checked_once_and_again_when_it_changes(tmp_path):
    path, script, log = tmp_path / "file", tmp_path / "script.py", tmp_path / "log"
    script.write_text(f"open({str(log)!r}, 'a').write('x')")
    for content, count in ((b"a", 1), (b"a", 1), (b"b", 2)):
        if not path.exists() or path.read_bytes() != content:
            path.write_bytes(content)
        guarded.check_in_child(path, script, library="It", remedy="")
        assert len(log.read_text()) == count


def test_a_missing_file(tmp_path):
    with pytest.raises(FormatError, match="no-such-file: cannot be read: No such file"):
        guarded.check_in_child(tmp_path / "no-such-file", tmp_path / "script.py", library="It", remedy="")


def damaged(whole: bytes, rng: random.Random) -> bytes:
    """Returns a file with some damage: bits, a block of zeros or ones, or a cut."""
    data = bytearray(whole)
    kind = rng.randrange(3)
    if kind == 0:
        for _ in range(rng.choice([1, 8, 64])):
            data[rng.randrange(60, len(data))] ^= 1 << rng.randrange(8)
    elif kind == 1:
        begin = rng.randrange(60, len(data))
        data[begin : begin + rng.choice([4, 16, 256])] = rng.choice([b"\0", b"\xff"]) * min(16, len(data) - begin)
    else:
        del data[rng.randrange(60, len(data)) :]
    return bytes(data)


def run(script: str, paths: list[Path]) -> None:
    """Runs Python in a process that may crash."""
    command = [sys.executable, "-c", script, *map(str, paths)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, (done.returncode, done.stderr)


LOADING = """
import sys
from lattice_simp import LanguageModel
from lattice_simp.errors import FormatError
for path in sys.argv[1:]:
    try:
        model = LanguageModel.read(path)
        model.score("a b c zz")
    except FormatError as error:
        assert str(error).count("\\n") == 0
"""


@pytest.mark.parametrize(
    "kind", ["probing", *(pytest.param(kind, marks=pytest.mark.slow) for kind in ("trie", "quantised"))]
)
def test_damaged_kenlm_binaries_do_not_crash_the_caller(tmp_path, kind):
    whole = (BINARIES / f"tiny.{kind}.binary").read_bytes()
    paths = []
    for seed in (0, 7, 19, 26, 27, 51):  # without a check, KenLM crashes on some of them
        paths.append(tmp_path / f"{seed}.binary")
        paths[-1].write_bytes(damaged(whole, random.Random(f"{kind}{seed}")))
    done = subprocess.run(
        [sys.executable, "-c", LOADING, *map(str, paths)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_whole_kenlm_binaries_pass(tmp_path):
    for kind in ("probing", "trie", "quantised"):
        path = shutil.copy(BINARIES / f"tiny.{kind}.binary", tmp_path / kind)
        assert LanguageModel.read(path).order > 1


def test_kenlm_binaries_know_the_words_that_they_list(tmp_path):
    path = tmp_path / "damaged.binary"
    path.write_bytes((BINARIES / "tiny.trie.binary").read_bytes().replace("été".encode(), b"house"))
    with pytest.raises(FormatError, match=r"damaged.binary: .* lists the word house, and does not know it"):
        LanguageModel.read(path)


def test_damaged_crfsuite_models_do_not_crash_the_caller(tmp_path):
    pytest.importorskip("pycrfsuite")
    path = tmp_path / "whole"
    examples = [([[f"w{i}".encode(), b"x"], [f"v{i}".encode()]], ["A", "BC"[i % 2]]) for i in range(40)]
    train_tagger(path, examples, {}, extra_name="hindi")
    whole = path.read_bytes()
    rng = random.Random(5)
    script = "import sys; from lattice_simp.support.crfsuite import open_tagger\n"
    script += "for path in sys.argv[1:]:\n"
    script += "    try: open_tagger(path, extra_name='hindi', remedy='').tag([['w1', 'x']])\n"
    script += "    except ValueError as error: assert type(error).__name__ == 'FormatError', repr(error)\n"
    paths = []
    for number in range(15):
        data = bytearray(whole)
        for _ in range(rng.choice([1, 4, 32])):
            data[rng.randrange(8, len(data))] = rng.choice([0, 255, rng.randrange(256)])
        paths.append(tmp_path / str(number))
        paths[-1].write_bytes(bytes(data))
    run(script, paths)
