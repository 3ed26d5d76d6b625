"""Batches of speech lattices: commands on many Kaldi text lattices in one file, and on a folder of SLF files."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from experiments.bench.figures import Figures, command_seconds, figure

LATTICES, STATES, BRANCHES = 1_000, 61, 5
"""Artificial lattices: their number, their states, and the arcs from a state (300 in all)."""

WORDS = 2_000

BIGRAMS = 20_000

FRAMES = 7
"""The frames of 10 ms between neighbouring states."""


def measure(shared: Path) -> Figures:
    """Measures whole commands, including start and loading, after a first call that compiles."""
    with tempfile.TemporaryDirectory() as scratch:
        archive, folder, model = Path(scratch) / "lats.txt", Path(scratch) / "slf", Path(scratch) / "lm.arpa"
        write_lattices(archive, folder)
        write_model(model)
        out = Path(scratch) / "out"
        commands = {
            "kaldi_info": ["info", archive],
            "kaldi_prune": ["prune", archive, "--beam", 5, "--output", f"{out}.txt", "--to", "kaldi"],
            "kaldi_ctm": ["ctm", archive, "--scale", 0.1],
            "kaldi_lm": ["lm", archive, "--model", model, "--output", f"{out}.txt", "--to", "kaldi"],
            "slf_info": ["info", folder],
            "slf_prune": ["prune", folder, "--beam", 5, "--output", f"{out}/"],
            "slf_lm": ["lm", folder, "--model", model, "--output", f"{out}/"],
        }
        for command in (["ctm", archive, "--id", 0], ["lm", archive, "--id", 0, "--model", model]):
            command_seconds("lattice", *command)  # compiles
        unit = f"CPU s for {LATTICES:,} lattices"
        return {
            f"batch_{name}": figure(command_seconds("lattice", *command), unit) for name, command in commands.items()
        }


def write_lattices(archive: Path, folder: Path) -> None:
    """Writes the same lattices as one archive with alignments, and as SLF files."""
    rng = np.random.default_rng(1)
    folder.mkdir()
    with open(archive, "w", encoding="utf-8") as file:
        for number in range(LATTICES):
            sources = np.repeat(np.arange(STATES - 1), BRANCHES)
            steps = rng.choice([1, 1, 1, 2], len(sources))
            steps[::BRANCHES] = 1  # so that all states are on paths
            goals = np.minimum(sources + steps, STATES - 1)
            words = rng.integers(WORDS, size=len(sources))
            costs = np.round(rng.random((len(sources), 2)) * (5, 50), 4)
            arcs = list(zip(*(column.tolist() for column in (sources, goals, words, *costs.T)), strict=True))
            file.write(f"utt-{number} \n")
            for source, goal, word, graph, acoustic in arcs:
                frames = rng.integers(1, 5000, FRAMES * (goal - source)).tolist()
                file.write(f"{source}\t{goal}\tw{word}\t{graph},{acoustic},{'_'.join(map(str, frames))}\n")
            file.write(f"{STATES - 1}\t0,0,\n\n")
            lines = [f"VERSION=1.0\nUTTERANCE=utt-{number}\nN={STATES} L={len(arcs)}"]
            lines += [f"I={state} t={state * FRAMES / 100}" for state in range(STATES)]
            lines += [f"J={j} S={s} E={e} W=w{word} a={-a} l={-g}" for j, (s, e, word, g, a) in enumerate(arcs)]
            (folder / f"utt-{number}.slf").write_text("\n".join([*lines, ""]), encoding="utf-8")


def write_model(path: Path) -> None:
    """Writes a bigram language model of the lattices' words."""
    rng = np.random.default_rng(2)
    words = ["<unk>", "<s>", "</s>", *(f"w{number}" for number in range(WORDS))]
    pairs = sorted({(int(first), int(second)) for first, second in rng.integers(WORDS, size=(BIGRAMS, 2))})
    lines = ["\\data\\", f"ngram 1={len(words)}", f"ngram 2={len(pairs)}", "", "\\1-grams:"]
    lines += [f"{-2 - 2 * rng.random():.4f}\t{word}\t{-rng.random():.4f}" for word in words]
    lines += ["", "\\2-grams:"]
    lines += [f"{-2 * rng.random():.4f}\tw{first} w{second}" for first, second in pairs]
    path.write_text("\n".join([*lines, "", "\\end\\", ""]), encoding="utf-8")
