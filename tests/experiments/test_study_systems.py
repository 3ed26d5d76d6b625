"""What the systems and variants of a study do, where each choice changes a translation (`toy_study.py`)."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from toy_study import AUTO, DECODER, LATE, NEWS, PLAIN, SENTENCES, STUDY, WAS_WEIGHT, ToyStudy, scoring, toy_config

from experiments.files import sentence_file
from experiments.study import causal, decoding, rescoring, transformer, translating, tuning, variant_stages
from experiments.study.composing import compose
from experiments.study.config import DIVERSE, Causal, Diverse
from experiments.study.decoding import (
    all_skeletons,
    automatic_stage,
    other_kinds,
    read_space,
    skeleton_path,
    skeletons_stage,
    spaces_stage,
)
from experiments.study.nbest import Nbest
from experiments.study.rescoring import TuningSet
from experiments.study.scoring import COST, STRONG_WEIGHTS, skeleton_nbest, strong_weights
from experiments.study.scoring import DECODER as DECODER_COST
from experiments.study.sentences import DEVELOPMENT, HAND, HAND_LONG, StudySentence
from experiments.study.systems import SYSTEMS
from experiments.study.translating import read_outputs
from experiments.study.tuning import weights_stage
from experiments.study.variant_stages import (
    VARIANT_STAGES,
    automatic_variants_stage,
    hand_variants_stage,
    relative,
    row_name,
)
from experiments.study.variants import automatic_variants, check_variants, chosen_variants, gap_variants, hand_variants
from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.errors import LatticeSimpError
from lattice_simp.pipeline.stage import Run, read_json
from lattice_simp.skeleton import Skeleton
from lattice_simp.text.truecase import read_casing, write_casing
from lattice_simp.translate.model_files import WEIGHTS, read_weights, write_weights
from lattice_simp.translate.settings import DecoderSettings
from lattice_simp.tune.mira import HypothesisList
from lattice_simp.tune.rounds import Round, TuningResult

SKELETON = "Skeleton:" + COST


@pytest.fixture(autouse=True, scope="module")
def inline():
    """Tasks run in this process, and the stronger model is made up."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rescoring, "scoring", scoring)
        yield


@pytest.fixture(scope="module")
def toy(tmp_path_factory):
    study = ToyStudy(tmp_path_factory.mktemp("study"))
    study.everything()
    return study


def weights(toy, system):
    return read_weights(toy.folders[f"weights-{system}"] / WEIGHTS)


def outputs(toy, stage, name=NEWS, variant=""):
    file = f"{name}.gc-strong, {variant}.jsonl" if variant else f"{name}.jsonl"
    return read_outputs(toy.folders[stage] / file)


def words(toy, stage, number, variant=""):
    return outputs(toy, stage, NEWS, variant)[number].words


def right(toy, stage, name):
    """Returns which sentences are translated as the reference says."""
    return [
        output.words == toy.reference for output, toy in zip(outputs(toy, stage, name), SENTENCES[name], strict=True)
    ]


# ---------------------------------------------------------------- tuning


def test_weights_are_tuned_on_the_development_set_alone(toy):
    """There a large weight of the skeleton is right; on the first test sentence it is wrong."""
    for system in ("gc", "gc-strong"):
        assert weights(toy, system)[SKELETON] > WAS_WEIGHT
        assert right(toy, f"translated-{system}", DEVELOPMENT) == [True, True]
        assert not right(toy, f"translated-{system}", NEWS)[0]
    assert right(toy, "translated-plain", DEVELOPMENT) == [False, False]


def test_systems_keep_the_plain_weights_but_those_as_the_paper_tune_all(toy):
    for system in ("gc", "gc-strong"):
        assert {name: weights(toy, system)[name] for name in PLAIN} == PLAIN
    as_paper = weights(toy, "gc-strong-paper")
    assert as_paper["TM"] > 1 / 3  # its skeletons say nothing of the tense: only TM can
    assert right(toy, "translated-gc-strong-paper", DEVELOPMENT) == [True, True]


