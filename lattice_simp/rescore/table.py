"""The table of all kinds of rescoring models; to add a kind, add a file and a line here."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from lattice_simp.errors import FormatError, LatticeSimpError
from lattice_simp.rescore import bilingual, causal, classes, language_model, model1
from lattice_simp.rescore.files import file_kind
from lattice_simp.rescore.joint import scorer as joint
from lattice_simp.rescore.kind import FILE, FOLDER, ScorerKind
from lattice_simp.rescore.neural import scorer as neural
from lattice_simp.rescore.scorer import Scorer

SCORERS: dict[str, ScorerKind] = {
    "bilingual": bilingual.KIND,
    "model1": model1.KIND,
    "class": classes.KIND,
    "ngram": language_model.KIND,
    "joint": joint.KIND,
    "neural": neural.KIND,
    "causal": causal.KIND,
}
"""The kinds by the names that `lattice-simp rescore train` uses."""


def read_scorers(path: str | Path) -> dict[str, Scorer]:
    """Reads a model of any kind; returns its scorers by their usual feature names.

    A file of `lattice-simp rescore train` (Bilingual, Class, or Model1 and InverseModel1), an ARPA file or a KenLM
    binary (NGram), the folder of a CTranslate2 model (Neural), or that of a causal model of transformers (Causal).

    Raises:
        FormatError: the path does not exist or holds no such model.
        MissingExtraError: a neural model, and its library is not installed.
    """
    file = Path(path)
    if not file.exists():
        raise FormatError("does not exist", path=path, remedy="check the name")
    content = _folder_kind(file) if file.is_dir() else file_kind(file) or FILE
    for kind in SCORERS.values():
        if kind.content == content:
            return kind.read(file)
    raise FormatError(f"holds {content}, which is not a scorer", path=path, remedy="train the model again")


def _folder_kind(folder: Path) -> str:
    """Returns the kind of a folder's model: both kinds have a configuration, but only CTranslate2 a model file."""
    is_causal = (folder / causal.CONFIG).is_file() and not (folder / "model.bin").is_file()
    return causal.CONTENT if is_causal else FOLDER


def trained_kinds(names: Iterable[str] = ()) -> dict[str, ScorerKind]:
    """Returns the kinds of these names, or all that `lattice-simp rescore train` can train.

    >>> list(trained_kinds())
    ['bilingual', 'model1', 'class']
    """
    trainable = {name: kind for name, kind in SCORERS.items() if kind.train is not None}
    for name in names:
        if name not in trainable:
            raise LatticeSimpError(f"cannot train {name!r}; choose from {', '.join(trainable)}")
    return {name: trainable[name] for name in names} or trainable
