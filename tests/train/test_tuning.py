"""Test sets, their translations, scores, and the resulting model directory."""

from __future__ import annotations

import json
import os

import pytest
from train.toy import toy_arpa, toy_tokens, write_lines

from lattice_simp import Decoder, LanguageModel
from lattice_simp.errors import FormatError, InputWarning, LatticeSimpError
from lattice_simp.lm.mixture import mixture_weights
from lattice_simp.pipeline.stage import Run
from lattice_simp.text.tokeniser import Tokeniser
from lattice_simp.train import model as model_module
from lattice_simp.train.config import TestSet, read_config
from lattice_simp.train.model import link_or_copy
from lattice_simp.train.tuning import (
    bleu,
    finish_model,
    read_development,
    read_test_set,
    read_texts,
    translate_lines,
    tune_stage,
)
from lattice_simp.translate.model_files import read_weights, write_weights
from lattice_simp.tune.rounds import Round, TuningResult


@pytest.fixture
def files(tmp_path):
    write_lines(tmp_path / "s", ["Le chat.", "", "La rue.", "Ici."])
    write_lines(tmp_path / "r0", ["The cat.", "", "The street.", "Here."])
    write_lines(tmp_path / "r1", ["A cat!", "x", "A road.", ""])
    return tmp_path


def a_set(lines=None, references=("r0", "r1")) -> TestSet:
    return TestSet(name="t", source="s", references=references, lines=lines)


def test_test_sets_are_read_raw_and_as_tokens(files, configured, tmp_path):
    config = read_config(configured(files))
    raw = read_texts(config, a_set())
    assert raw[0] == ["Le chat.", "", "La rue.", "Ici."]
    assert raw[1] == [["The cat.", "", "The street.", "Here."], ["A cat!", "x", "A road.", ""]]
    assert read_texts(config, a_set(3)) == (raw[0][:3], [entry[:3] for entry in raw[1]])
    assert read_texts(config, a_set(2)) == (
        ["Le chat.", "La rue."],
        [["The cat.", "The street."], ["A cat!", "A road."]],
    )
    (tmp_path / "text.json").write_text(json.dumps(config.text.model_dump()))
    source, references = read_test_set(config, a_set(3), tmp_path)
    assert source == ["le chat .", "", "la rue ."]
    assert references == [["the cat .", "", "the street ."], ["a cat !", "x", "a road ."]]


def test_a_skeleton_file_chooses_the_lines(files, configured):
    config = read_config(configured(files))
    record = '{"line": %d, "tokens": ["x", "y"], "keep": ["10"]}'
    write_lines(files / "some.jsonl", [record % 2, record % 0])
    chosen = a_set().model_copy(update={"skeletons": "some.jsonl"})
    assert read_texts(config, chosen)[0] == ["La rue.", "Le chat."]
    assert read_texts(config, chosen)[1][1] == ["A road.", "A cat!"]
    assert read_texts(config, chosen.model_copy(update={"lines": 1}))[0] == ["La rue."]
    write_lines(files / "some.jsonl", [record % 4])
    with pytest.raises(
        FormatError, match=r"some.jsonl: names line 4 of .*/s, which has 4 .*give the skeletons of this"
    ):
        read_texts(config, chosen)


def test_a_development_set_may_have_a_length_ratio(files, configured, tmp_path):
    write_lines(files / "s", ["a b", "a", "a b c", "", "a b c d", "a b"])
    write_lines(files / "r0", ["x y", "x", "x", "x", "x y", "x y"])
    development = "tune.development={name: t, source: s, references: [r0], lines: 3}"
    config = read_config(configured(files), [development])
    (tmp_path / "text.json").write_text(json.dumps(config.text.model_dump()))
    assert read_development(config, tmp_path)[0] == ["a b", "a b c", "a b c d"]  # evenly spread
    balanced = read_config(configured(files), [development, "tune.length_ratio=1"])
    assert read_development(balanced, tmp_path) == (["a b", "a", "a b"], [["x y", "x", "x y"]])
    longer = read_config(configured(files), [development, "tune.length_ratio=2"])
    assert read_development(longer, tmp_path)[0] == ["a b c", "a b c d", "a b"]


def test_truecased_models_read_truecased_tokens(files, configured, tmp_path):
    config = read_config(configured(files), ["text.case=true"])
    (tmp_path / "text.json").write_text(json.dumps(config.text.model_dump()))
    write_lines(tmp_path / "casing.source.txt", ["le", "Rue"])
    write_lines(tmp_path / "casing.target.txt", ["the"])
    source, references = read_test_set(config, a_set(references=("r0",)), tmp_path)
    assert source == ["le chat .", "", "La rue .", "Ici ."]
    assert references == [["the cat .", "", "the street .", "Here ."]]


