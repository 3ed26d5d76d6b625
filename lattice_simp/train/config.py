"""The settings of a training run: a YAML file, checked field by field, with overrides from the command line."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from lattice_simp.support.settings_file import checked_settings, read_settings
from lattice_simp.support.textio import write_text
from lattice_simp.text.settings import Text
from lattice_simp.tune.metrics import TunedName

MAX_PROVENANCE = 63
"""Corpora that a rule's provenance can tell apart: bits of a signed 64-bit number."""

Symmetrisation = Literal["intersection", "union", "grow-diag", "grow-diag-final", "grow-diag-final-and"]


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Corpus(_Section):
    """Two files with the same number of lines."""

    name: str = Field(pattern=r"^[A-Za-z0-9_.-]+$")
    source: Path
    target: Path


class Clean(_Section):
    """The pairs to drop.

    Attributes:
        min_words, max_words: tokens of either side.
        max_ratio: between the sides' lengths, for sides of more than `SHORT` tokens (`clean.py`).
        max_word_letters: a longer token marks a broken line.
        duplicates: keep repeated pairs.
        language: drop sides that look more like the other language than like their own.
    """

    min_words: int = Field(default=1, ge=1)
    max_words: int = Field(default=80, ge=1)
    max_ratio: float = Field(default=4.0, ge=1)
    max_word_letters: int = Field(default=50, ge=1)
    duplicates: bool = False
    language: bool = True


class Align(_Section):
    """Word alignment.

    Attributes:
        method: `hmm`: our aligner, which finds the same links every time; `links`: read what another one found.
        symmetrisation: how both directions of the HMM become one.
        links: for each corpus, by its name, a file of as many lines as the corpus has: `0-0 1-2`, positions from 0 of
            source and target tokens (Pharaoh format), of both directions joined. The tokens are those that training
            makes of the text.
    """

    method: Literal["hmm", "links"] = "hmm"
    symmetrisation: Symmetrisation = "grow-diag-final-and"
    links: dict[str, Path] = {}


class Rules(_Section):
    """Rule extraction (Chiang 2007).

    Attributes:
        grammar: `shallow-1`: gaps hold phrase pairs only (decoded exactly); `full`: gaps hold any rule.
        max_span: words of an initial phrase, on both sides.
        max_symbols: symbols of a source side.
        max_gaps: non-terminals of a rule; 0 for phrase pairs alone.
        min_count_hierarchical: rules with gaps that were seen less often are left out.
        max_targets: target sides kept for each source side, the likeliest.
        provenance: a feature for each corpus: whether the rule was seen there.
        only_for: grammar filtering: source-language text files, and skeleton files (`.jsonl`: their sentences and
            skeletons); only the rules whose source sides match in them are extracted. Empty: all rules.
    """

    grammar: Literal["shallow-1", "full"] = "shallow-1"
    max_span: int = Field(default=10, ge=1, le=100)
    max_symbols: int = Field(default=5, ge=1, le=10)
    max_gaps: int = Field(default=2, ge=0, le=2)
    min_count_hierarchical: int = Field(default=1, ge=1)
    max_targets: int = Field(default=20, ge=1)
    provenance: bool = False
    only_for: tuple[Path, ...] = ()


class Language(_Section):
    """The language model.

    Attributes:
        order: of its n-grams.
        prune: counts up to which n-grams are dropped, from the unigrams on (as `lmplz --prune`).
        texts: further text files in the target language.
        memory_mb: what `lmplz` may use.
        arpa: a model that is there already, instead of estimating one; its words must be cased and split as the text's.
        discount_fallback: go on where a text is too small to estimate Kneser-Ney discounts.
        mix_for: a text in the target language, such as the development set: a model of each corpus and of each of
            `texts` is estimated, and their linear mixture that gives this text the least perplexity is taken
            (`lm/mixture.py`). None estimates one model of all.
    """

    order: int = Field(default=4, ge=2, le=6)
    prune: tuple[int, ...] = ()
    texts: tuple[Path, ...] = ()
    memory_mb: int = Field(default=2000, ge=100)
    discount_fallback: bool = False
    arpa: Path | None = None
    mix_for: Path | None = None


class TestSet(_Section):
    """Sentences with one or several reference translations."""

    __test__ = False  # no test, whatever its name suggests to pytest

    name: str = Field(pattern=r"^[A-Za-z0-9_.-]+$")
    source: Path
    references: tuple[Path, ...] = Field(min_length=1)
    skeletons: Path | None = Field(default=None, description="a skeleton file: only the lines that it names")
    lines: int | None = Field(default=None, ge=1, description="so many of the lines, evenly spread")


