"""The tables of the experiment."""

from __future__ import annotations

from experiments.report import Figures, plain_table

_ABOUT = """{sentences} sentences of English-French news, {words:,} words of the best hypotheses, {percent:.1f} % of \
them right; {nbest}-best lists. For comparison, a constant confidence has a cross-entropy of \
{constant_cross_entropy:.3f}. The constant is the share of right words on the sentences used to choose the scale."""

_COLUMNS = {
    "AUC": "auc",
    "correlation": "correlation",
    "cross-entropy (nats)": "cross_entropy",
    "cross-entropy, calibrated": "calibrated_cross_entropy",
    "correlation, sentences": "sentence_correlation",
}


def page(figures: Figures, config: Figures) -> list[str]:
    """Lays out the figures."""
    about = _ABOUT.format(**{**figures, "percent": 100 * figures["right"], "nbest": config["nbest"]})
    rows = [
        (kind, str(row["scale"]), *(f"{row[key]:.3f}" for key in _COLUMNS.values()))
        for kind, row in figures["kinds"].items()
    ]
    shares = [
        (kind, str(number), f"{fifth['confidence']:.3f}", f"{100 * fifth['right']:.1f} %")
        for kind, row in figures["kinds"].items()
        for number, fifth in enumerate(row["bins"], 1)
    ]
    kind = "probability of the word"
    return [
        about,
        plain_table((kind, "scale", *_COLUMNS), rows),
        plain_table((kind, "fifth of the words", "mean confidence", "right"), shares),
    ]
