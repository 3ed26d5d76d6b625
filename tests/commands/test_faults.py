"""The behaviour of every command on faults: broken input, an unwritable output, a closed pipe, Ctrl-C."""

from __future__ import annotations

import json
import os
import re
import resource
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

import numpy as np
import pytest
import typer

from lattice_simp import Lattice, cli
from lattice_simp.cli import whole_app
from lattice_simp.errors import LatticeSimpError
from lattice_simp.formats import write as write_lattice
from lattice_simp.metrics.plots import save_plot
from lattice_simp.pipeline.stage import write_json
from lattice_simp.support.array_cache import write_arrays
from lattice_simp.support.atomic import GROWING
from lattice_simp.support.textio import write_text
from lattice_simp.train.model import link_or_copy
from lattice_simp.translate.model_files import update_settings, write_weights

NBEST = "0 ||| a b ||| LM= -1 ||| -1\n0 ||| a c ||| LM= -2 ||| -2\n"
SKELETONS = '{"tokens": ["the", "house"], "skeletons": ["10"]}\n'

COMMANDS = {
    "lattice info": "IN",
    "lattice convert": "IN OUT.fst",
    "lattice lm": "IN --model MODEL/lm.arpa --name LM2 --output OUT.fst",
    "lattice gappy": "IN --output OUT.fst",
    "lattice compose": "IN IN --output OUT.nbest",
    "lattice nbest": "IN --output OUT.txt",
    "lattice prune": "IN --beam 3 --output OUT.fst",
    "lattice determinize": "IN --output OUT.fst",
    "lattice minimize": "IN --output OUT.fst",
    "lattice draw": "IN --output OUT.dot",
    "lattice union": "IN IN --output OUT.fst",
    "lattice mbr": "IN --output OUT.nbest",
    "lattice posteriors": "IN --output OUT.slf",
    "lattice confusion": "IN --output OUT.fst",
    "lattice oracle": "IN --reference TEXT",
    "lattice confidence": "IN --hypotheses TEXT --skeleton IN --output OUT.txt",
    "lattice ctm": "UTTERANCE --output OUT.ctm",
    "lattice collect": "TEXT TEXT --output OUT.nbest",
    "lattice tokens": "IN --output OUT.nbest",
    "lattice texts": "IN --output OUT.txt",
    "translate": "MODEL --input TEXT --output OUT.txt",
    "combine": "TEXT TEXT --output OUT.txt",
    "evaluate": "a=TEXT --reference TEXT --source TEXT --metrics bleu,sari --samples 10 --output OUT.txt",
    "skeleton info": "JSON",
    "skeleton convert": "JSON --output OUT.txt --to brackets",
    "skeleton score": "JSON JSON",
    "tune nbest": "IN --reference TEXT --weights MODEL/weights.tsv --output OUT.tsv",
    "tune lattices": "LATTICE --reference TEXT --weights MODEL/weights.tsv --output OUT.tsv",
    "tune weights": "MODEL --source TEXT --reference TEXT --rounds 1 --output OUT.tsv",
    "tune mbr": "MODEL --source TEXT --reference TEXT",
    "tune mixture": "ARPA --development TEXT --output OUT.arpa",
    "rescore nbest": "IN --model MODEL/lm.arpa --output OUT.nbest",
    "train": "CONFIG",
    "paraphrase expand": "TREES --trees --senses 0 --output OUT.txt",
    "paraphrase count": "TREES --trees --senses 0 --output OUT.txt",
    "paraphrase sample": "TREES --trees --senses 0 --output OUT.txt",
    "paraphrase align": "TREES --trees --senses 0 --output OUT.txt",
    "text tokenise": "TOKENS --input TEXT --output OUT.txt",
    "text detokenise": "TOKENS --input TEXT --output OUT.txt",
}
"""The arguments with which each command reads and writes; IN, TEXT, JSON and so on stand for broken files."""

