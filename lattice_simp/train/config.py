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
"""The most corpora that a rule's provenance can record: bits of a signed 64-bit number."""

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
        min_words, max_words: the least and the most tokens of either side.
        max_ratio: the largest ratio of the sides' lengths, for sides of more than `SHORT` tokens (`clean.py`).
        max_word_letters: a longer token marks a broken line.
        duplicates: whether to keep repeated pairs.
        language: whether to drop pairs with a side that looks more like the other language than its own.
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
        method: `hmm`: our aligner, which finds the same links every time; `links`: read the links of another aligner.
        symmetrisation: how both directions of the HMM are joined.
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
        max_span: the most words of an initial phrase, on both sides.
        max_symbols: the most symbols of a source side.
        max_gaps: the most non-terminals of a rule; 0 for phrase pairs alone.
        min_count_hierarchical: rules with gaps that were seen less often are left out.
        max_targets: how many of the likeliest target sides are kept for each source side.
        provenance: whether to add a feature for each corpus: whether the rule was seen there.
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
        order: the order of its n-grams.
        prune: counts up to which n-grams are dropped, from the unigrams on (as `lmplz --prune`).
        texts: further text files in the target language.
        memory_mb: the memory of `lmplz`.
        arpa: an existing model to use instead of estimating one; its words must be cased and split like the text.
        discount_fallback: continue if a text is too small to estimate Kneser-Ney discounts.
        mix_for: a text in the target language, such as the development set: a model of each corpus and of each of
            `texts` is estimated, and their linear mixture with the least perplexity on this text is used
            (`lm/mixture.py`). None estimates one model of all texts.
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

    __test__ = False  # not a test, in spite of its name

    name: str = Field(pattern=r"^[A-Za-z0-9_.-]+$")
    source: Path
    references: tuple[Path, ...] = Field(min_length=1)
    skeletons: Path | None = Field(default=None, description="a skeleton file: only the lines that it names")
    lines: int | None = Field(default=None, ge=1, description="so many of the lines, evenly spread")


class Tune(_Section):
    """Minimum error rate training on lattices.

    Attributes:
        development: the development set; None keeps the starting weights.
        length_ratio: choose `development.lines` lines of the development set such that sources have this many tokens
            for each token of the reference on average (`lengths.py`), such as 1; None takes evenly spread lines.
        metric: the objective; SARI if source and target are in the same language.
        beam: nats above the best path that the lattices keep.
        max_arcs: the most arcs of a lattice; the beam shrinks until it fits.
        max_rounds: the most rounds of decoding and optimising.
        random_directions, restarts, seed: options of the optimiser.
        min_gain: the expected gain in the score (0-1) below which the rounds end.
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
        iterations: the iterations of expectation maximisation over splits and deletions.
        simplicity: add features of the rules: how much more frequent and shorter their new words are (`simplicity.py`).
        swaps: add a rule that swaps two neighbouring phrases within `rules.max_span` words (`swaps.py`).
        corpora: the corpora from which splits and deletions are learned; by default those of the model.
        graphs: files of semantic graphs, which replace parses; nothing is learned from sentences without a graph.
        development: the set on which all weights are tuned together; None keeps the starting weights.
        metric: the objective.
        change: tune for the best hypothesis that differs from its source (`lattice-simp simplify --change`).
        calibrate: split as many sentences as the references of `calibration` do (`calibration.py`).
        calibration: the set for this; by default the development set.
        max_rounds: the most rounds of decoding and optimising.
        random_directions, restarts, seed: options of the optimiser.
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
        model: the model directory to write; by default `model` in `work`.
        shard_lines: the pairs of one task.
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
        FormatError: invalid YAML, an unknown name (with the nearest known one), or a value that does not fit.
    """
    return checked_settings(Config, read_settings(path, overrides), path)


def config_text(config: Config) -> str:
    """Returns the effective config as YAML, defaults and overrides included."""
    return yaml.safe_dump(config.model_dump(mode="json"), sort_keys=False, allow_unicode=True)


def write_config(config: Config, path: Path) -> None:
    """Writes the effective config, so that it can be read again."""
    write_text(path, config_text(config))
