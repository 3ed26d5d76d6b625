"""The study of skeletons on a toy language pair, from training to its page."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import yaml
from toy_study import write_skeletons
from train.toy import toy_config, toy_pairs, write_lines, write_toy_data

from experiments.study import measuring
from experiments.study.__main__ import main
from experiments.study.composing import compose
from experiments.study.config import read_study
from experiments.study.decoding import read_space
from experiments.study.nbest import Nbest
from experiments.study.pipeline import run_study, with_rules_for
from experiments.study.protocol import file_sha
from experiments.study.sentences import DEVELOPMENT, TEST
from experiments.study.systems import RESCORED, SYSTEMS
from experiments.study.translating import read_outputs, translations_stage
from lattice_simp.errors import FormatError, LatticeSimpError
from lattice_simp.metrics import bleu_tok, chrf
from lattice_simp.pipeline.stage import Run
from lattice_simp.translate.settings import SkeletonSettings

pytestmark = pytest.mark.slow

STUDY = {
    "hypotheses": 20,
    "rescored_hypotheses": 20,
    "tuning_hypotheses": 10,
    "tuning_rounds": 2,
    "scorers": ["bilingual", "model1"],
    "automatic": [],
    "test_sets": {"test": "seen", "late": "new"},
    "automatic_headline": {1: ["short"]},
}

SETS = (DEVELOPMENT, TEST, "late")

HOW = SkeletonSettings(weight=1.0)


@pytest.fixture(scope="module")
def experiment(tmp_path_factory) -> Path:
    """A folder with the files of an experiment."""
    folder = tmp_path_factory.mktemp("experiment")
    data = write_toy_data(folder)
    late = toy_pairs(4, seed=4)
    write_lines(data / "late.fr", [source for source, _ in late])
    write_lines(data / "late.en", [target for _, target in late])
    for name in ("dev", "test", "late"):
        write_skeletons(data, name, 1)
        write_skeletons(data, name, 2)
    values = toy_config(data, folder / "work", rules={"only_for": ["dev.1.jsonl", "test.1.jsonl", "late.1.jsonl"]})
    values["tune"]["development"]["skeletons"] = "dev.1.jsonl"
    values["test"][0]["skeletons"] = "test.1.jsonl"
    values["test"].append({"name": "late", "source": "late.fr", "references": ["late.en"], "skeletons": "late.1.jsonl"})
    (folder / "config.yaml").write_text(yaml.safe_dump(values), encoding="utf-8")
    (folder / "protocol.yaml").write_text(yaml.safe_dump(STUDY), encoding="utf-8")
    return folder


@pytest.fixture(autouse=True, scope="module")
def inline():
    """Tasks run in this process; METEOR, which needs Java, is left out."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(measuring, "metrics", lambda config: [bleu_tok(), chrf()])
        for name in ("find_jar", "find_java"):
            patch.setattr(f"experiments.study.pipeline.{name}", lambda: None)
        yield


@pytest.fixture(scope="module")
def done(experiment):
    study, config = read_study(experiment, [])
    return run_study(study, config, {"short": experiment / "test.2.jsonl"}, Run())


@pytest.mark.slow
def test_every_system_translates_every_sentence(done):
    for name in SETS:
        for system in SYSTEMS:
            for folder in (f"translated-{system.name}", f"rescored-{system.name}"):
                outputs = read_outputs(done.folders[folder] / f"{name}.jsonl")
                assert len(outputs) == len(done.sentences[name])
                assert all(output.words for output in outputs)


def test_rules_are_for_the_automatic_skeletons_too(experiment, tmp_path):
    _, config = read_study(experiment, [])
    every = config.model_copy(update={"rules": config.rules.model_copy(update={"only_for": ()})})
    assert with_rules_for(every, [tmp_path / "tagger.jsonl"]).rules.only_for == ()
    some = config.model_copy(update={"rules": config.rules.model_copy(update={"only_for": (Path("own.jsonl"),)})})
    assert with_rules_for(some, [tmp_path / "a"]).rules.only_for == (Path("own.jsonl"), tmp_path / "a")


@pytest.mark.slow
def test_systems_that_decode_anew_translate_the_development_set_for_rescoring_alone(done):
    for rescored, names in ((None, SETS), (("plain", "gc-strong"), SETS[1:])):
        study = done.study.model_copy(update={"rescored": rescored})
        for system in study.chosen:
            result = translations_stage(study, system, done.sentences).work.args[2]
            assert tuple(result) == (names if system.decodes_anew else SETS)