NOT_HERE = {
    "demo": "reads no files",
    "doctor": "reads no files",
    "serve": "runs until it is stopped; tests/serve/test_command.py",
    "skeleton make": "its own tests break parses and models",
    "skeleton train": "likewise",
    "skeleton annotation": "its own tests break databases",
    "rescore lattices": "its own tests break lattices",
    "rescore joint": "likewise",
    "rescore train": "its own tests break corpora",
    "rescore train-neural": "needs torch",
    "rescore train-joint": "likewise",
    "simplify": "its own tests break models",
    "judge serve": "runs until it is stopped; tests/serve/test_judge.py",
    "judge sheet": "its own tests break studies",
    "judge import": "likewise, and sheets",
    "judge progress": "its own tests break studies",
    "judge export": "likewise",
    "judge analyse": "likewise",
    "corpus align": "its own tests break collections; the work of its stages stays",
    "hindi clauses": "its own tests break treebanks and models",
    "hindi classify": "likewise",
    "hindi parse": "likewise",
    "hindi simplify": "likewise",
    "hindi skeletons": "likewise",
    "hindi train": "likewise",
    "hindi evaluate": "likewise",
}
"""Commands whose inputs need more than a line to make, and the files that test them."""

GOOD = {
    "IN": NBEST,
    "TEXT": "the house\n",
    "JSON": SKELETONS,
    "UTTERANCE": "u \n0\t1\ta\t1,2,3_4\n1\n\n",
    "LATTICE": "0 1 das LM:1\n1\n",
    "CONFIG": "",
    "ARPA": "\\data\\\nngram 1=4\n\n\\1-grams:\n-9 <s>\n-0.5 the\n-0.5 house\n-0.5 </s>\n\n\\end\\\n",
    "TREES": "(NP (DT the) (NN house))\n",
}


def leaves():
    groups = typer.main.get_command(whole_app()).commands
    for name, command in groups.items():
        yield from (
            (f"{name} {entry}" for entry in getattr(command, "commands", []))
            if hasattr(command, "commands")
            else [name]
        )


def test_every_command_is_here():
    assert set(leaves()) == {*COMMANDS, *NOT_HERE}


def arguments(line, folder, model, **contents):
    """Returns the words of a command line, after writing its files."""
    words = line.split()
    for index, word in enumerate(words):
        prefix, equals, kind = word.rpartition("=")
        if kind in GOOD:
            path = folder / f"{kind.lower()}.input"
            content = contents.get(kind, GOOD[kind])
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
            words[index] = f"{prefix}{equals}{path}"
        else:
            words[index] = (
                word.replace("TOKENS", str(_with_text(folder)))
                .replace("MODEL", str(model))
                .replace("OUT", str(folder / "out"))
            )
    return words


def _with_text(folder):
    """Returns a model with text settings."""
    path = folder / "text_model"
    path.mkdir(exist_ok=True)
    settings = {"source_language": "en", "target_language": "de", "case": "lower"}
    (path / "text.json").write_text(json.dumps(settings), encoding="utf-8")
    return path


BROKEN = {
    "binary": b"\x80\x00\xff\xfe binary \x00\n",
    "no such format": "]]] ||| {{ 7\n",
    "truncated": b"\xd6\xfd\xb2\x7e\x06\x00\x00\x00vec",  # of an OpenFst file
}
MAY_BE_TEXT = {"TEXT": {"no such format"}}
"""The inputs that may be text with any characters."""

READS_TEXT = ("lattice tokens",)
"""The commands that take n-best lists or texts."""


@pytest.mark.parametrize("name", COMMANDS)
def test_broken_input_is_one_line(call, tmp_path, model, name):
    kinds = [kind for kind in GOOD if kind in COMMANDS[name].replace("=", " ").split()]
    for what, content in BROKEN.items():
        if name in READS_TEXT and what in MAY_BE_TEXT["TEXT"]:
            continue
        if all(what in MAY_BE_TEXT.get(kind, ()) for kind in kinds):
            continue
        done = call(*name.split(), *arguments(COMMANDS[name], tmp_path, model, **dict.fromkeys(kinds, content)))
        assert done.returncode in (1, 2), (what, done)
        lines = done.stderr.strip().split("\n")
        assert "Traceback" not in done.stderr, (what, done.stderr)
        assert lines[-1].startswith("lattice-simp: "), (what, lines)
        assert ".input" in done.stderr, (what, lines)
        assert not list(tmp_path.glob("out*")), what


MAY_BE_EMPTY = ("translate", "text tokenise", "text detokenise")
"""Commands that return no lines for no lines; the others report that their input is empty."""


@pytest.mark.parametrize("name", COMMANDS)
def test_empty_input_is_one_line_or_empty_output(call, tmp_path, model, name):
    done = call(*name.split(), *arguments(COMMANDS[name], tmp_path, model, **dict.fromkeys(GOOD, "")))
    assert "Traceback" not in done.stderr, done.stderr
    if name in MAY_BE_EMPTY:
        assert done.returncode == 0, done
        assert (tmp_path / "out.txt").read_bytes() == b""
        return
    lines = done.stderr.strip().split("\n")
    assert done.returncode == 2, done
    assert len(lines) == 1, lines
    assert re.match(r"lattice-simp: \S*\.input: (the file is empty|holds no fields)", lines[0]), lines
    assert not done.stdout, done.stdout
    assert not list(tmp_path.glob("out*"))