def test_files_that_do_not_fit(files, configured):
    config = read_config(configured(files))
    write_lines(files / "r1", ["A cat!", "x", "A road."])
    with pytest.raises(FormatError, match=r"r1: has 3 lines, but .*/s has 4 lines \(give one line for each"):
        read_texts(config, a_set())
    write_lines(files / "s", [])
    with pytest.raises(FormatError, match=r"/s: the file is empty"):
        read_texts(config, a_set())


@pytest.mark.parametrize("metric", ["bleu", "sari"])
def test_the_record_of_tuning_names_its_metric(files, configured, trained, monkeypatch, tmp_path, metric):
    def tuned(sentences, weights, decoding, options, *, metric, say, progress):
        wanted.append((sentences[0].words, metric))
        rounds = (Round(weights, 0.25, 0.5), Round(weights, 0.5, 0.5))
        return TuningResult(weights, 0.5, rounds)

    wanted = []
    monkeypatch.setattr("lattice_simp.train.tuning.tune", tuned)
    development = "tune.development={name: d, source: s, references: [r0]}"
    stage = tune_stage(read_config(configured(files), [development, f"tune.metric={metric}"]))
    record = stage.work(Run(folders={"model": trained / "model"}), tmp_path)
    assert record == {"rounds": 2, f"{metric}_before": 0.25, f"{metric}_after": 0.5}
    assert wanted == [(("le", "chat", "."), metric)]
    assert [load[metric] for load in json.loads((tmp_path / "rounds.json").read_text("utf-8"))] == [0.25, 0.5]
    # The stages of earlier versions, which knew no other metric than BLEU, stay valid.
    assert ("metric" in stage.settings["tune"]) == (metric == "sari")


# ---------------------------------------------------------------- translations


def test_lines_are_translated_in_order_and_empty_ones_stay(trained):
    model = trained / "model"
    decoder = Decoder.load(model)
    weights = read_weights(model / "weights.tsv")
    sources = ["le chat noir .", "", "la rue .", "le chat noir .", "inconnu"]
    results = []
    lines = translate_lines(model, weights, sources, Run(progress=lambda done, total: results.append((done, total))))
    assert lines == [decoder.translate(source).best.text if source else "" for source in sources]
    assert lines[1] == ""
    assert lines[4] == "inconnu"
    assert results[-1] == (4, 4)
    # The weights that are given count, not those of the model directory.
    turned = {**weights, "TargetGivenSource": -20.0}
    assert translate_lines(model, turned, sources, Run()) != lines


def test_a_sentence_that_fails_is_named(trained, monkeypatch):
    def translate(decoder, source):
        raise LatticeSimpError("no way") if source == "b" else RuntimeError

    monkeypatch.setattr("lattice_simp.train.tuning.Decoder.translate", translate)
    with pytest.raises(LatticeSimpError, match=r"^sentence 3: no way$"):
        translate_lines(trained / "model", read_weights(trained / "model" / "weights.tsv"), ["", "", "b"], Run())


def test_scores_are_those_of_tokens_and_of_text():
    from sacrebleu.metrics.bleu import BLEU

    hypotheses = ["the black cat sees the dog , today .", "the dog finds a cat here ."]
    references = [["the black cat sees a dog , today .", "the dog finds the cat here ."]]
    originals = [["The black cat sees a dog, today.", "The dog finds the cat here."]]
    score = bleu(hypotheses, references, originals, Tokeniser("en"))
    texts = ["The black cat sees the dog, today.", "The dog finds a cat here."]
    assert score.bleu_tok_lc == pytest.approx(
        BLEU(tokenize="none").corpus_score(hypotheses, references).score, abs=1e-4
    )
    assert score.bleu_13a == pytest.approx(BLEU(lowercase=True).corpus_score(texts, originals).score, abs=1e-4)
    assert "case:lc" in score.signature_13a
    assert "tok:13a" in score.signature_13a
    assert "tok:none" in score.signature_tok_lc
    assert 20 < score.bleu_13a < 90
    cased = bleu(hypotheses, references, [["THE BLACK CAT SEES A DOG"] * 2], Tokeniser("en", case="true"))
    assert cased.bleu_13a < 5
    assert "case:mixed" in cased.signature_13a


def test_text_without_blanks_has_tokens_that_fit_it():
    score = bleu(["猫 坐 在 垫 子 上 。"], [["猫 睡 在 垫 子 上 。"]], [["猫睡在垫子上。"]], Tokeniser("zh"))
    assert "tok:zh" in score.signature_13a
    assert score.bleu_13a == score.bleu_tok_lc > 30


def test_several_references_count():
    references = [["a b c d x", "e"], ["a b c d e", "e"]]
    assert bleu(["a b c d e", "e"], references, references, Tokeniser("en", tokenise=False)).bleu_tok_lc > 99.9


