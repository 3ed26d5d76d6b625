"""Where the files of `grammars/` lie: in the installed package, or beside it in a checkout."""

from __future__ import annotations

from pathlib import Path

from lattice_simp.errors import LatticeSimpError

_PACKAGE = Path(__file__).resolve().parents[1]


def grammar_path(folder: str, name: str, *, what: str) -> Path:
    """Returns the path of a file of a grammar.

    >>> grammar_path("english", "negations.tsv", what="English").name
    'negations.tsv'

    Args:
        folder: below `grammars/`.
        name: of the file.
        what: has the file, for the error's text.

    Raises:
        LatticeSimpError: there is no such file; says where it was looked for.
    """
    # The build copies grammars/ into the package; an editable installation leaves it beside the package.
    places = [parent / "grammars" / folder / name for parent in (_PACKAGE, _PACKAGE.parent)]
    for place in places:
        if place.is_file():
            return place
    searched = " and ".join(map(str, places))
    raise LatticeSimpError(f"{what} has no file {name!r}; looked for {searched} (reinstall lattice-simp)")
