"""Reading scorers of any kind, told by what a file or folder holds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from lattice_simp.errors import FormatError
from lattice_simp.rescore import bilingual, classes, model1
from lattice_simp.rescore.bilingual import BilingualScorer
from lattice_simp.rescore.classes import ClassScorer
from lattice_simp.rescore.files import file_kind
from lattice_simp.rescore.language_model import read_language_model
from lattice_simp.rescore.model1 import InverseModel1Scorer, Model1Scorer, WordTable
from lattice_simp.rescore.scorer import Scorer


def read_scorers(path: str | Path) -> dict[str, Scorer]:
    """Reads a model and gives its scorers by their usual feature names.

    A file of `lattice-simp rescore train` (Bilingual, Class, or Model1 and InverseModel1), an ARPA file or a KenLM
    binary (NGram), or the folder of a CTranslate2 model (Neural).

    Raises:
        FormatError: there is nothing, or something else.
        MissingExtraError: a neural model, and CTranslate2 is not installed.
    """
    place = Path(path)
    if place.is_dir():
        from lattice_simp.rescore.neural.scorer import TranslationScorer

        return {"Neural": TranslationScorer.read(place)}
    if not place.exists():
        raise FormatError("is not there", path=path, remedy="check the name")
    kind = file_kind(place)
    if kind is None:
        return {"NGram": read_language_model(place)}
    if kind not in _READERS:
        raise FormatError(f"holds no scorer but {kind}", path=path, remedy="train the model again")
    return _READERS[kind](place)


def _model1(path: Path) -> dict[str, Scorer]:
    table = WordTable.read(path)
    return {"Model1": Model1Scorer(table), "InverseModel1": InverseModel1Scorer(table)}


_READERS: dict[str, Callable[[Path], dict[str, Scorer]]] = {
    bilingual.KIND: lambda path: {"Bilingual": BilingualScorer.read(path)},
    classes.KIND: lambda path: {"Class": ClassScorer.read(path)},
    model1.KIND: _model1,
}