# ---------------------------------------------------------------- the model directory


@pytest.fixture
def stages(tmp_path):
    """Folders as the stages `model` and `tune` make them."""
    model, tuned = tmp_path / "model.k1", tmp_path / "tune.k2"
    for folder in (model, tuned):
        folder.mkdir(parents=True)
    for name in ("rules.arrays", "lm.arpa", "settings.json", "stage.json"):
        (model / name).write_text(name)
    write_weights(model / "weights.tsv", {"LM": 1.0})
    write_weights(tuned / "weights.tsv", {"LM": 2.0})
    (tuned / "stage.json").write_text("{}")
    return model, tuned


def raising(error: BaseException):
    def run(*arguments):
        raise error

    return run


def files_of(folder):
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}


def test_a_model_directory_has_the_files_and_the_tuned_weights(stages, tmp_path):
    finish_model(*stages, tmp_path / "a" / "model")
    result = files_of(tmp_path / "a" / "model")
    assert set(result) == {"rules.arrays", "lm.arpa", "settings.json", "weights.tsv", "training.json"}
    assert read_weights(tmp_path / "a" / "model" / "weights.tsv") == {"LM": 2.0}
    assert json.loads(result["training.json"]) == {"model": "model.k1", "weights": "tune.k2"}


def test_a_model_that_is_there_is_left_alone_and_another_one_replaced(stages, tmp_path):
    model, tuned = stages
    target = tmp_path / "model"
    finish_model(model, tuned, target)
    (target / "settings.json").write_text("of the user")
    (target / "notes").write_text("of the user")
    finish_model(model, tuned, target)
    assert files_of(target)["settings.json"] == "of the user"
    other = tuned.rename(tmp_path / "tune.k3")
    finish_model(model, other, target)
    assert files_of(target)["settings.json"] == "settings.json"
    assert files_of(target)["notes"] == "of the user"


def test_a_model_that_was_half_made_is_made_again(stages, tmp_path, monkeypatch):
    model, tuned = stages
    target = tmp_path / "model"
    finish_model(model, tuned, target)
    whole = files_of(target)
    other = tuned.rename(tmp_path / "tune.k3")
    with monkeypatch.context() as patch:
        patch.setattr("shutil.copyfile", raising(KeyboardInterrupt()))
        with pytest.raises(KeyboardInterrupt):
            finish_model(model, other, target)
    with pytest.raises(FormatError, match=r"model: is incomplete: its training was interrupted \(run the training"):
        Decoder.load(target)
    back = other.rename(tuned)
    finish_model(model, back, target)  # made of the same stages as at first, but not complete now
    assert files_of(target) == whole


def test_large_files_are_linked_and_small_ones_copied(tmp_path, monkeypatch):
    (tmp_path / "small").write_text("x" * 100)
    (tmp_path / "large").write_text("x" * 101)
    monkeypatch.setattr(model_module, "SMALL", 100)
    for name in ("small", "large"):
        (tmp_path / f"{name}.2").write_text("older")
        link_or_copy(tmp_path / name, tmp_path / f"{name}.2")
        assert (tmp_path / f"{name}.2").read_text() == (tmp_path / name).read_text()
    assert not os.path.samefile(tmp_path / "small", tmp_path / "small.2")
    assert os.path.samefile(tmp_path / "large", tmp_path / "large.2")
    monkeypatch.setattr(os, "link", raising(OSError("another disk")))
    link_or_copy(tmp_path / "large", tmp_path / "copy")
    assert not os.path.samefile(tmp_path / "large", tmp_path / "copy")
    assert (tmp_path / "copy").read_text() == "x" * 101


# ---------------------------------------------------------------- the language model


def test_further_texts_are_split_and_cased_like_the_corpus(trained, configured, tmp_path, monkeypatch):
    """What `lmplz` would get: the target side, then the texts, without reserved words and empty lines."""
    entries = []

    def estimate(text, arpa, **options):
        entries.append((text.read_text(encoding="utf-8").splitlines(), options))
        arpa.write_text("")

    monkeypatch.setattr(model_module, "estimate", estimate)
    write_lines(tmp_path / "more.en", ["A Text, here.", "", "the <unk> word", "The END."])
    changes = {"arpa": None, "texts": [str(tmp_path / "more.en")], "order": 3, "prune": [0, 1], "memory_mb": 123}
    config = read_config(configured(language_model=changes, text={"tokenise": False, "normalise": False}))
    folder = tmp_path / "lm"
    folder.mkdir()
    stage = model_module.language_model_stage(config)
    record = stage.work(Run(folders={"prepare": next(trained.glob("prepare.*"))}), folder)
    lines, options = entries[0]
    assert lines[230:] == ["a text, here.", "the end."]
    assert len(lines) == record["sentences"] == 232
    assert (options["order"], options["prune"], options["memory"]) == (3, (0, 1), 123)
    assert [path.name for path in folder.iterdir()] == ["lm.arpa"]
    assert stage.check is model_module.find_lmplz


