"""`python -m experiments.constrained`: terms and skeletons in the texts of a language model, by search and by masks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import lattice_simp as ls
from experiments.constrained.model import Gemma, lines_of
from experiments.constrained.report import FREE, SYSTEMS, page
from experiments.experiment import Experiment, Results, program
from experiments.timing import cpu_time
from lattice_simp.core.kernel import Floats, Longs
from lattice_simp.support.extras import extra
from lattice_simp.support.tables import Row, read_table


@dataclass(frozen=True)
class Sentence:
    """A sentence with the constraints on its translation: forms of terms in order, and skeletons with costs."""

    source: str
    terms: list[list[str]]
    skeletons: list[tuple[str, float]]

    @classmethod
    def of(cls, row: Row) -> Sentence:
        """Reads a row of the table."""
        skeletons = [part.strip().split("=") for part in row["skeletons"].split("|")]
        return cls(
            row["source"],
            [term.strip().split("|") for term in row["terms"].split(";")],
            [(text, float(cost)) for text, cost in skeletons],
        )

    def acceptors(self) -> dict[str, ls.GappyAcceptor]:
        """Returns the acceptor of each kind of constraint."""
        return {"terms": ls.term_acceptor(self.terms), "skeleton": ls.gappy_acceptor(self.skeletons)}


def constrained(experiment: Experiment) -> Results:
    """Translates the sentences with all systems, and measures."""
    config = experiment.settings()
    sentences = [Sentence.of(row) for row in read_table(Path(config["sentences"]), ("source", "terms", "skeletons"))]
    with extra("causal"):
        gemma = Gemma.load(Path(config["work"]), lines_of(Path(config["data"]) / name for name in config["pieces"]))
    rows: dict[str, list[dict[str, Any]]] = {system: [] for system in SYSTEMS}
    for sentence in sentences[: config["count"]]:
        for system, row in translations(gemma, sentence, config).items():
            rows[system].append(row)
    figures = {
        "sentences": len(rows[FREE]),
        "pieces": len(gemma.pieces),
        "systems": {system: means(rows[system], rows[FREE]) for system in SYSTEMS},
        "examples": [{system: rows[system][number]["text"] for system in SYSTEMS} for number in range(3)],
    }
    return Results("Constrained beam search with a language model", figures, page(figures, config))


def translations(gemma: Gemma, sentence: Sentence, config: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Returns the translation of a sentence by each system."""
    constraints = {
        kind: ls.TokenConstraint.of(acceptor, gemma.tokens, gemma.ends)
        for kind, acceptor in sentence.acceptors().items()
    }
    pairs = [*config["examples"], [sentence.source, ""]]
    prompt = "\n\n".join(f"English: {english}\nFrench: {french}".rstrip() for english, french in pairs)
    figures = {}
    for system, (kind, is_search) in SYSTEMS.items():
        constraint = constraints.get(kind)
        step: Callable[[Longs], Floats] = gemma.step(prompt)
        sizes = {"beam": config["beam"], "max_tokens": config["max_tokens"]}
        with cpu_time() as timer:
            if constraint is not None and is_search:
                texts = ls.constrained_beam_search(step, constraint, **sizes)
            else:
                step = step if constraint is None else partial(_masked, step, constraint)
                texts = ls.constrained_beam_search(step, **sizes, eos=gemma.ends)
        tokens = texts[0].tokens if texts else ()
        figures[system] = {
            "seconds": timer.seconds,
            "ended": bool(texts),
            "text": gemma.text(tokens),
            "score": texts[0].model_score if texts else np.nan,
            "tokens": len(tokens) + 1,
            **{name: constraint.cost(tokens) if texts else np.inf for name, constraint in constraints.items()},
        }
    return figures


def _masked(step: Callable[[Longs], Floats], constraint: ls.TokenConstraint, prefixes: Longs) -> Floats:
    allowed = np.stack([constraint.allowed(prefix) for prefix in prefixes.tolist()])
    return np.where(allowed, step(prefixes), -np.inf)


def means(rows: Sequence[Mapping[str, Any]], free: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Returns the figures of a system; scores of finished texts, with those of the free search."""
    ended = [number for number, row in enumerate(rows) if row["ended"]]
    losses = [free[number]["score"] - rows[number]["score"] for number in ended if free[number]["ended"]]
    return {
        "ended": len(ended) / len(rows),
        "terms": float(np.mean([np.isfinite(row["terms"]) for row in rows])),
        "skeleton": float(np.mean([np.isfinite(row["skeleton"]) for row in rows])),
        "score": _mean([rows[number]["score"] for number in ended]),
        "loss": _mean(losses),
        "tokens": _mean([rows[number]["tokens"] for number in ended]),
        "seconds": _mean([row["seconds"] for row in rows]),
    }


def _mean(values: Sequence[float]) -> float | None:
    return round(float(np.mean(values)), 3) if values else None


main = program(__file__, __doc__, constrained)

if __name__ == "__main__":
    main()
