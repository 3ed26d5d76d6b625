"""A study of a few artificial sentences whose spaces and skeletons are written by hand instead of decoded. Each choice
in which the systems of a study differ changes a translation here: the n of a skeleton's list, rho and sigma, one tuned
weight or all, the scorer, the judgement, and the tuning set.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from train.toy import toy_tokens

from experiments.files import sentence_file
from experiments.study.config import Study
from experiments.study.decoding import skeleton_path, write_space
from experiments.study.nbest import Nbest
from experiments.study.pipeline import StudyDone
from experiments.study.rescoring import rescored_stage
from experiments.study.scoring import STRONG_WEIGHTS
from experiments.study.sentences import DEVELOPMENT, HAND, HAND_LONG, StudySentence
from experiments.study.systems import System
from experiments.study.translating import translations_stage
from experiments.study.tuning import weights_stage
from experiments.study.variant_stages import automatic_variants_stage, gap_variants_stage, hand_variants_stage
from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.symbols import SymbolTable
from lattice_simp.pipeline.stage import Run, Stage, write_json
from lattice_simp.skeleton import Skeleton
from lattice_simp.train.config import Config
from lattice_simp.translate.model_files import WEIGHTS, write_weights
from lattice_simp.tune.feature_lattice import nbest_lattice

NEWS, LATE = "news", "late"
"""The test sets."""

AUTO = "auto"
"""A kind of automatic skeletons."""

FEATURES = ("LM", "TM")
DECODER = {"LM": 1.0, "TM": 0.05}
PLAIN = {"LM": 1.0, "TM": 0.1}
"""The weights of the decoder, and the tuned weights of the plain system."""

WAS_WEIGHT = 1.4
"""The skeleton's weight above which the development sentences and the first test sentence get the past tense."""

STUDY = Study(
    test_sets={NEWS: "seen", LATE: "new"},
    hypotheses=3,
    rescored_hypotheses=3,
    tuning_hypotheses=5,
    tuning_rounds=4,
    systems=("plain", "gc", "gc-strong", "gc-strong-paper"),
    rescored=("plain", "gc-strong"),
    skeleton=HAND_LONG,
    automatic=(),
    automatic_headline={1: (AUTO,)},
)

Scored = tuple[str, float, float]
"""Words, and the scores of the features."""


@dataclass(frozen=True)
class Toy:
    """A sentence.

    Attributes:
        source, reference: tokens; of the source, six.
        space: its translations.
        skeletons: by kind, the mask and the skeleton's n-best list; its second score is the stronger model's.
    """

    source: str
    reference: str
    space: tuple[Scored, ...]
    skeletons: dict[str, tuple[str, tuple[Scored, ...]]] = field(default_factory=dict)

    def sentence(self) -> StudySentence:
        words = tuple(self.source.split())
        kinds = {kind: (Skeleton.from_mask(mask, words),) for kind, (mask, _) in self.skeletons.items()}
        return StudySentence(words, (self.reference,), (self.reference,), kinds)


def tense(source: str, words: str, short: str, reference: str, **more) -> Toy:
    """A sentence whose present tense the plain system prefers, and whose past tense the long skeleton does."""
    now, past = words.replace("*", "is"), words.replace("*", "was")
    long = ((short.replace("*", "was"), 0.0, 0.0), (short.replace("*", "is"), -0.5, 0.0))
    return Toy(
        source,
        words.replace("*", reference),
        ((now, -1.0, 0.0), (past, -2.0, 3.0)),
        {HAND: ("100001", ((short.split()[0], 0.0, 0.0),)), HAND_LONG: ("110111", long), **more},
    )


