"""The whole pipeline on toy data: its results, and the stages that run again."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pytest
import yaml
from train.toy import contents, times, toy_tokens

from lattice_simp import Decoder
from lattice_simp.errors import LatticeSimpError
from lattice_simp.pipeline.stage import Run, stage_keys
from lattice_simp.systems.simplify.stages import SIMPLIFIER_STAGES
from lattice_simp.train.config import Config, read_config
from lattice_simp.train.model import _sentences
from lattice_simp.train.pipeline import STAGES, stages, train
from lattice_simp.translate.grammar import Grammar
from lattice_simp.translate.model_files import read_weights


def records_of(work):
    return json.loads((work / "results.json").read_text(encoding="utf-8"))


def keys_of(config: Config) -> dict[str, str]:
    return stage_keys(stages(config, SIMPLIFIER_STAGES))


# ---------------------------------------------------------------- what it makes


def test_the_stages_have_the_names_that_users_give(configured):
    assert tuple(stage.name for stage in stages(read_config(configured()))) == STAGES


def test_a_model_is_trained_that_translates_the_test_set(trained, toy_data):
    records = records_of(trained)
    assert tuple(records) == STAGES
    assert all({"stage", "key", "seconds", "cpu_seconds", "peak_mb"} <= record.keys() for record in records.values())
    assert records["prepare"]["pairs"] == records["prepare"]["read"] - sum(records["prepare"]["dropped"].values())
    assert records["tune"]["bleu_after"] >= records["tune"]["bleu_before"]
    scores = records["test"]["scores"]
    assert scores.keys() == {"test.start", "test.tuned"}
    assert scores["test.start"]["bleu_tok_lc"] > 60
    decoder = Decoder.load(trained / "model")
    output = (trained / f"test.{records['test']['key']}" / "test.tuned.txt").read_text(encoding="utf-8").splitlines()
    sources = [toy_tokens(line) for line in (toy_data / "test.fr").read_text(encoding="utf-8").splitlines()]
    assert len(output) == len(sources)
    for source, translation in zip(sources, output, strict=True):
        assert decoder.translate(source.replace("'", "' ")).best.text == translation


def test_every_stage_reports_its_progress(trained, reported, configured):
    assert tuple(reported) == tuple(records_of(trained))
    shards = 3  # of 90 pairs
    passes = [(done, shards) for done in range(shards + 1)]
    reading = [(done, None) for done in range(1, shards + 1)]
    assert reported["prepare"] == [*reading, *passes, *2 * passes, *passes]  # tokens, languages of two sides, selection
    assert reported["number"] == 3 * passes
    assert reported["align"][-len(passes) :] == passes
    align, total = reported["align"], reported["align"][0][1]
    assert align[: -len(passes)] == [(done, total) for done in range(1, total + 1)]
    assert reported["lexical"] == reported["extract"] == passes
    assert reported["count"] == reported["rules"] == [(0, 1), (1, 1)]
    assert reported["targets"] == [(0, 1), (1, 1), *passes, *passes]
    for name in ("tune", "test"):
        done, total = reported[name][-1]
        assert done == total > 0, name
    assert reported["language-model"] == reported["model"] == []  # they copy files

    results = []
    folders = {"prepare": next(trained.glob("prepare.*"))}
    lines = _sentences(
        read_config(configured()), Run(folders=folders, progress=lambda done, total: results.append((done, total)))
    )
    assert [origin for origin, _ in lines] == ["toy"] * records_of(trained)["prepare"]["pairs"]
    assert results == passes


def test_nothing_is_done_twice(trained_copy, configured, command):
    before, records = times(trained_copy), records_of(trained_copy)
    done = command(configured())
    assert done.returncode == 0
    assert [line.split("] ")[1].split(":")[0] for line in done.stderr.splitlines()] == [*STAGES[:11], "model", "test"]
    assert sum("done before" in line for line in done.stderr.splitlines()) == len(STAGES)
    assert times(trained_copy) == before
    assert records_of(trained_copy) == records


def test_a_user_may_edit_the_model(trained_copy, configured, command):
    stage = next(trained_copy.glob("tune.*/weights.tsv"))
    tuned = stage.read_bytes()
    (trained_copy / "model" / "weights.tsv").write_text("feature\tweight\nLM\t2\n")
    command(configured())
    assert stage.read_bytes() == tuned
    assert "LM\t2" in (trained_copy / "model" / "weights.tsv").read_text()


# ---------------------------------------------------------------- what depends on what

FROM = {name: STAGES[index:] for index, name in enumerate(STAGES)}
RULES = ("extract", "count", "targets", "rules", "model", "tune", "test")
MODEL = ("model", "tune", "test")
TUNE = ("tune", "test")
CHANGES = {
    "shard_lines=50": STAGES,
    "clean.max_words=70": STAGES,
    "clean.duplicates=true": STAGES,
    "clean.language=false": STAGES,
    "text.case=true": STAGES,
    "text.normalise=false": STAGES,
    "align.symmetrisation=union": ("align", "lexical", *RULES),
    "align={method: links, links: {toy: dev.fr}}": ("align", "lexical", *RULES),
    "rules.max_symbols=3": RULES,
    "rules.max_gaps=1": RULES,
    "rules.only_for=[dev.fr]": RULES,
    "rules.min_count_hierarchical=2": RULES[1:],
    "rules.max_targets=5": RULES[1:],
    "rules.grammar=full": ("rules", *MODEL),
    "rules.provenance=true": ("rules", *MODEL),
    "rules.max_span=5": RULES,
    "language_model.order=3": ("language-model", *MODEL),
    "language_model.prune=[0,1]": ("language-model", *MODEL),
    "language_model.discount_fallback=true": ("language-model", *MODEL),
    "language_model.texts=[dev.en]": ("language-model", *MODEL),
    "language_model.arpa=null": ("language-model", *MODEL),
    "language_model={arpa: null, mix_for: dev.en}": ("language-model", *MODEL),
    "tune.metric=sari": TUNE,
    "tune.beam=4": TUNE,
    "tune.max_arcs=500": TUNE,
    "tune.max_rounds=3": TUNE,
    "tune.random_directions=3": TUNE,
    "tune.restarts=2": TUNE,
    "tune.seed=2": TUNE,
    "tune.min_gain=0.1": TUNE,
    "tune.development.lines=5": TUNE,
    "tune.development=null": TUNE,
    "tune={length_ratio: 1, development: {name: d, source: dev.fr, references: [dev.en], lines: 5}}": TUNE,
    "test=[]": ("test",),
    "language_model.memory_mb=500": (),
    "model=elsewhere": (),
    "work=elsewhere": (),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_setting_redoes_what_depends_on_it(configured, change):
    before, after = keys_of(read_config(configured())), keys_of(read_config(configured(), [change]))
    assert tuple(name for name in STAGES if before[name] != after[name]) == CHANGES[change]


def test_a_simplifier_s_features_redo_its_model_alone(configured):
    texts = ("rules.max_gaps=0", "simplify={}", "simplify={simplicity: false}", "simplify={swaps: true}")
    plain, simple, without, swaps = (keys_of(read_config(configured(), [text])) for text in texts)
    assert tuple(name for name in STAGES if simple[name] != swaps[name]) == MODEL
    assert tuple(name for name in STAGES if plain[name] != simple[name]) == MODEL
    assert {name: without[name] for name in STAGES} == plain
    assert without["operations"] == simple["operations"]
    assert without["simplifier"] != simple["simplifier"]


def test_another_table_of_simpler_words_tunes_the_simplifier_anew(configured, grammar_folder):
    table = grammar_folder / "english" / "simpler_words.tsv"
    keys = []
    for rows in ("begin", "start"):
        table.write_text(f"words\tpart\tsimpler\tneeds\ncommence\tVERB\t{rows}\t\n", encoding="utf-8")
        keys.append(keys_of(read_config(configured(), ["simplify={}"])))
    assert [name for name in keys[0] if keys[0][name] != keys[1][name]] == ["simplifier", "calibration"]


def test_a_simplifier_s_model_has_features_of_simplicity(trained_copy, configured):
    rules = next(trained_copy.glob("rules.*/rules.arrays"))
    before = rules.read_bytes()
    config = read_config(configured(), ["simplify={swaps: true}"])
    folder = train(config, Run(), last="model", simplifier_stages=SIMPLIFIER_STAGES).folders["model"]
    grammar = Grammar.read(folder / "rules.arrays")
    assert grammar.feature_names[-3:] == ("Frequency", "Length", "Swap")
    assert {"Frequency", "Length", "Swap"} <= read_weights(folder / "weights.tsv").keys()
    assert np.abs(grammar.features[:, -3:]).max(axis=0).min() > 0
    assert grammar.rule(grammar.num_rules - 1).target == (1, 0)
    assert rules.read_bytes() == before, "the other stage's file stays as it is"


def test_no_setting_is_forgotten(configured):
    """Each field of each section is among those whose effect is tested above, or below."""
    tested = {change.split("=")[0] for change in CHANGES}
    tested |= {
        "align.method",
        "align.links",
        "data",
        "corpora",
        "text.source_language",
        "text.target_language",
        "text.tokenise",
        "simplify",
    }
    tested |= {"clean.min_words", "clean.max_ratio", "clean.max_word_letters"}
    tested |= {"language_model.mix_for", "tune.length_ratio"}  # with another setting
    fields = set()
    for name, field in Config.model_fields.items():
        section = getattr(field.annotation, "model_fields", None)
        fields |= {f"{name}.{inner}" for inner in section} if section else {name}
    assert fields - tested == set()


@pytest.mark.parametrize(
    "change",
    [
        "text.source_language=de",
        "text.target_language=de",
        "text.tokenise=false",
        "clean.min_words=2",
        "clean.max_ratio=3",
        "clean.max_word_letters=20",
    ],
)
def test_settings_of_the_text_redo_everything(configured, change):
    before, after = keys_of(read_config(configured())), keys_of(read_config(configured(), [change]))
    assert not set(before.values()) & set(after.values())


FILES = {
    "train.fr": STAGES,
    "train.en": STAGES,
    "lm.arpa": ("language-model", *MODEL),
    "dev.fr": TUNE,
    "dev.en": TUNE,
    "test.en": ("test",),
}


@pytest.mark.parametrize("name", FILES)
def test_the_content_of_files_counts(toy_data, configured, tmp_path, name):
    before = keys_of(read_config(configured()))
    data = tmp_path / "data"
    data.mkdir()
    for path in toy_data.iterdir():
        (data / path.name).write_bytes(path.read_bytes())
    assert keys_of(read_config(configured(data))) == before
    with open(data / name, "ab") as file:
        file.write(b"\n")
    after = keys_of(read_config(configured(data)))
    assert tuple(name for name in STAGES if before[name] != after[name]) == FILES[name]


def test_a_given_language_model_and_a_text_are_different_things(configured):
    text, arpa = ["language_model.arpa=null", "language_model.texts=[lm.arpa]"], ["language_model.arpa=lm.arpa"]
    assert len({keys_of(read_config(configured(), change))["language-model"] for change in (text, arpa)}) == 2


def test_a_changed_setting_leaves_the_other_stages_alone(trained_copy, configured, command):
    before, records = times(trained_copy), records_of(trained_copy)
    assert command(configured(), "--set", "rules.max_targets=1", "--quiet").returncode == 0
    after, redone = times(trained_copy), records_of(trained_copy)
    model = str(trained_copy / "model")
    assert {path: after[path] for path in before if not path.startswith(model + "/")} == {
        path: time for path, time in before.items() if not path.startswith(model + "/")
    }
    assert [name for name in STAGES if records[name] != redone[name]] == list(RULES[1:])
    assert redone["count"]["rules"] < records["count"]["rules"]
    # The directory holds the last model, and the first one is restored.
    assert json.loads((trained_copy / "model" / "training.json").read_text())["model"].endswith(redone["model"]["key"])
    assert command(configured(), "--quiet").returncode == 0
    assert records_of(trained_copy) == records
    assert json.loads((trained_copy / "model" / "training.json").read_text())["model"].endswith(records["model"]["key"])


# ---------------------------------------------------------------- parts of a run


def test_stages_are_done_again_from_one_on(trained, trained_copy, configured, command):
    before, records = times(trained_copy), records_of(trained_copy)
    (trained_copy / "model" / "rules.arrays").write_text("of an older run")
    assert command(configured(), "--from", "rules", "--quiet").returncode == 0
    after = times(trained_copy)
    changed = [path for path in before if before[path] != after[path]]
    again = {path.removeprefix(f"{trained_copy}/").split("/")[0].split(".")[0] for path in changed}
    assert again == {"rules", "language-model", "model", "tune", "test"}
    assert contents(trained_copy) == contents(trained)
    assert not list(trained_copy.glob("*.old"))
    assert [records_of(trained_copy)[name]["key"] for name in STAGES] == [records[name]["key"] for name in STAGES]


def test_a_run_stops_after_the_last_stage_and_goes_on(trained, configured, command, tmp_path):
    config = configured()
    assert command(config, "--to", "language-model", "--quiet").returncode == 0
    assert tuple(records_of(tmp_path / "work")) == ("prepare", "language-model")  # it needs no alignment
    shutil.rmtree(next((tmp_path / "work").glob("language-model.*")))
    assert command(config, "--to", "lexical", "--quiet").returncode == 0
    assert tuple(records_of(tmp_path / "work")) == STAGES[:4]
    assert {path.name.split(".")[0] for path in (tmp_path / "work").iterdir() if path.is_dir()} == set(STAGES[:4])
    before = times(tmp_path / "work")
    assert command(config, "--to", "extract", "--quiet").returncode == 0
    assert before.items() <= times(tmp_path / "work").items()
    result = contents(tmp_path / "work")
    assert result == {name: data for name, data in contents(trained).items() if name.split(".")[0] in STAGES[:5]}


def test_files_of_later_stages_need_not_be_there(configured, command):
    missing = ("--set", "language_model.arpa=missing.arpa", "--set", "tune.development.source=missing.fr")
    assert command(configured(), *missing, "--to", "number", "--quiet").returncode == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--from", "tuen"), "--from: unknown stage 'tuen' (did you mean 'tune'? The stages are prepare, number,"),
        (("--to", "language_model"), "--to: unknown stage 'language_model' (did you mean 'language-model'?"),
        (("--from", "tune", "--to", "align"), "--from tune: the stage 'align' of --to does not need this stage"),
        (("--dask", "nowhere"), "'nowhere' is not a Dask cluster"),
    ],
)
def test_options_that_make_no_sense_are_reported_before_any_work(configured, fails, tmp_path, options, message):
    assert message in fails(configured(), *options)
    assert not (tmp_path / "work").exists()


def test_settings_of_the_command_line_are_kept(configured, command, tmp_path):
    assert command(configured(), "--set", "clean.max_words=70", "--to", "number", "--quiet").returncode == 0
    kept = read_config(tmp_path / "work" / "config.yaml")
    assert kept == read_config(configured(clean={"max_words": 70}))
    assert yaml.safe_load((tmp_path / "work" / "config.yaml").read_text())["tune"]["seed"] == 1  # defaults, too


# ---------------------------------------------------------------- kinds of models


def test_truecased_models_with_all_rules_provenance_and_two_references(toy_data, configured, command, tmp_path):
    config = configured(
        text={"case": "true"},
        corpora=[
            {"name": "first", "source": "train.fr", "target": "train.en"},
            {"name": "second", "source": "dev.fr", "target": "dev.en"},
        ],
        rules={"grammar": "full", "provenance": True, "only_for": ["test.fr", "dev.fr"]},
        test=[{"name": "test", "source": "test.fr", "references": ["test.en", "test.en"], "lines": 5}],
    )
    assert command(config, "--quiet").returncode == 0
    records = records_of(tmp_path / "work")
    assert records["test"]["scores"]["test.tuned"]["bleu_13a"] > 50
    decoder = Decoder.load(tmp_path / "work" / "model")
    assert {"From-first", "From-second"} < set(decoder.grammar.feature_names)
    assert decoder.grammar.nonterminals == ("X",)
    names = {path.name for path in (tmp_path / "work" / "model").iterdir()}
    assert {"casing.source.txt", "casing.target.txt", "text.json", "settings.json", "training.json"} < names
    output = next((tmp_path / "work").glob("test.*/test.tuned.txt")).read_text(encoding="utf-8").splitlines()
    assert len(output) == 5
    assert all(line.startswith("the ") for line in output)


def test_without_a_development_set_the_weights_stay(trained_copy, configured, command, tmp_path):
    config = configured(tune={"development": None}, test=[], model=str(tmp_path / "own" / "model"))
    assert command(config, "--quiet").returncode == 0
    start = next((tmp_path / "work").glob("model.*/weights.tsv")).read_bytes()
    assert (tmp_path / "own" / "model" / "weights.tsv").read_bytes() == start
    assert records_of(tmp_path / "work")["test"]["scores"] == {}


def test_a_simplifier_is_never_left_out_silently(configured):
    config = read_config(configured(), ["simplify={}"])
    with pytest.raises(LatticeSimpError, match="SIMPLIFIER_STAGES"):
        train(config, Run(), last="model")
