"""Finding typed clauses in plain tokens of Hindi sentences, against the grammars of pynini."""

from __future__ import annotations

import tempfile
from itertools import islice
from pathlib import Path

from experiments.bench.figures import Figures, figure
from experiments.timing import cpu_time
from lattice_simp.grammars.hindi.bracketing import bracketing
from lattice_simp.support.textio import read_lines
from lattice_simp.systems.hindi.formats.treebank import read_treebank
from lattice_simp.systems.hindi.model import HindiModel
from lattice_simp.systems.hindi.rules import rule_clauses

TRAINED_ON = 3000
"""The number of training sentences; models trained on fewer are less certain, and slower."""

SENTENCES = 1000


def measure(shared: Path) -> Figures:
    """Tags, chunks, brackets and classifies 1,000 held-out sentences with a model; the grammars use its tags, too."""
    treebank = shared / "data" / "hindi" / "treebank"
    held_out = {line.strip() for line in read_lines(treebank / "dev-files.txt")}
    named = read_treebank(treebank / "hdtb-ssf.tar.xz", [])
    training = list(islice((sentence for name, sentence in named if name not in held_out), TRAINED_ON))
    others = read_treebank(treebank / "hdtb-ssf.tar.xz", [], only=held_out)
    tokens = [[token.form for token in sentence.without_empty.tokens] for _, sentence in islice(others, SENTENCES)]
    tokens = [forms for forms in tokens if forms]
    with tempfile.TemporaryDirectory() as folder:
        model = HindiModel.train(Path(folder), training)
        model.clauses.clauses(model.analyser.analyse(tokens[0]))
        with cpu_time() as analysing:
            sentences = [model.analyser.analyse(forms) for forms in tokens]
        with cpu_time() as grammars:
            for sentence in sentences:
                rule_clauses(sentence)
        bracketing.cache_clear()  # the grammars' brackets are features of the model
        with cpu_time() as modelled:
            for sentence in sentences:
                model.clauses.clauses(sentence)
    scale = SENTENCES / len(tokens)
    return {
        "hindi_analysing_1000_cpu_s": figure(analysing.seconds * scale, "CPU s"),
        "hindi_clauses_1000_cpu_s": figure(modelled.seconds * scale, "CPU s", grammars.seconds * scale),
    }