def test_a_system_can_have_a_weight_for_each_feature_of_the_skeleton(tmp_path):
    systems = ("plain", "gc-strong", "gc-strong-vector")
    study = ToyStudy(tmp_path, STUDY.model_copy(update={"systems": systems}))
    study.tuned("gc-strong-vector")
    found = weights(study, "gc-strong-vector")
    assert found.keys() == {*PLAIN, SKELETON, *("Skeleton:" + name for name in (*DECODER, "Strong"))}
    assert any(found[name] != PLAIN[name] for name in PLAIN)
    study.translated("gc-strong-vector")
    assert right(study, "translated-gc-strong-vector", DEVELOPMENT) == [True, True]


def test_the_plain_system_tunes_all_weights(toy, tmp_path):
    study = ToyStudy(tmp_path / "own")
    study.tuned("plain")
    assert weights(study, "plain")["TM"] > 1 / 3
    study.translated("plain")
    assert right(study, "translated-plain", DEVELOPMENT) == [True, True]


def test_rescoring_is_tuned_on_the_development_set_alone(toy):
    assert right(toy, "rescored-plain", DEVELOPMENT) == [True, True]
    assert right(toy, "rescored-plain", LATE) == [True]
    assert not right(toy, "rescored-plain", NEWS)[0]
    assert read_weights(toy.folders["rescored-plain"] / WEIGHTS)["Strong"] > 0


def test_each_part_of_the_stronger_model_is_tried_alone():
    """Two parts that are right together: either of them alone is not."""
    rng, names = np.random.default_rng(0), (DECODER_COST, "X", "Y")
    lists, references = [], []
    for number in range(12):
        words = [f"w{number} {index} a b c" for index in range(4)]
        x = rng.normal(0, 5, 4)
        lists.append(Nbest(words, np.column_stack([np.zeros(4), x + np.array([0, 0, 0, 2.0]), -x]), names))
        references.append(StudySentence((), (words[-1],), (words[-1],), {}))
    tuning_set = TuningSet.of(lists, references, ("X", "Y"))
    both = tuning_set.only(names).cross_validated({DECODER_COST: 1.0}, 0.05, 1)
    rows = rescoring.alone_scores(tuning_set, 0.05, 1)
    assert rows.keys() == {"X", "Y"}
    assert max(map(max, rows.values())) < min(both)


def test_rescoring_takes_the_lists_of_its_own_system(toy):
    """The stronger model says nothing of the verb's tense there, so the system's own choice stays."""
    assert "saw" in words(toy, "rescored-gc-strong", 1)
    assert "sees" in words(toy, "rescored-plain", 1)
    assert [output.reachable for output in outputs(toy, "rescored-gc-strong")] == [True, True, True, None, True]


# ---------------------------------------------------------------- systems


def test_the_scorer_chooses_among_a_skeletons_hypotheses(toy):
    assert "ate" in words(toy, "translated-plain", 4)
    assert "ate" in words(toy, "translated-gc", 4)
    assert "had" in words(toy, "translated-gc-strong", 4)


def test_skeleton_hypotheses_are_sorted_by_what_they_cost_their_scorer(toy):
    skeleton = toy.sentences[NEWS][4].skeletons[HAND_LONG][0]
    folders = {**toy.folders, "rescored-plain": toy.root / "rescored-plain"}
    decoder = skeleton_nbest(folders, skeleton, "decoder", DECODER)
    strong = skeleton_nbest(folders, skeleton, "strong", DECODER)
    assert (decoder.words, decoder.features.ravel().tolist()) == (
        ["we ate bread", "we had bread"],
        [0, pytest.approx(-0.4)],
    )
    assert (strong.words, strong.features.ravel().tolist()) == (
        ["we had bread", "we ate bread"],
        [pytest.approx(-0.4), -2],
    )


def test_the_stronger_model_s_unit_is_the_decoder_s_cost_unless_that_counts_for_nothing(tmp_path):
    folders = {"rescored-plain": tmp_path}
    for first, expected in (
        ({"Decoder": 2.0, "Strong": 1.0}, {"Decoder": 1.0, "Strong": 0.5}),
        ({"Decoder": 0.01, "Strong": -0.99}, {"Decoder": 0.01, "Strong": -0.99}),
    ):
        write_weights(tmp_path / STRONG_WEIGHTS, first)
        assert strong_weights(folders) == pytest.approx(expected)


