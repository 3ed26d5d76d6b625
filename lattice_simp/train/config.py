"""The settings of a training run: a YAML file, checked field by field, with overrides from the command line."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import Field, field_validator, model_validator

from lattice_simp.support.settings_file import checked_settings, read_settings
from lattice_simp.support.strict_model import StrictModel
from lattice_simp.support.textio import write_text
from lattice_simp.text.settings import Text
from lattice_simp.tune.metrics import TunedName

MAX_PROVENANCE = 63
"""The most corpora whose provenance rules can record: the bits of a signed 64-bit number."""

Symmetrisation = Literal["intersection", "union", "grow-diag", "grow-diag-final", "grow-diag-final-and"]


class Corpus(StrictModel):
    """Parallel text.

    Attributes:
        name: the name of the corpus in settings and reports.
        source, target: text files with the same number of lines, one sentence per line.
    """

    name: str = Field(pattern=r"^[A-Za-z0-9_.-]+$")
    source: Path
    target: Path


class Clean(StrictModel):
    """Limits that sentence pairs must meet to be used for training.

    Attributes:
        min_words, max_words: the minimum and the maximum number of tokens of each side.
        max_ratio: the maximum ratio of the sides' lengths, for sides of more than `SHORT` tokens (`clean.py`).
        max_word_letters: the maximum number of letters of a token; longer ones indicate a broken line.
        duplicates: whether to keep repeated pairs.
        language: whether to drop pairs if one side looks more like the other language.
    """

    min_words: int = Field(default=1, ge=1)
    max_words: int = Field(default=80, ge=1)
    max_ratio: float = Field(default=4.0, ge=1)
    max_word_letters: int = Field(default=50, ge=1)
    duplicates: bool = False
    language: bool = True


class Align(StrictModel):
    """Word alignment.

    Attributes:
        method: `hmm` uses the built-in aligner, which is deterministic; `links` reads the links of another aligner.
        symmetrisation: the method to join both directions of the HMM.
        links: a file for each corpus name, with a line for each pair: `0-0 1-2` links positions (from 0) of source and
            target tokens (Pharaoh format), with both directions joined. Tokens must be those of the training run.
    """

    method: Literal["hmm", "links"] = "hmm"
    symmetrisation: Symmetrisation = "grow-diag-final-and"
    links: dict[str, Path] = Field(default_factory=dict)


class Rules(StrictModel):
    """Rule extraction (Chiang 2007).

    Attributes:
        grammar: `shallow-1` allows only phrase pairs in non-terminals and is decoded exactly; `full` allows any rule.
        max_span: the maximum number of words of an initial phrase, on each side.
        max_symbols: the maximum number of symbols of a source side.
        max_gaps: the maximum number of non-terminals of a rule; 0 for phrase pairs alone, as simplifiers need them.
        min_count_hierarchical: the minimum count of rules with non-terminals.
        max_targets: the number of most probable target sides to keep for each source side.
        provenance: whether to add a feature for each corpus, which indicates that the rule occurs in it.
        only_for: text files in the source language, or skeleton files (`.jsonl`); extracts only rules whose source
            sides match their sentences or skeletons. By default, extracts all rules.
    """

    grammar: Literal["shallow-1", "full"] = "shallow-1"
    max_span: int = Field(default=10, ge=1, le=100)
    max_symbols: int = Field(default=5, ge=1, le=10)
    max_gaps: int = Field(default=2, ge=0, le=2)
    min_count_hierarchical: int = Field(default=1, ge=1)
    max_targets: int = Field(default=20, ge=1)
    provenance: bool = False
    only_for: tuple[Path, ...] = ()


class Language(StrictModel):
    """The language model.

    Attributes:
        order: the order of its n-grams.
        prune: for each order from 1, drops n-grams with counts up to this (as `lmplz --prune`).
        texts: additional text files in the target language.
        memory_mb: the memory of `lmplz` in mebibytes.
        arpa: an existing model to use instead of estimating one; its words must have the case and the tokenisation of
            the text.
        discount_fallback: whether to continue if a text is too small to estimate Kneser-Ney discounts.
        mix_for: a text in the target language, such as the development set. Estimates a model of each corpus and each
            of `texts`, and mixes them linearly with the lowest perplexity on this text (`lm/mixture.py`). By default,
            estimates one model of all texts.
    """

    order: int = Field(default=4, ge=2, le=6)
    prune: tuple[int, ...] = ()
    texts: tuple[Path, ...] = ()
    memory_mb: int = Field(default=2000, ge=100)
    discount_fallback: bool = False
    arpa: Path | None = None
    mix_for: Path | None = None


class TestSet(StrictModel):
    """Sentences with one or several reference translations.

    Attributes:
        name: the name of the set in settings and reports.
        source: a text file, one sentence per line.
        references: text files with the translations of these sentences.
        skeletons: a skeleton file; restricts the set to the sentences that have skeletons in it.
        lines: the number of sentences to use, evenly spread over the set; by default, all.
    """

    __test__ = False  # pytest must not collect it

    name: str = Field(pattern=r"^[A-Za-z0-9_.-]+$")
    source: Path
    references: tuple[Path, ...] = Field(min_length=1)
    skeletons: Path | None = None
    lines: int | None = Field(default=None, ge=1)


class Tune(StrictModel):
    """Minimum error rate training on lattices.

    Attributes:
        development: the development set; without it, the initial weights stay.
        length_ratio: selects `development.lines` lines of the development set whose mean ratio of source to reference
            tokens is this number, such as 1 (`lengths.py`); by default, selects evenly spread lines.
        metric: the metric to optimise; SARI requires a source and a target in the same language.
        beam: the beam of the lattices, in nats above the best path.
        max_arcs: the maximum number of arcs of a lattice; the beam shrinks until it fits.
        max_rounds: the maximum number of rounds of decoding and optimising.
        random_directions, restarts, seed: the random search directions, random restarts and seed of the optimiser.
        min_gain: tuning ends if a round is expected to gain less than this (scores are between 0 and 1).
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