def test_the_kinds_of_skeletons_are_the_judgements_of_the_sets_own_files(done):
    for name in SETS:
        for sentence in done.sentences[name]:
            count = len(sentence.words)
            masks = {
                kind: [skeleton.to_mask() for skeleton in skeletons] for kind, skeletons in sentence.skeletons.items()
            }
            gone = {"hand": count - 2, "hand-long": 1}
            expected = {kind: ["".join("01"[i != place] for i in range(count))] for kind, place in gone.items()}
            actual = {kind: masks[kind] for kind in expected}
            assert actual == expected
            assert ("short" in masks) == (name == TEST)  # its file has the sentences of this set


def contains(words: str, skeleton: str) -> bool:
    rest = iter(words.split())
    return all(word in rest for word in skeleton.split())


def test_gappy_composition_keeps_the_skeletons_translation(done):
    outputs = read_outputs(done.folders["translated-gc"] / f"{TEST}.jsonl")
    assert any(output.reachable for output in outputs)
    for output in outputs:
        assert output.reachable == bool(output.skeleton)
        assert contains(output.words, output.skeleton)


def test_more_skeleton_hypotheses_fail_less_and_edits_never(done):
    def failed(variant):
        outputs = read_outputs(done.folders["variants"] / f"{TEST}.gc-strong, {variant}.jsonl")
        return sum(output.reachable is False for output in outputs)

    assert failed("n=1") >= failed("n=10") >= failed("n=20")
    assert failed("n=1 with edits") == 0


def test_loops_at_gaps_allow_less(done):
    def found(name):
        path = done.folders["gap-variants"] / f"{TEST}.gc-strong, {name}.jsonl"
        return [output.reachable for output in read_outputs(path)]

    everywhere, at_gaps = found("the decoder's 100 best"), found("the decoder's 100 best, loops at gaps")
    assert any(at_gaps)
    assert all(wide or not narrow for wide, narrow in zip(everywhere, at_gaps, strict=True))


def test_compositions_cost_what_their_features_say(done, experiment):
    path = next(done.folders["spaces"].glob("*.arrays"))
    space, weights = read_space(path), {"LM": 0.7, "Skeleton:x": 2.0}
    plain = compose(space, [], weights, 5, HOW)
    words = plain.nbest.words[-1].split()
    skeletons = Nbest([" ".join(words[:2]), "no such words"], np.array([[-1.5], [0.0]]), ("x",))
    result = compose(space, [skeletons], weights, 5, HOW)
    assert result.reachable
    assert set(result.skeletons) == {" ".join(words[:2])}
    assert result.costs == pytest.approx(result.nbest.costs(weights).tolist(), abs=1e-4)
    assert result.costs[0] >= plain.costs[0] + 3.0 - 1e-4
    none = compose(space, [Nbest(["no such words"], skeletons.features[:1], ("x",))], weights, 5, HOW)
    assert not none.reachable
    assert none.nbest.words == plain.nbest.words


def test_all_of_several_skeletons_are_kept(done):
    space = read_space(next(done.folders["spaces"].glob("*.arrays")))
    plain = compose(space, [], {"LM": 1.0}, 1, HOW)
    words = plain.nbest.words[0].split()
    lists = [Nbest([each], np.array([[-1.0]]), ("x",)) for each in (words[0], words[-1])]
    result = compose(space, lists, {"LM": 1.0, "Skeleton:x": 2.0}, 1, HOW)
    assert result.nbest.words[0].split()[0] == words[0]
    assert result.nbest.words[0].split()[-1] == words[-1]
    assert result.costs[0] == pytest.approx(plain.costs[0] + 2.0, abs=1e-4)
    lists[1] = Nbest(["no such word"], np.array([[0.0]]), ("x",))
    assert not compose(space, lists, {"LM": 1.0}, 1, HOW).reachable


