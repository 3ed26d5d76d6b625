"""The tables of the experiment."""

from __future__ import annotations

from experiments.report import Figures, plain_table

FREE = "no constraint"

SYSTEMS = {
    FREE: ("", False),
    "terms, masks only": ("terms", False),
    "terms, constrained search": ("terms", True),
    "skeleton, masks only": ("skeleton", False),
    "skeleton, constrained search": ("skeleton", True),
}
"""The systems: the kind of constraint, and whether the search uses it."""

_ABOUT = """{sentences} English sentences, translated into French by Gemma 3 270M (base, 4 bits) after {examples} \
examples; beam {beam}, at most {max_tokens} tokens; an output layer of {pieces:,} pieces. Scores are \
log-probabilities (nats) of the texts that ended; the loss is the difference from the same sentences without a \
constraint."""


def page(figures: Figures, config: Figures) -> list[str]:
    """Lays out the figures."""
    numbers = {name: config[name] for name in ("beam", "max_tokens")}
    about = _ABOUT.format(**{**figures, "examples": len(config["examples"]), **numbers})
    rows = [
        (
            system,
            *(f"{100 * row[name]:.0f} %" for name in ("ended", "terms", "skeleton")),
            *("-" if row[name] is None else f"{row[name]:.1f}" for name in ("score", "loss", "tokens", "seconds")),
        )
        for system, row in figures["systems"].items()
    ]
    columns = ("search", "ended", "terms held", "skeleton held", "score", "loss", "tokens", "CPU s a sentence")
    texts = [(str(number), *pair) for number, texts in enumerate(figures["examples"], 1) for pair in texts.items()]
    return [about, plain_table(columns, rows), plain_table(("sentence", "search", "text"), texts, words=3)]
