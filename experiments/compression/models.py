"""The models of the experiment: taggers and a language model, made once and kept in the work folder."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path

from experiments.compression.data import Config, Example
from lattice_simp import LanguageModel
from lattice_simp.errors import LatticeSimpError
from lattice_simp.skeleton.automatic import DeletionTagger, parser_name
from lattice_simp.skeleton.automatic.features import FEATURE_VERSION
from lattice_simp.support.textio import open_text, read_lines
from lattice_simp.train.ngrams.estimate import estimate
from lattice_simp.train.text.tokeniser import Tokeniser


def tagger(name: str, examples: Sequence[Example], work: Path) -> DeletionTagger:
    """Trains a tagger, or takes the one that was trained on the same skeletons before."""
    key = _key([FEATURE_VERSION, parser_name(), *(one.to_mask() for each in examples for one in each.references)])
    folder = work / f"tagger.{name}"
    try:
        known = DeletionTagger.load(folder)
    except LatticeSimpError:
        known = None
    if known is not None and known.meta.get("key") == key:
        return known
    pairs = ((example.parse, reference) for example in examples for reference in example.references)
    return DeletionTagger.train(folder, pairs, meta={"key": key, "parser": parser_name()})


def language_model(config: Config) -> LanguageModel:
    """Estimates the model of lower-cased English, unless it is there."""
    work, own = Path(config["work"]), config["language_model"]
    arpa, record = work / "lm.arpa.gz", work / "lm.json"
    wanted = json.dumps(own)
    if not arpa.exists() or not record.exists() or record.read_text(encoding="utf-8") != wanted:
        text = work / "lm.txt.zst"
        tokeniser = Tokeniser("en")
        with open_text(text, "w") as file:
            for name in own["texts"]:
                lines = islice(read_lines(Path(config["data"], name)), own["lines"])
                file.writelines(tokeniser.tokens(line) + "\n" for line in lines)
        estimate(text, arpa, order=own["order"], prune=own["prune"], memory=500)
        record.write_text(wanted, encoding="utf-8")
    return LanguageModel.read(arpa)


def _key(parts: Iterable[object]) -> str:
    return hashlib.sha256("\n".join(map(str, parts)).encode()).hexdigest()[:16]