SENTENCES = {
    DEVELOPMENT: (
        tense("d1 d2 d3 d4 d5 .", "the old house * very red today", "house * red", "was"),
        tense("e1 e2 e3 e4 e5 .", "a new car * quite fast here", "car * fast", "was"),
    ),
    NEWS: (
        # Right with a small weight of the skeleton only, unlike the development set: so tuning here would be seen.
        tense(
            "n1 n2 n3 n4 n5 .", "my little dog * so brown now", "dog * brown", "is",
            **{AUTO: ("011111", (("dog is", 0.0, 0.0),))},
        ),
        # The best hypothesis is out of reach.
        Toy(
            "o1 o2 o3 o4 o5 .",
            "he saw the big dog here now",
            (("he sees the big dog here now", -1.0, 0.0), ("he saw the big dog here now", -1.2, 0.0)),
            {
                HAND: ("111101", (("he sees dog", 0.0, 0.0),)),
                HAND_LONG: ("111001", (("he looks dog", 0.0, 0.0), ("he saw dog", -0.1, 0.0), ("he sees", -3.0, 0.0))),
                AUTO: ("100001", (("he saw", 0.0, 0.0),)),
            },
        ),
        # With rho loops, "c" leaves the state after "one" and cannot be passed over.
        Toy(
            "p1 p2 p3 p4 p5 .",
            "one c b two three four five",
            (("one c b two three four five", 0.0, 0.0), ("one b d two three four five", -1.0, 0.0)),
            {
                HAND: ("010001", (("one b five", 0.0, 0.0), ("one c five", -30.0, 0.0))),
                HAND_LONG: ("011001", (("one b five", 0.0, 0.0), ("one c five", -30.0, 0.0))),
            },
        ),
        # Nothing was deleted.
        Toy("q1 q2 q3 q4 q5 .", "they all went home so late", (("they all went home so late", -1.0, 0.0),)),
        # The stronger model finds another hypothesis best.
        Toy(
            "r1 r2 r3 r4 r5 .",
            "we had all the good bread there",
            (("we ate all the good bread there", -1.0, 0.0), ("we had all the good bread there", -1.1, 0.0)),
            {
                HAND: ("110001", (("we bread", 0.0, 0.0),)),
                HAND_LONG: ("010101", (("we ate bread", 0.0, -2.0), ("we had bread", -0.4, 0.0))),
            },
        ),
    ),
    LATE: (tense("t1 t2 t3 t4 t5 .", "her black cat * too small then", "cat * small", "was"),),
}  # fmt: skip


def scoring(models: Path, names: tuple[str, ...]) -> Callable[[tuple[str, ...], list[str]], Nbest]:
    """Stands for the stronger model when whole sentences are rescored: it prefers the past tense."""

    def score(source: tuple[str, ...], hypotheses: list[str]) -> Nbest:
        return Nbest(
            hypotheses, np.array([[2.0 * ("was" in hypothesis.split())] for hypothesis in hypotheses]), ("Strong",)
        )

    return score


def write_skeletons(data: Path, name: str, drop: int) -> None:
    """Writes two skeletons of each sentence: without the last word but one, and without a word from the left."""
    lines = (data / f"{name}.fr").read_text(encoding="utf-8").splitlines()
    with open(data / f"{name}.{drop}.jsonl", "w", encoding="utf-8") as file:
        for number, line in enumerate(lines):
            tokens = toy_tokens(line).replace("'", "' ").split()
            masks = [
                "".join("0" if index == gone else "1" for index in range(len(tokens)))
                for gone in (len(tokens) - 2, drop)
            ]
            file.write(json.dumps({"line": number, "tokens": tokens, "keep": masks}) + "\n")


def toy_config(folder: Path) -> Config:
    """Returns a config that names the sets; their files do not exist."""
    values = {"source": "none", "references": ["none"], "skeletons": "none"}
    return Config.model_validate(
        {
            "work": folder,
            "corpora": [{"name": "none", "source": "a", "target": "b"}],
            "text": {"source_language": "en", "target_language": "fr"},
            "tune": {"development": {"name": "dev", **values}},
            "test": [{"name": name, **values} for name in (NEWS, LATE)],
        }
    )