class Echo:
    """Stands for the pretrained model: knows what it is asked, and wants `is` in the place of `was`."""

    def __init__(self):
        self.calls = []

    def score(self, source, hypotheses):
        self.calls.append((source, hypotheses))
        return np.array([9.0 * ("Was" in words) for words in hypotheses])


def test_the_best_rescored_hypotheses_are_scored_by_a_pretrained_model_too(tmp_path, monkeypatch):
    echo = Echo()
    monkeypatch.setattr(causal, "_scorer", lambda settings, text: echo)
    study = ToyStudy(tmp_path, STUDY.model_copy(update={"causal": Causal(hypotheses=2, examples_of="none")}))
    folder = study.made(causal.TEXT)
    write_casing({"e1": "E1"}, folder / "casing.source.txt")
    write_casing({"was": "Was"}, folder / "casing.target.txt")
    study.translated("plain")
    study.rescored("plain")
    study.do(causal.causal_stage(study.study, study.system("plain"), study.sentences))
    ranked = words(study, "rescored-plain", 0)
    assert echo.calls[1] == (
        ["E1", *"e2 e3 e4 e5 .".split()],
        ["a new car Was quite fast here".split(), "a new car is quite fast here".split()],
    )
    assert all(len(hypotheses) <= 2 for _, hypotheses in echo.calls)
    found = read_weights(study.folders["causal-plain"] / WEIGHTS)
    assert found.keys() == {DECODER_COST, "Strong", causal.CAUSAL}
    assert right(study, "causal-plain", DEVELOPMENT) == [True, True]  # which the model did not want
    assert ranked == words(study, "causal-plain", 0)
    record = study.records["causal-plain"]
    assert len(record["bleu_held_out"]) == len(record["bleu_held_out_without"]) == 2


def test_a_transformer_translates_all_sets_alone(tmp_path, monkeypatch):
    models = []
    monkeypatch.setattr(transformer, "read_network", lambda model, compute_type: models.append(model) or "network")
    monkeypatch.setattr(transformer, "translated", lambda network, words, beam: " ".join([network, *words, str(beam)]))
    study = ToyStudy(tmp_path, STUDY.model_copy(update={"scorers": ("model1", "transformer")}))
    study.do(transformer.alone_stage(study.sentences))
    assert set(models) == {study.folders["scorers"] / "transformer"}
    for name, sentences in study.sentences.items():
        outputs = read_outputs(study.folders["translated-transformer"] / f"{name}.jsonl")
        expected = [" ".join(["network", *sentence.words, "5"]) for sentence in sentences]
        assert [output.words for output in outputs] == expected
        assert {output.reachable for output in outputs} == {None}
    assert [system.name for system in study.study.measured] == [*STUDY.systems, "transformer"]
    assert STUDY.measured == STUDY.chosen