@pytest.mark.parametrize("name", [name for name, line in COMMANDS.items() if "OUT" in line])
def test_a_place_that_cannot_be_written_is_one_line(call, tmp_path, model, name):
    line = COMMANDS[name].replace("OUT", "no/such/folder/OUT")
    words = arguments(line, tmp_path, model)
    words = [str(tmp_path / word) if word.startswith("no/such") else word for word in words]
    words = [word.replace(f"no/such/folder/{tmp_path}", f"{tmp_path}/no/such/folder") for word in words]
    done = call(*name.split(), *words)
    assert done.returncode in (1, 2), done
    assert "Traceback" not in done.stderr
    assert done.stderr.strip().split("\n")[-1].startswith("lattice-simp: "), done.stderr
    assert "no/such/folder" in done.stderr, done.stderr


@contextmanager
def full_disk():
    """Limits the size of files to a few bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (8, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


LONG = {"beam": 1.0, "mbr": {"scale": 2.0}}
WRITERS = {
    "settings.json": lambda path: update_settings(path.parent, LONG),
    "weights.tsv": lambda path: write_weights(path, LONG),
    "text.json": lambda path: write_text(path, json.dumps(LONG)),
    "stage.json": lambda path: write_json(path, LONG),
    "lm.arrays": lambda path: write_arrays(path, {"costs": np.zeros(99)}),
    "rules.gz": lambda path: link_or_copy(path.with_name("other"), path),
    "1.slf": lambda path: write_lattice(Lattice.from_strings([("a b", 1.0), ("c d", 2.0)]), path),
    "plot.svg": lambda path: save_plot(_figure(), path),
}


def _figure():
    pytest.importorskip("matplotlib", reason="matplotlib is not installed (the extra 'evaluate')")
    from matplotlib.figure import Figure

    return Figure()


@pytest.mark.parametrize("name", WRITERS)
def test_a_full_disk_leaves_what_was_there(tmp_path, name):
    path = tmp_path / name
    (tmp_path / "other").write_text("a rule " * 9, encoding="utf-8")
    path.write_text("{}", encoding="utf-8")
    before = sorted(tmp_path.iterdir())
    with full_disk(), pytest.raises((OSError, LatticeSimpError)):
        WRITERS[name](path)
    assert path.read_text(encoding="utf-8") == "{}"
    assert sorted(tmp_path.iterdir()) == before
    WRITERS[name](path)
    assert path.stat().st_size > 8


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("lattice info", marks=pytest.mark.slow),
        "lattice nbest",
        pytest.param("lattice lm", marks=pytest.mark.slow),
    ],
)
def test_a_reader_that_leaves_is_no_error(program, tmp_path, model, name):
    # Long words: more than a pipe and Python's buffers (128 kB since 3.14) hold.
    (tmp_path / "list").write_text(
        "".join(f"{n} ||| a b{n:0200} ||| LMA= -1 ||| -1\n" for n in range(3000)), encoding="utf-8"
    )
    line = COMMANDS[name].split(" --output")[0].replace("IN", str(tmp_path / "list")).replace("MODEL", str(model))
    running = subprocess.Popen(
        [program.path, *name.split(), *line.split()], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    running.stdout.readline()
    running.stdout.close()
    error = running.stderr.read().decode()
    assert (running.wait(60), error) == (141, "")


def interrupted(arguments, delay):
    command = [sys.executable, "-X", "faulthandler", "-m", "lattice_simp", *arguments]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(delay)
    running.send_signal(signal.SIGINT)
    try:
        _, error = running.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        running.send_signal(signal.SIGABRT)  # faulthandler prints the stacks of all threads
        _, error = running.communicate(timeout=60)
    return running.returncode, error.decode()


def long_work(tmp_path):
    """Returns an n-best list on which every command takes long."""
    path = tmp_path / "long.nbest"
    with path.open("w", encoding="utf-8") as file:
        for sentence in range(20000):
            file.writelines(f"{sentence} ||| w{word} x{word} y ||| LMA= -1 ||| {-word}\n" for word in range(30))
    return path


@pytest.mark.slow
@pytest.mark.parametrize("name", ["lattice nbest", "lattice lm"])
def test_an_interrupt_ends_a_command_at_once(tmp_path, model, name):
    words = COMMANDS[name].replace("IN", str(long_work(tmp_path))).replace("MODEL", str(model))
    words = words.replace("OUT", str(tmp_path / "out")).replace(".fst", ".nbest").split()
    for delay in (0.3, 1.5, 4.0):
        code, error = interrupted([*name.split(), *words], delay)
        if code == -signal.SIGINT and "lattice" not in error:
            continue  # on a busy machine Python was still starting
        assert code == 130, (delay, error)
        assert "Traceback" not in error
        assert error.strip().split("\n")[-1].startswith("lattice-simp: interrupted")
        assert not os.path.exists(tmp_path / "out.nbest")


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_interrupts_at_five_moments(tmp_path, model, name):
    for delay in (0.2, 0.4, 0.7, 1.0, 1.5):
        code, error = interrupted([*name.split(), *arguments(COMMANDS[name], tmp_path, model)], delay)
        # It may have ended before; while Python starts and ends, it handles interrupts itself.
        assert code in (0, 1, 2, 130, -signal.SIGINT), (delay, code, error)
        assert "Traceback" not in error or "/lattice_simp/" not in error, (delay, error)
        assert not list(tmp_path.rglob(GROWING)), delay


def test_an_interrupt_within_a_dataclass_is_one_like_others(tmp_path):
    """Python marks it as unhandled, since it passes through exec()."""
    lines = [
        "import lattice_simp.cli as cli",
        "cli._run = lambda given, debug: exec('raise KeyboardInterrupt')",
        "cli.main(['lattice'])",
    ]
    (tmp_path / "interrupted.py").write_text("\n".join(lines), encoding="utf-8")
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, "-m", "interrupted"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": path})
    assert (done.returncode, done.stderr) == (130, "lattice-simp: interrupted\n")


def test_an_interrupt_behind_several_errors_is_one_like_others(monkeypatch, capsys):
    def run(words, *, debug):
        try:
            raise SystemError("while a function is loaded") from KeyboardInterrupt()
        except SystemError as error:
            raise SystemError("returned a result with an exception set") from error

    monkeypatch.setattr(cli, "_run", run)
    with pytest.raises(SystemExit) as ended:
        cli.main(["lattice"])
    assert (ended.value.code, capsys.readouterr().err) == (130, "lattice-simp: interrupted\n")


@pytest.mark.parametrize("raised", ["KeyboardInterrupt", "RuntimeError('in __set_name__') from KeyboardInterrupt()"])
@pytest.mark.parametrize("imported", ["lattice_simp.cli", "lattice_simp.commands.lattice"])
def test_an_interrupt_while_the_program_is_imported_is_one_line(imported, raised):
    code = (
        "import builtins, importlib, sys; from lattice_simp.__main__ import main\n"
        "def interrupted_in(own):\n"
        "    def imports(name, *rest):\n"
        f"        if name == {imported!r}:\n"
        f"            raise {raised}\n"
        "        return own(name, *rest)\n"
        "    return imports\n"
        "builtins.__import__ = interrupted_in(builtins.__import__)\n"
        "importlib.import_module = interrupted_in(importlib.import_module)\n"
        "sys.argv = ['lattice-simp', 'lattice', 'info']\n"
        "main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (130, "lattice-simp: interrupted\n")


def test_little_is_imported_before_an_interrupt_is_caught():
    code = "import sys; before = set(sys.modules); import lattice_simp.__main__; print(*set(sys.modules) - before)"
    done = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) <= {"__future__", "gc", "lattice_simp", "lattice_simp.__main__"}


def test_an_interrupted_program_unloads_no_modules():
    """A thread that the interrupt left behind may still run their compiled code."""
    script = """if True:
        import atexit, os, sys
        from lattice_simp import __main__ as program, cli

        class Module:
            def __del__(self, write=os.write):
                write(2, b"unloaded")

        def run():
            atexit.register(os.write, 2, b"closed ")
            sys.exit(code)

        code, sys.module, cli.main = int(sys.argv[1]), Module(), run
        program.main()
    """
    for code, message in ((130, "closed "), (0, "closed unloaded")):
        ended = subprocess.run([sys.executable, "-c", script, str(code)], capture_output=True, text=True, check=False)
        assert (ended.returncode, ended.stderr) == (code, message)