@dataclass
class ToyStudy:
    """The folders of finished stages, including those of decoding and training."""

    root: Path
    study: Study = STUDY
    folders: dict[str, Path] = field(default_factory=dict)
    records: dict[str, dict] = field(default_factory=dict)
    sentences: dict[str, list[StudySentence]] = field(
        default_factory=lambda: {name: [one.sentence() for one in own] for name, own in SENTENCES.items()}
    )

    def __post_init__(self) -> None:
        strong = {"Decoder": 1.0, "Strong": 1.0}
        for name, weights in (("tune", DECODER), ("weights-plain", PLAIN)):
            write_weights(self.made(name) / WEIGHTS, weights)
        write_weights(self.made("rescored-plain") / STRONG_WEIGHTS, strong)
        for name in ("model", "spaces", "skeletons", "scores", "automatic", "automatic-scores", "scorers"):
            self.made(name)
        for name, sentence in SENTENCES.items():
            for number, toy in enumerate(sentence):
                write_space(_space(toy.space), sentence_file(self.folders["spaces"], number, name))
                for kind, (_, scored) in toy.skeletons.items():
                    self._write_lists(kind, self.sentences[name][number].skeletons[kind][0], scored)
        positions = {"he saw dog": [3], "he looks dog": [], "he sees": [2]}  # where the skeleton's only gap is
        write_json(self.made("gap-positions") / f"{NEWS}.000001.json", positions)

    def _write_lists(self, kind: str, skeleton: Skeleton, scored: tuple[Scored, ...]) -> None:
        words = [first for first, _, _ in scored]
        lists, scores = ("automatic", "automatic-scores") if kind == AUTO else ("skeletons", "scores")
        features = np.array([[score, 0.0] for _, score, _ in scored])
        Nbest(words, features, FEATURES).write(skeleton_path(self.folders[lists], skeleton))
        strong = np.array([[score] for _, _, score in scored])
        Nbest(words, strong, ("Strong",)).write(skeleton_path(self.folders[scores], skeleton))

    def made(self, name: str) -> Path:
        """Makes the folder of a stage."""
        folder = self.folders[name] = self.root / name
        folder.mkdir(parents=True)
        return folder

    def do(self, stage: Stage) -> Path:
        """Runs a stage, whose needed stages must be finished."""
        assert set(stage.needs) <= set(self.folders), stage.name
        run = Run(folders=dict(self.folders))
        folder = self.root / "run" / stage.name
        folder.mkdir(parents=True)
        record = stage.work(run, folder)
        self.folders[stage.name] = folder
        self.records[stage.name] = {"seconds": 1.0, "cpu_seconds": 1.0, "peak_mb": 1, **record}
        return folder

    def system(self, name: str) -> System:
        return self.study.system(name)

    def tuned(self, name: str) -> Path:
        """Tunes a system."""
        return self.do(weights_stage(self.study, self.system(name), self.sentences))

    def translated(self, name: str) -> Path:
        """Translates with a tuned system."""
        return self.do(translations_stage(self.study, self.system(name), self.sentences))

    def rescored(self, name: str) -> Path:
        """Rescores the translations of a system."""
        return self.do(rescored_stage(self.study, self.system(name), self.sentences))

    def everything(self) -> StudyDone:
        """Runs all stages."""
        for system in self.study.chosen:
            if system.name != "plain":  # whose weights are given
                self.tuned(system.name)
            self.translated(system.name)
        self.do(hand_variants_stage(self.study, self.sentences))
        self.do(gap_variants_stage(self.study, self.sentences))
        self.do(automatic_variants_stage(self.study, self.sentences))
        for name in self.study.rescored or ():
            self.rescored(name)
        self.records["perplexities"] = {**_COSTS, "perplexities": {"Bilingual": 40.0}}
        self.records |= {"prepare": {**_COSTS, "pairs": 2}, "rules": {**_COSTS, "rules": 3, "patterns": 1}}
        return StudyDone(self.study, self.sentences, self.folders, self.records)


_COSTS = {"seconds": 1.0, "cpu_seconds": 1.0, "peak_mb": 1}


def _space(scored: tuple[Scored, ...]):
    hypotheses = [
        Hypothesis(tuple(words.split()), features=dict(zip(FEATURES, scores, strict=True))) for words, *scores in scored
    ]
    return nbest_lattice(hypotheses, FEATURES, SymbolTable())