def test_the_page_and_the_figures_are_written_from_the_stages(experiment, done, capsys):
    arguments = [str(experiment), "--skeletons", f"short={experiment / 'test.2.jsonl'}", "--command", "make it"]
    main(arguments)
    page = (experiment / "RESULTS.md").read_text(encoding="utf-8")
    assert "done before" in capsys.readouterr().err
    assert "`make it`" in page
    figures = json.loads((experiment / "results.json").read_text(encoding="utf-8"))
    expected = bleu_tok().corpus_score(
        [output.words for output in read_outputs(done.folders["translated-plain"] / f"{TEST}.jsonl")],
        [[sentence.references[0] for sentence in done.sentences[TEST]]],
    )
    assert figures["test_plain_bleu"] == pytest.approx(expected)
    assert f"{expected:.2f}" in page
    for name in ("test", "late"):
        assert figures["bilingual_perplexity"] > 1.0
        keys = {
            "gc_bleu",
            "sfd_bleu",
            "gc_gain_bleu",
            "gc_gain_p",
            "gc_rescored_gain_p",
            "failed_1_pct",
            "auto_gain_bleu",
        }
        assert {f"{name}_{key}" for key in keys} <= figures.keys()
    assert figures["sets"].keys() == {"dev", "test", "late"}
    assert figures["sets"]["test"].keys() == {system.name + suffix for system in SYSTEMS for suffix in ("", RESCORED)}
    assert figures["protocol_sha"] == file_sha(experiment / "protocol.yaml")
    assert not figures["protocol_frozen"]
    assert "**Not the results of a frozen protocol**: protocol.yaml or config.yaml was not committed" in page
    assert "(test set, new; n = 4)" in page
    assert {path.suffix for path in (experiment / "plots").iterdir()} == {".png", ".svg"}


def test_a_study_goes_on_where_it_was_killed(experiment, done, tmp_path):
    study, config = read_study(experiment, [])
    result = config.model_copy(update={"work": tmp_path / "work"})
    shutil.copytree(config.work, result.work)
    spaces = result.work / done.folders["spaces"].name
    broken = spaces.with_name(spaces.name + ".partial")
    spaces.rename(broken)
    (broken / "stage.json").unlink()
    kept, lost = sorted(broken.glob("*.arrays"))[:2]
    before = kept.stat().st_mtime_ns
    lost.unlink()
    again = run_study(study, result, {"short": experiment / "test.2.jsonl"}, Run())
    assert (again.folders["spaces"] / kept.name).stat().st_mtime_ns == before
    assert (again.folders["spaces"] / lost.name).read_bytes() == (done.folders["spaces"] / lost.name).read_bytes()


# ---------------------------------------------------------------- faults


def test_a_study_needs_skeletons(experiment, tmp_path):
    values = yaml.safe_load((experiment / "config.yaml").read_text(encoding="utf-8"))
    del values["test"][0]["skeletons"]
    (tmp_path / "config.yaml").write_text(yaml.safe_dump(values), encoding="utf-8")
    (tmp_path / "protocol.yaml").write_text("{hypotheses: 5, automatic: []}\n", encoding="utf-8")
    with pytest.raises(FormatError, match="a study needs a development set and test sets, all with skeletons"):
        read_study(tmp_path, [])
    (tmp_path / "protocol.yaml").write_text("hypothesis: 5\n", encoding="utf-8")
    with pytest.raises(FormatError, match=r"protocol.yaml: unknown field hypothesis .*did you mean hypotheses\?"):
        read_study(tmp_path, [])


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("systems: [plain, gc-stronk]", "systems: .*no system 'gc-stronk'; there are plain, gc"),
        ("systems: [plain, gc]", "systems: .*the system 'gc-strong' is missing"),
        ("rescored: [gc-strong]", "rescored: .*the system 'plain' is missing"),
        ("translated: [optimum]", "translated.0: "),
        ("automatic: [tagger]", "skeletons are made of English, not of fr"),
        ("a: [", "invalid YAML"),
    ],
)
def test_settings_that_cannot_be(experiment, tmp_path, line, message):
    shutil.copy(experiment / "config.yaml", tmp_path)
    (tmp_path / "protocol.yaml").write_text(line + "\n", encoding="utf-8")
    with pytest.raises(FormatError, match=f"protocol.yaml:.* {message}"):
        read_study(tmp_path, [])


def test_skeletons_of_other_tokens_are_refused(experiment, tmp_path):
    study, config = read_study(experiment, [])
    other = tmp_path / "other.jsonl"
    other.write_text('{"line": 0, "tokens": ["a", "b"], "keep": ["10"]}\n', encoding="utf-8")
    study = study.model_copy(update={"automatic_headline": {}})
    with pytest.raises(LatticeSimpError, match=r"other.jsonl: holds no sentence of the sets"):
        run_study(study, config, {"own": other}, Run())