class Simplify(StrictModel):
    """Settings of a simplifier: source text is complex, target text simple, both in English.

    Attributes:
        iterations: the number of iterations of expectation maximisation over splits and deletions.
        simplicity: whether to add rule features for how much more frequent and shorter new words are (`simplicity.py`).
        swaps: whether to add a rule that swaps two neighbouring phrases within `rules.max_span` words (`swaps.py`).
        corpora: the corpora from which to learn splits and deletions; by default, those of the model.
        graphs: files of semantic graphs to use instead of parses; sentences without a graph are not learned from.
        development: the set on which all weights are tuned together; without it, the initial weights stay.
        metric: the metric to optimise.
        change: whether to tune for the best hypothesis that differs from its source (`lattice-simp simplify --change`).
        calibrate: whether to split as many sentences as the references of `calibration` do (`calibration.py`).
        calibration: the set for `calibrate`; by default, the development set.
        max_rounds: the maximum number of rounds of decoding and optimising.
        random_directions, restarts, seed: the random search directions, random restarts and seed of the optimiser.
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


class Config(StrictModel):
    """A training run.

    Attributes:
        data: the folder for relative paths of text files.
        work: the folder for the files of the stages.
        model: the model directory to write; by default, `model` in `work`.
        shard_lines: the number of sentence pairs in each parallel task.
        corpora: the parallel texts to train on.
        text: tokenisation and case.
        clean: limits for sentence pairs.
        align: word alignment.
        rules: rule extraction.
        language_model: the language model.
        tune: the tuning of weights.
        test: the test sets to translate and score.
        simplify: settings of a simplifier; without them, the model translates.
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
            raise ValueError(f"duplicate names: {', '.join(names)}; give each entry another name")
        return named

    @model_validator(mode="before")
    @classmethod
    def _simplify_with_phrase_pairs(cls, values: Any) -> Any:
        if not isinstance(values, dict) or values.get("simplify") is None:
            return values
        rules = values.get("rules", {})
        return values | {"rules": {"max_gaps": 0} | rules} if isinstance(rules, dict) else values

    @model_validator(mode="after")
    def _sections_fit(self) -> Config:
        if self.clean.min_words > self.clean.max_words:
            raise ValueError("clean.min_words exceeds clean.max_words")
        names = {corpus.name for corpus in self.corpora} if self.align.method == "links" else set()
        if wrong := sorted(names ^ self.align.links.keys()):
            what = "has no file for the corpus" if wrong[0] in names else "has a file for an unknown corpus,"
            raise ValueError(f"align.links {what} {wrong[0]}")
        if self.rules.provenance and len(self.corpora) > MAX_PROVENANCE:
            raise ValueError(f"rules.provenance can distinguish at most {MAX_PROVENANCE} corpora")
        if self.simplify is not None and self.rules.max_gaps > 0:
            raise ValueError("simplify needs rules.max_gaps 0")
        if self.simplify is not None and self.simplify.swaps and self.rules.grammar != "shallow-1":
            raise ValueError("simplify.swaps needs rules.grammar shallow-1")
        if self.language_model.arpa is not None and self.language_model.mix_for is not None:
            raise ValueError("language_model.mix_for and language_model.arpa exclude each other; remove one")
        if self.tune.length_ratio is not None and getattr(self.tune.development, "lines", None) is None:
            raise ValueError("tune.length_ratio selects lines; set their number in tune.development.lines")
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

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "train.yaml"
    >>> corpora = "work: work\\ncorpora: [{name: talks, source: a.en, target: a.de}]\\n"
    >>> _ = path.write_text(corpora + "text: {source_language: en, target_language: de}\\n")
    >>> read_config(path, ["clean.max_words=50"]).clean.max_words
    50

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
