"""Where the demo's data lie: in the installed package, or beside it in a checkout."""

from __future__ import annotations

from pathlib import Path

from lattice_simp.errors import LatticeSimpError

_PACKAGE = Path(__file__).resolve().parent
_BELOW = Path("grammars", "demo", "data")


def demo_path(name: str) -> Path:
    """Gives the path of a file of the demo: a small English-German grammar's rules, language model and sentences.

    >>> demo_path("rules.gz").name
    'rules.gz'

    Args:
        name: `rules.gz`, `lm.arpa.gz`, `weights.tsv`, `test.jsonl` or `test.de`.

    Raises:
        LatticeSimpError: there is no such file; says where it was looked for.
    """
    # The build copies grammars/ into the package; an editable installation leaves it beside the package.
    places = [parent / _BELOW / name for parent in (_PACKAGE, _PACKAGE.parent)]
    for place in places:
        if place.is_file():
            return place
    searched = " and ".join(str(place) for place in places)
    raise LatticeSimpError(
        f"the demo has no file {name!r}; looked for {searched} (reinstall lattice-simp, or give a model of your own)"
    )