def test_a_pretrained_model_is_shown_pairs_cases_and_pieces_of_the_corpora(tmp_path, monkeypatch):
    for name, lines in (("a", ["Is it Paris ?", "a very long line here", "So"]), ("b", ["Ist es Paris ?", "x", "Da"])):
        (tmp_path / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    read = []

    class Pieces(SimpleNamespace):
        def only_pieces_of(self, lines):
            return SimpleNamespace(pieces={len(line) for line in lines})

    monkeypatch.setattr(causal, "read_scorer", lambda settings, dtype: read.append((settings, dtype)) or Pieces())
    study = STUDY.model_copy(update={"causal": Causal(examples_of="none", examples=2, longest_example=4)})
    config = toy_config(tmp_path).model_copy(update={"data": tmp_path})
    stage = causal.text_stage(study, config)
    assert stage.inputs == [tmp_path / "a", tmp_path / "b"]
    assert stage.work(Run(), tmp_path) == {"pieces": 3}
    assert read_json(tmp_path / causal.PIECES) == [1, 2, 14]
    assert read_casing(tmp_path / "casing.target.txt")["paris"] == "Paris"
    assert read_json(tmp_path / causal.PROMPT) == [
        "English: Is it Paris ?\nFrench: Ist es Paris ?\nEnglish: So\nFrench: Da\nEnglish: {source}\nFrench:",
        "en",
        "fr",
    ]
    assert read[0][1] == "bfloat16"


def test_systems_as_the_paper_have_rho_loops_and_the_first_judgement(toy):
    assert words(toy, "translated-gc-strong", 2).startswith("one c b")
    assert words(toy, "translated-gc-strong-paper", 2).startswith("one b d")
    assert outputs(toy, "translated-gc-strong-paper")[1].skeleton == "he sees dog"
    assert outputs(toy, "translated-gc-strong")[1].skeleton == "he saw dog"
    for system in SYSTEMS:
        assert system.loops == ("rho" if system.name.endswith("-paper") else "sigma")
    kinds = {system.name: system.skeleton for system in STUDY.chosen}
    assert kinds == {"plain": None, "gc": HAND_LONG, "gc-strong": HAND_LONG, "gc-strong-paper": HAND}


def test_sentences_without_a_skeleton_are_translated_plainly(toy):
    for system in ("gc", "gc-strong", "gc-strong-paper"):
        result = outputs(toy, f"translated-{system}")[3]
        assert (result.words, result.reachable, result.skeleton) == (words(toy, "translated-plain", 3), None, "")


def test_translations_contain_what_they_say(toy):
    for name in SENTENCES:
        for output in outputs(toy, "translated-gc-strong", name):
            rest = iter(output.words.split())
            assert all(word in rest for word in output.skeleton.split())
            assert (output.reachable is None) == (output.skeleton == "")


def test_stages_say_how_many_compositions_failed(toy):
    assert toy.records["translated-gc-strong"][f"failed_{NEWS}"] == 0
    assert toy.records["translated-plain"][f"failed_{NEWS}"] == 0


# ---------------------------------------------------------------- variants


def test_n_is_the_number_of_hypotheses_that_are_composed(toy):
    reached = {n: [output.reachable for output in outputs(toy, "variants", NEWS, f"n={n}")] for n in (1, 10, 3)}
    assert reached == {1: [True, False, True, None, True], 10: [True] * 3 + [None, True], 3: [True] * 3 + [None, True]}
    assert "sees" in words(toy, "variants", 1, "n=1")
    assert "saw" in words(toy, "variants", 1, "n=10")


def test_edits_reach_what_is_out_of_reach(toy):
    assert outputs(toy, "variants", NEWS, "n=1 with edits")[1].reachable
    assert not outputs(toy, "variants", NEWS, "n=1")[1].reachable


def test_rho_is_not_sigma(toy):
    assert words(toy, "variants", 2, "n=3").startswith("one c b")
    assert words(toy, "variants", 2, "rho").startswith("one b d")


def test_the_variant_with_all_hypotheses_is_the_system_itself(toy):
    for name in SENTENCES:
        assert outputs(toy, "variants", name, "n=3") == outputs(toy, "translated-gc-strong", name)


def test_short_and_both_skeletons(toy):
    values = {
        variant: outputs(toy, "variants", NEWS, variant)[1] for variant in ("short skeletons", "both skeletons", "n=3")
    }
    assert values["short skeletons"].skeleton == "he sees dog"
    assert values["n=3"].skeleton == "he saw dog"
    rest = values["both skeletons"].words.split()
    assert "sees" in rest  # the long skeleton's third hypothesis is the only one that goes with the short one's
    assert "had" in words(toy, "variants", 4, "both skeletons")
    assert "ate" in words(toy, "variants", 4, "the better of both skeletons")


def test_several_skeletons_share_their_weight(toy):
    space = read_space(sentence_file(toy.folders["spaces"], 1, NEWS))
    lists = [Nbest([words], np.array([[-3.0]]), (COST,)) for words in ("he big", "saw dog")]
    result = compose(space, lists, {**PLAIN, SKELETON: 2.0}, 1, STUDY.composition)
    assert result.costs == pytest.approx([1.2 + 2.0 * (3.0 + 3.0) / 2], abs=1e-5)


def test_pooled_lists_cost_what_each_hypothesis_costs_beyond_the_best_of_its_own():
    nbest = Nbest(["a", "b"], np.array([[-5.0], [-4.0]]), (COST,))
    assert relative(nbest, {SKELETON: 2.0}).features.tolist() == [[-2.0], [0.0]]


def test_skeletons_are_scored_under_the_weights_that_they_were_decoded_with(toy, tmp_path, monkeypatch):
    """Also where the plain system was tuned again, or all weights are."""
    entries = []

    def scored(folders, skeleton, scorer, weights, **how):
        entries.append((scorer, weights))
        return skeleton_nbest(folders, skeleton, scorer, weights, **how)

    study = ToyStudy(tmp_path / "own")
    for module in (tuning, variant_stages):
        monkeypatch.setattr(module, "skeleton_nbest", scored)
    study.tuned("gc")
    study.tuned("gc-strong")
    study.do(hand_variants_stage(STUDY, study.sentences))
    assert {scorer for scorer, _ in entries} == {"decoder", "strong"}
    assert all(weights == DECODER for _, weights in entries)


def test_loops_at_gaps_alone_allow_less(toy):
    name = "the decoder's 100 best"
    assert outputs(toy, "gap-variants", NEWS, name)[1].skeleton == "he saw dog"
    assert outputs(toy, "gap-variants", NEWS, f"{name}, loops at gaps")[1].skeleton == "he sees"


def test_automatic_skeletons_are_those_of_their_kind(toy):
    variant = f"automatic ({AUTO})"
    result = outputs(toy, "automatic-variants", NEWS, variant)
    assert [entry.reachable for entry in result] == [True, True, None, None, None]
    assert result[0].skeleton == "dog is"
    assert right(toy, "translated-gc-strong", NEWS)[0] is False
    assert result[0].words == SENTENCES[NEWS][0].reference


def test_variants_are_made_of_the_sets_that_they_are_for(toy):
    sets = {stage: {path.name.split(".")[0] for path in toy.folders[stage].glob("*.jsonl")} for stage in VARIANT_STAGES}
    assert sets == {
        "variants": {DEVELOPMENT, NEWS, LATE},
        "gap-variants": {NEWS, LATE},
        "automatic-variants": {NEWS, LATE},
    }


def test_a_protocol_with_fewer_variants(tmp_path):
    study = STUDY.model_copy(update={"variants": ("rho", "n=1"), "systems": ("plain", "gc-strong")})
    assert [variant.name for variant in chosen_variants(study, hand_variants(study))] == ["n=1", "rho"]
    assert not chosen_variants(study, gap_variants(study))
    outcome = ToyStudy(tmp_path / "own", study)
    outcome.tuned("gc-strong")
    folder = outcome.do(hand_variants_stage(study, outcome.sentences))
    assert {path.name for path in folder.glob(f"{NEWS}.*.jsonl")} == {
        f"{NEWS}.gc-strong, n=1.jsonl",
        f"{NEWS}.gc-strong, rho.jsonl",
    }


def test_variants_that_are_not_there_are_refused_before_hours_of_work():
    check_variants(STUDY, (AUTO,))
    with pytest.raises(LatticeSimpError, match=r"protocol.yaml: variants: no 'roh'; there are n=1; n=10"):
        check_variants(STUDY.model_copy(update={"variants": ("roh",)}), (AUTO,))
    with pytest.raises(LatticeSimpError, match=r"automatic_headline: 1: no skeletons of 'auto'"):
        check_variants(STUDY, ("tagger",))


def test_two_automatic_skeletons_are_a_variant_of_their_own():
    study = STUDY.model_copy(update={"automatic_headline": {1: ("a",), 2: ("a", "b")}})
    values = {variant.name: variant for variant in automatic_variants(study, ("a", "b", "c"))}
    pair = values["automatic (a + b)"]
    assert (pair.kinds, pair.several, pair.candidates) == (("a", "b"), "all", 1)
    assert (values["automatic (all at once)"].kinds, values["automatic (a)"].kinds) == (("a", "b", "c"), ("a",))
    assert (values["automatic (the best of all)"].several, values["automatic (the best of all)"].candidates) == (
        "best",
        3,
    )


# ---------------------------------------------------------------- skeleton-first decoding


@dataclass
class Calls:
    """Stands for the decoder: records its arguments and translates into them."""

    settings: DecoderSettings = field(default_factory=DecoderSettings)
    weights: dict[str, float] = field(default_factory=dict)

    @classmethod
    def load(cls, path: Any) -> Calls:
        return cls()

    def with_weights(self, weights: dict[str, float]) -> Calls:
        return replace(self, weights=weights)

    def translate(self, words, skeletons=(), strategy="plain", skeleton_hypotheses=None):
        value = skeleton_hypotheses[0] if skeleton_hypotheses else Hypothesis(("nothing",), 0.0)
        text = f"{strategy} {value.text} {value.cost:.1f} {self.weights['Skeleton']:.0f}"
        results = [Hypothesis(tuple(text.split()), 1.0), Hypothesis(("worse",), 2.0)]
        masks = [skeleton.to_mask() for skeleton in skeletons]
        return SimpleNamespace(nbest=lambda count: results[:count], reachable=True if masks == ["010101"] else None)


@pytest.fixture
def first(tmp_path, monkeypatch):
    """A study of skeleton-first decoding, with what its tuning was called with."""
    calls = []

    def tune(sentences, start, decoding, options, **others):
        calls.append(SimpleNamespace(sentences=sentences, start=start, decoding=decoding, mert=options.mert, **others))
        return TuningResult({**start, "Skeleton": 3.0}, 0.5, (Round(start, 0.4, 0.5),))

    monkeypatch.setattr(translating, "Decoder", Calls)
    monkeypatch.setattr(tuning, "tune", tune)
    study = STUDY.model_copy(
        update={"systems": ("plain", "gc-strong", "sfd", "sfd-strong"), "skeleton_first_sentences": 1}
    )
    outcome = ToyStudy(tmp_path / "own", study)
    for system in ("sfd", "sfd-strong"):
        outcome.tuned(system)
        outcome.translated(system)
    return outcome, calls


def test_skeleton_first_decoding_is_forced_to_the_skeletons_hypotheses(first):
    toy, _ = first
    assert words(toy, "translated-sfd", 4) == "skeleton-first we ate bread 0.0 3"
    assert words(toy, "translated-sfd-strong", 4) == "skeleton-first we had bread 0.4 3"
    assert words(toy, "translated-sfd", 3) == "plain nothing 0.0 3"
    assert [output.reachable for output in outputs(toy, "translated-sfd")] == [None] * 4 + [True]


def test_skeleton_first_decoding_tunes_one_weight_on_development_sentences(first):
    _, calls = first
    assert [call.start for call in calls] == [{**PLAIN, "Skeleton": 1.0}] * 2
    for call in calls:
        assert call.decoding.strategy == "skeleton-first"
        assert call.mert.fixed == frozenset(PLAIN)
        assert call.mert.signs == {"Skeleton": 1}
        (sentence,) = call.sentences
        assert sentence.words == tuple(SENTENCES[DEVELOPMENT][0].source.split())
        assert sentence.masks == ("110111",)
        assert [skeleton.text for skeleton in sentence.skeleton_hypotheses] == ["house was red", "house is red"]


# ---------------------------------------------------------------- keys of stages


def test_stages_depend_on_what_they_are_made_of():
    sentences = {name: [entry.sentence() for entry in sentence] for name, sentence in SENTENCES.items()}
    fewer = {**sentences, NEWS: sentences[NEWS][:2]}
    assert spaces_stage(STUDY, sentences, ()).settings != spaces_stage(STUDY, fewer, ()).settings
    with_rho = replace(STUDY.system("gc-strong"), loops="rho")
    head, other = (weights_stage(STUDY, each, sentences) for each in (STUDY.system("gc-strong"), with_rho))
    assert head.settings != other.settings
    assert {"weights-plain", "scores", "rescored-plain"} <= set(head.needs)
    assert len({str(variant.settings) for variant in hand_variants(STUDY)}) == len(hand_variants(STUDY))


def test_sentences_and_skeletons_are_decoded_under_the_tuned_weights(tmp_path, monkeypatch):
    toy, results = ToyStudy(tmp_path / "own"), []

    def spaces(model, value, beam, max_arcs, folder):
        results.append((model, value, beam, max_arcs))
        return lambda task: results.append(task) or 1

    def lists(model, value, folder):
        results.append((model, value))
        return lambda task: results.append((task[0].words, task[1]))

    monkeypatch.setattr(decoding, "space_maker", spaces)
    monkeypatch.setattr(decoding, "_nbest_maker", lists)
    model = toy.folders["model"]
    toy.do(spaces_stage(STUDY, toy.sentences, ()))
    assert results[0] == (model, DECODER, STUDY.beam, STUDY.max_arcs)
    assert results[1] == (f"{DEVELOPMENT}.000000.arrays", tuple(SENTENCES[DEVELOPMENT][0].source.split()))
    assert len(results) == 1 + sum(map(len, SENTENCES.values()))
    results.clear()
    toy.do(skeletons_stage(STUDY, toy.sentences, ()))
    assert results[0] == (model, DECODER)
    assert len(results) == 1 + 14
    assert {count for _, count in results[1:]} == {STUDY.hypotheses}
    results.clear()
    toy.do(automatic_stage(STUDY, toy.sentences, (), tmp_path))
    assert results == [(tmp_path, DECODER), (("n2", "n3", "n4", "n5", "."), 3), (("o1", "."), 3)]


def test_diverse_skeletons_have_a_number_of_hypotheses_of_their_own(tmp_path, monkeypatch):
    results = []
    monkeypatch.setattr(decoding, "_nbest_maker", lambda *_: lambda task: results.append((len(task[0].words), task[1])))
    words = tuple("a b c d".split())
    entry, second, three = (Skeleton(words, tuple(index < kept for index in range(4))) for kept in (1, 2, 3))
    kinds = {DIVERSE: (three, second), "tagger": (second,), HAND: (entry,)}
    study = STUDY.model_copy(update={"diverse": Diverse(hypotheses=2)})
    toy = ToyStudy(tmp_path / "own")
    toy.do(automatic_stage(study, {NEWS: [StudySentence(words, ("a",), ("a",), kinds)]}, (), tmp_path))
    assert sorted(results) == [(2, 3), (3, 2)]  # that of another method, too, has as many as that one's


def test_probable_skeletons_count_more(tmp_path):
    """The variant of several skeletons weighs them by their probabilities; edits keep all hypotheses."""
    toy = ToyStudy(tmp_path)
    toy.do(weights_stage(STUDY, toy.system("gc-strong"), toy.sentences))
    words = tuple("n1 n2 n3 n4 n5 .".split())
    results = []
    for shares in ((0.9, 0.1), (0.1, 0.9)):
        is_mask, was_mask = (Skeleton.from_mask(mask, words) for mask in ("111011", "111101"))
        for skeleton, text in ((is_mask, "dog is"), (was_mask, "dog was")):
            path = skeleton_path(toy.folders["automatic"], skeleton)
            Nbest([text], np.zeros((1, 1)), ("LM",)).write(path)
            Nbest([text], np.zeros((1, 1)), ("Strong",)).write(skeleton_path(toy.folders["automatic-scores"], skeleton))
        sentence = StudySentence(words, ("x",), ("x",), {DIVERSE: (is_mask, was_mask)}, probabilities={DIVERSE: shares})
        study = STUDY.model_copy(update={"automatic_headline": {}, "diverse": Diverse(weight=2.0)})
        sets = {DEVELOPMENT: toy.sentences[DEVELOPMENT], NEWS: [sentence]}
        stage = automatic_variants_stage(study, sets)
        folder = toy.do(stage)
        outputs = read_outputs(folder / f"{NEWS}.{row_name('automatic (diverse)')}.jsonl")
        results.append((outputs[0].words, outputs[0].reachable))
        shutil.rmtree(folder)
    assert results == [("my little dog is so brown now", True), ("my little dog was so brown now", True)]


def test_every_skeleton_is_decoded_once():
    sentences = {name: [entry.sentence() for entry in sentence] for name, sentence in SENTENCES.items()}
    assert other_kinds(sentences) == (AUTO,)
    results = [skeleton.words for skeleton in all_skeletons(sentences, (HAND, HAND_LONG))]
    assert len(results) == len(set(results)) == 14
    assert len(all_skeletons(sentences, (AUTO,))) == 2


# ---------------------------------------------------------------- how lists are rescored


def made_tuning_set(noise: float, seed: int = 0) -> TuningSet:
    """Lists whose cost is good for nothing, of two features that say together which hypothesis is right."""
    rng, lists, sentences = np.random.default_rng(seed), [], []
    for _ in range(30):
        right = " ".join(rng.permutation(list("abcdefgh")).tolist())
        words = [right, *(" ".join(rng.permutation(list("abcdefgh")).tolist()) for _ in range(5))]
        x = rng.normal(0, 5, 6)
        good = np.array([2.0, 0, 0, 0, 0, 0])
        columns = [rng.normal(0, 1, 6), x + good, -x, rng.normal(0, noise, 6) + good]
        lists.append(Nbest(words, np.column_stack(columns), (DECODER_COST, "X", "Y", "Strong")))
        sentences.append(StudySentence((), (right,), (right,), {}))
    return TuningSet.of(lists, sentences, ("Strong",))


def test_features_are_chosen_where_they_are_better_on_sentences_that_were_not_tuned_on(tmp_path):
    starts = {"cost": {DECODER_COST: 1.0}, "features": {"X": 1.0, "Y": 0.5}}
    chosen = rescoring.choose_learning(made_tuning_set(noise=4.0), starts, 1, tmp_path)
    assert chosen.features == "features"
    assert rescoring.chosen_learning(tmp_path) == chosen
    rows = rescoring.read_choice(tmp_path)["tried"]
    assert [len(row["bleu"]) for row in rows] == [2] * len(rescoring.TRIED)
    assert rescoring.choose_learning(made_tuning_set(noise=0.1), starts, 1, tmp_path) == rescoring.TRIED[0]


def test_one_sentence_is_too_few_to_choose_by(tmp_path):
    nbest = Nbest(["a b"], np.array([[1.0, 2.0]]), (DECODER_COST, "Strong"))
    tuning_set = TuningSet.of([nbest], [StudySentence((), ("a b",), ("a b",), {})], ("Strong",))
    with pytest.raises(LatticeSimpError, match="a development set of 2 sentences"):
        rescoring.choose_learning(tuning_set, {"cost": {DECODER_COST: 1.0}}, 1, tmp_path)


def test_folds_are_measured_with_weights_of_the_other_sentences():
    """What is right in one half is wrong in the other: tuned there, it is always wrong here."""
    wrong, right = [1, 0, 0, 0, 8, 7, 6, 5, 8], [8, 7, 6, 5, 8, 7, 6, 5, 8]
    scores = [np.array([[-sign], [sign]]) for sign in (1.0, -1.0)]
    lists = [HypothesisList(scores[index % 2], np.array([wrong, right])) for index in range(8)]
    tuning_set = TuningSet(tuple(lists), ("Strong",), ("Strong",))
    assert tuning_set.cross_validated({"Strong": 0.0}, 1.0, 1) == [0.0, 0.0]
    inside = [ranked for number in (0, 1) for ranked in tuning_set.fold(number)[1].lists]
    assert sorted(map(id, inside)) == sorted(map(id, lists))


def test_a_list_without_skeletons_has_their_features_at_zero():
    nbest = Nbest(["a b", "b"], np.array([[1.0, 2.0], [0.0, 1.0]]), (DECODER_COST, "LM"))
    other = Nbest(["a"], np.array([[1.0, 2.0, 3.0, 4.0]]), (DECODER_COST, "LM", SKELETON, "Strong"))
    sentences = [StudySentence((), ("a b",), ("a b",), {})] * 2
    tuning_set = TuningSet.of([nbest, other], sentences, ("Strong",))
    assert tuning_set.names == (DECODER_COST, "LM", SKELETON, "Strong")
    assert tuning_set.lists[0].features.tolist() == [[1, 2, 0, 0], [0, 1, 0, 0]]
    assert tuning_set.lists[0].statistics[:, 0].tolist() == [2, 1]
    assert tuning_set.chosen("cost") == (DECODER_COST, "Strong")
    assert tuning_set.chosen("features") == ("LM", SKELETON, "Strong")
