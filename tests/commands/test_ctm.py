"""`lattice-simp lattice ctm`, and times from SLF to Kaldi's archives."""

from __future__ import annotations

import pytest

from lattice_simp.errors import InputWarning

KALDI = (
    "u-1 \n0\t1\tthe\t1,2,1_1_1\n1\t2\t<eps>\t0,0,1_1\n2\t3\tcat\t1,2,1_1_1_1\n2\t3\that\t2,2,1_1_1_1\n3\n\n"
    "u-2 \n0\t1\t<sil>\t0,0,1\n1\t2\ta\t1,2,1\n2\n\n"
)
SLF = "UTTERANCE=talk\nN=3 L=3\nI=0 t=2.0\nI=1 t=2.3\nI=2 t=2.9\nJ=0 S=0 E=1 W=the a=-1\n"
SLF += "J=1 S=1 E=2 W=cat a=-1\nJ=2 S=1 E=2 W=hat a=-2\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lats.txt").write_text(KALDI)
    (tmp_path / "a.slf").write_text(SLF)
    (tmp_path / "a.nbest").write_text("0 ||| a ||| ||| -1\n")
    return tmp_path


def test_archives(call, folder):
    done = call("lattice", "ctm", "lats.txt")
    assert done.stdout.splitlines() == [
        "u-1 1 0.000 0.030 the 1.0000",
        "u-1 1 0.050 0.040 cat 0.7311",
        "u-2 1 0.010 0.010 a 1.0000",
    ]
    options = ("--frame-shift", "0.03", "--scale", "0.5", "--channel", "A", "--decide", "consensus", "--ignore", "the")
    done = call("lattice", "ctm", "lats.txt", *options, "--output", "out.ctm")
    assert done.returncode == 0, done.stderr
    rows = (folder / "out.ctm").read_text().splitlines()
    assert rows == ["u-1 A 0.150 0.120 cat 0.6225", "u-2 A 0.030 0.030 a 1.0000"]


def test_one_utterance(call, folder):
    assert call("lattice", "ctm", "lats.txt", "--id", "u-2").stdout == "u-2 1 0.010 0.010 a 1.0000\n"
    expected = "talk 1 2.000 0.300 the 1.0000\ntalk 1 2.300 0.600 cat 0.7311\n"
    assert call("lattice", "ctm", "a.slf").stdout == expected
    (folder / "b c.slf").write_text(SLF.replace("UTTERANCE=talk\n", ""))
    with pytest.warns(InputWarning, match="<stdout>: blanks in names are written as '_'"):
        assert call("lattice", "ctm", "b c.slf").stdout == expected.replace("talk", "b_c")


def test_what_has_no_times_or_no_fields(call, folder):
    done = call("lattice", "ctm", "a.nbest")
    assert (done.returncode, done.stdout) == (2, "")
    assert "no times" in done.stderr
    (folder / "a.slf").write_text(SLF.replace("W=the", 'W="the old"'))
    done = call("lattice", "ctm", "a.slf")
    assert (done.returncode, "CTM cannot hold the word 'the old'" in done.stderr) == (2, True)


def test_frame_shifts_of_slf_to_kaldi(call, folder):
    (folder / "b.slf").write_text(SLF.replace("2.3", "2.32"))
    done = call("lattice", "convert", "b.slf", "b.lats", "--frame-shift", "0.02")
    assert done.returncode == 0, done.stderr
    assert "1_1" in (folder / "b.lats").read_text()
    again = call("lattice", "ctm", "b.lats", "--frame-shift", "0.02").stdout
    assert again.splitlines()[0] == "talk 1 0.000 0.320 the 1.0000"
    (folder / "many").mkdir()
    (folder / "b.slf").rename(folder / "many" / "b.slf")
    done = call(
        "lattice", "prune", "many", "--beam", "9", "--frame-shift", "0.02", "--output", "c.ark", "--to", "kaldi"
    )
    assert done.returncode == 0, done.stderr
    assert (folder / "c.ark").read_text().count("_1") == 15 + 2 * 28
    commands = {("convert", "many/b.slf", "b.fst"): 2, ("prune", "many", "--beam", "9", "--output", "b/"): 1}
    for words, code in commands.items():
        done = call("lattice", *words, "--frame-shift", "0.02")
        assert (done.returncode, "leave --frame-shift out" in done.stderr) == (code, True), done.stderr
