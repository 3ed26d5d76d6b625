"""The tables of the experiment."""

from __future__ import annotations

from experiments.report import Figures, plain_table, stages_part

PLAIN = "plain"
"""The row of the system without skeletons."""

_ABOUT = """{sentences} sentences of newstest2009 to 2011, which training left out, with {skeletons} skeletons each. \
The chosen setting is {setting}; for one skeleton, it is weight {weight}. Only the cross-validated row is independent \
of this choice. `{signature}`"""


def page(figures: Figures, config: Figures) -> list[str]:
    """Lays out the figures."""
    setting = ", ".join(f"{name} {value}" for name, value in figures["setting"].items())
    about = _ABOUT.format(**{**figures, "setting": setting, "weight": figures["one"]["weight"]})
    plain = figures["bleu"][PLAIN]
    rows = []
    for name, bleu in figures["bleu"].items():
        gain = ("-", "-") if name == PLAIN else (f"{bleu - plain:+.2f}", f"{figures['p'][name]:.4f}")
        rows.append((name, f"{bleu:.2f}", *gain))
    tried = [
        (name, "; ".join(f"{value}: {bleu:.2f}" for value, bleu in values.items()))
        for name, values in figures["tried"].items()
    ]
    return [
        about,
        plain_table(("skeletons", "BLEU", "gain", "p"), rows),
        plain_table(("field", "values: BLEU, with the other fields as chosen"), tried, words=2),
        *stages_part(figures),
    ]