def test_a_mixture_has_a_model_of_each_corpus_and_text(trained, toy_data, configured, tmp_path, monkeypatch):
    """Its weights are those of the text that it is for, tokenised and cased like the corpus."""
    entries = []

    def estimate(text, arpa, **options):
        entries.append(text.read_text(encoding="utf-8").splitlines())
        arpa.write_text(toy_arpa(entries[-1]), encoding="utf-8")

    monkeypatch.setattr(model_module, "estimate", estimate)
    write_lines(tmp_path / "more.en", ["An other text here.", "The end."])
    changes = {"arpa": None, "texts": [str(tmp_path / "more.en")], "mix_for": "dev.en"}
    config = read_config(configured(language_model=changes))
    (folder := tmp_path / "lm").mkdir()
    stage = model_module.language_model_stage(config)
    assert stage.check is model_module.find_lmplz
    assert toy_data / "dev.en" in stage.inputs
    record = stage.work(Run(folders={"prepare": next(trained.glob("prepare.*"))}), folder)
    assert [path.name for path in folder.iterdir()] == ["lm.arpa"]
    assert entries[1] == ["an other text here .", "the end ."]
    assert list(record["mixture"]) == ["toy", str(tmp_path / "more.en")]
    models = [LanguageModel.from_bytes(toy_arpa(lines).encode()) for lines in entries]
    text = [toy_tokens(line) for line in (toy_data / "dev.en").read_text(encoding="utf-8").splitlines()]
    expected = mixture_weights(models, text)
    assert [part["weight"] for part in record["mixture"].values()] == pytest.approx(expected.weights.tolist())
    assert record["mixture"]["toy"]["weight"] > 0.9
    assert record["perplexity"] == pytest.approx(expected.perplexity)
    assert record["perplexity"] < record["perplexity_equal_weights"]
    written = LanguageModel.read(folder / "lm.arpa", cache=False)
    assert written.score(text[0]) == pytest.approx(models[0].score(text[0]), abs=2.0)


def test_lists_in_place_of_texts_of_a_model_are_told(trained, configured, tmp_path, monkeypatch):
    monkeypatch.setattr(model_module, "estimate", lambda text, arpa, **options: arpa.write_text(toy_arpa(["a"])))
    for name in ("more.en", "for.en"):
        write_lines(tmp_path / name, ["0 ||| The end. ||| -1", "1 ||| The start. ||| -1"])
    changes = {"arpa": None, "texts": [str(tmp_path / "more.en")], "mix_for": str(tmp_path / "for.en")}
    stage = model_module.language_model_stage(read_config(configured(language_model=changes)))
    (folder := tmp_path / "lm").mkdir()
    with pytest.warns(InputWarning, match="looks like an n-best list") as caught:
        stage.work(Run(folders={"prepare": next(trained.glob("prepare.*"))}), folder)
    assert sorted(str(warning.message).split(":")[0] for warning in caught) == [
        str(tmp_path / n) for n in ("for.en", "more.en")
    ]


def test_a_text_that_is_too_small_for_a_model_is_named(trained, configured, tmp_path, monkeypatch):
    def estimate(text, arpa, **options):
        raise LatticeSimpError("too small")

    monkeypatch.setattr(model_module, "estimate", estimate)
    stage = model_module.language_model_stage(
        read_config(configured(language_model={"arpa": None, "mix_for": "dev.en"}))
    )
    with pytest.raises(LatticeSimpError, match=r"^toy: too small$"):
        stage.work(Run(folders={"prepare": next(trained.glob("prepare.*"))}), tmp_path)


def test_a_packed_language_model_is_unpacked(trained, toy_data, configured, tmp_path):
    import gzip

    (tmp_path / "lm.gz").write_bytes(gzip.compress((toy_data / "lm.arpa").read_bytes()))
    config = read_config(configured(language_model={"arpa": str(tmp_path / "lm.gz")}))
    (tmp_path / "lm").mkdir()
    model_module.language_model_stage(config).work(Run(), tmp_path / "lm")
    assert (tmp_path / "lm" / "lm.arpa").read_bytes() == (toy_data / "lm.arpa").read_bytes()


@pytest.mark.usefixtures("lmplz")
def test_a_language_model_is_estimated(trained_copy, configured, command):
    config = configured(language_model={"arpa": None, "order": 2, "discount_fallback": True})
    assert command(config, "--to", "model", "--quiet").returncode == 0
    assert any(b"\\1-grams:" in path.read_bytes() for path in trained_copy.glob("language-model.*/lm.arpa"))