class Tune(_Section):
    """Minimum error rate training on lattices.

    Attributes:
        development: what is tuned on; None keeps the starting weights.
        length_ratio: of the development set, those `development.lines` are taken whose source has this many tokens for
            each of the reference on average (`lengths.py`), such as 1; None takes lines that are evenly spread.
        metric: what is tuned for; SARI where source and target are one language.
        beam: nats that the lattices keep.
        max_arcs: of a lattice; the beam shrinks until it fits.
        max_rounds: of decoding and optimising.
        random_directions, restarts, seed: of the optimiser.
        min_gain: score (0-1) below which the rounds end.
    """

    development: TestSet | None = None
    length_ratio: float | None = Field(default=None, gt=0)
    metric: TunedName = "bleu"
    beam: float = Field(default=5.0, gt=0)
    max_arcs: int = Field(default=1000, ge=1)
    max_rounds: int = Field(default=8, ge=1)
    random_directions: int = Field(default=12, ge=0)
    restarts: int = Field(default=1, ge=0)
    seed: int = 1
    min_gain: float = Field(default=0.0005, ge=0)


class Simplify(_Section):
    """A simplifier of the model: source text is complex, target text simple, in one language (English).

    Attributes:
        iterations: of expectation maximisation over splits and deletions.
        simplicity: features of the rules: how much more frequent and shorter their new words are (`simplicity.py`).
        swaps: a rule that swaps two neighbouring phrases within `rules.max_span` words (`swaps.py`).
        corpora: what splits and deletions are learned from; by default what the model is.
        graphs: files of semantic graphs, which take the place of parses; sentences without one teach no splits and
            deletions.
        development: what all weights are tuned on together; None keeps the starting weights.
        metric: that they are tuned for.
        change: tune for the best hypothesis that differs from its source (`lattice-simp simplify --change`).
        calibrate: split as many sentences as the references of `calibration` do (`calibration.py`).
        calibration: by default the development set.
        max_rounds: of decoding and optimising.
        random_directions, restarts, seed: of the optimiser.
    """

    iterations: int = Field(default=20, ge=1)
    simplicity: bool = True
    swaps: bool = False
    corpora: tuple[Corpus, ...] = ()
    graphs: tuple[Path, ...] = ()
    development: TestSet | None = None
    metric: TunedName = "bleu"
    change: bool = False
    calibrate: bool = True
    calibration: TestSet | None = None
    max_rounds: int = Field(default=8, ge=1)
    random_directions: int = Field(default=12, ge=0)
    restarts: int = Field(default=1, ge=0)
    seed: int = 1


class Config(_Section):
    """A training run.

    Attributes:
        data: the folder that relative paths of text files start from.
        work: where the stages keep their files.
        model: the model directory that is made; by default `model` in `work`.
        shard_lines: pairs that one task takes.
        simplify: makes the model a simplifier.
    """

    data: Path = Path(".")
    work: Path
    model: Path | None = None
    shard_lines: int = Field(default=20_000, ge=1)
    corpora: tuple[Corpus, ...] = Field(min_length=1)
    text: Text
    clean: Clean = Clean()
    align: Align = Align()
    rules: Rules = Rules()
    language_model: Language = Language()
    tune: Tune = Tune()
    test: tuple[TestSet, ...] = ()
    simplify: Simplify | None = None

    @field_validator("corpora", "test")
    @classmethod
    def _names_differ(cls, named: tuple[Any, ...]) -> tuple[Any, ...]:
        names = [entry.name for entry in named]
        if len(set(names)) < len(names):
            raise ValueError(f"two have the same name: {', '.join(names)}")
        return named

    @model_validator(mode="after")
    def _sections_fit(self) -> Config:
        if self.clean.min_words > self.clean.max_words:
            raise ValueError("clean.min_words is above clean.max_words")
        names = {corpus.name for corpus in self.corpora} if self.align.method == "links" else set()
        if wrong := sorted(names ^ self.align.links.keys()):
            what = "has no file for the corpus" if wrong[0] in names else "names what is not read, the corpus"
            raise ValueError(f"align.links {what} {wrong[0]}")
        if self.rules.provenance and len(self.corpora) > MAX_PROVENANCE:
            raise ValueError(f"rules.provenance can distinguish at most {MAX_PROVENANCE} corpora")
        if self.simplify is not None and self.simplify.swaps and self.rules.grammar != "shallow-1":
            raise ValueError("simplify.swaps needs rules.grammar shallow-1")
        if self.language_model.arpa is not None and self.language_model.mix_for is not None:
            raise ValueError("language_model.mix_for estimates models; leave language_model.arpa out")
        if self.tune.length_ratio is not None and getattr(self.tune.development, "lines", None) is None:
            raise ValueError("tune.length_ratio chooses lines; say in tune.development.lines how many")
        return self

    @property
    def model_folder(self) -> Path:
        """The model directory."""
        return self.model or self.work / "model"

    def path(self, file: Path) -> Path:
        """Returns a text file's path, from `data` if it is relative."""
        return self.data / file


def read_config(path: str | Path, overrides: Iterable[str] = ()) -> Config:
    """Reads a YAML file; overrides are `name.of.field=value`.

    Raises:
        FormatError: no YAML, an unknown name (with the nearest known one), a value that does not fit.
    """
    return checked_settings(Config, read_settings(path, overrides), path)


def config_text(config: Config) -> str:
    """Returns the effective config as YAML, defaults and overrides included."""
    return yaml.safe_dump(config.model_dump(mode="json"), sort_keys=False, allow_unicode=True)


def write_config(config: Config, path: Path) -> None:
    """Writes the effective config, so that it can be read again."""
    write_text(path, config_text(config))
