"""The protocol of a study: valid content, and results of frozen protocols."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
import yaml
from train.toy import toy_config

from experiments.study.config import PROTOCOL, Study, read_study
from experiments.study.paper import paper_table
from experiments.study.protocol import (
    ProtocolRun,
    file_sha,
    is_committed,
    protocol_figures,
    protocol_text,
    read_runs,
    shortcomings,
)
from experiments.study.systems import RESCORED
from experiments.study.variants import check_variants
from lattice_simp.errors import FormatError

EXPERIMENTS = Path(__file__).resolve().parents[2] / "experiments"

STUDIES = ["en-de", "en-de-transformer", "en-fr", "en-fr-neural", "en-fr-rows", "en-fr-transformer"]

STUDY = {"automatic": [], "test_sets": {"test": "seen", "late": "new"}}


@pytest.fixture
def folder(tmp_path):
    """The folder of a study with two test sets and two corpora."""
    path = tmp_path / "study"
    path.mkdir()
    write(path, STUDY)
    return path


def write(folder, study, **sections):
    inputs = {"source": "test.fr", "references": ["test.en"], "skeletons": "test.jsonl"}
    values = toy_config(folder, folder / "work", **sections)
    values["corpora"].append({"name": "news", "source": "news.fr", "target": "news.en"})
    values["tune"]["development"]["skeletons"] = "dev.jsonl"
    late = {"source": "late.fr", "references": ["late.en"], "skeletons": "late.jsonl"}
    values["test"] = sections.get("test") or [{"name": "test", **inputs}, {"name": "late", **late}]
    (folder / "config.yaml").write_text(yaml.safe_dump(values), encoding="utf-8")
    (folder / PROTOCOL).write_text(yaml.safe_dump(study), encoding="utf-8")


def refused(folder, message, study=None, **sections):
    write(folder, {**STUDY, **(study or {})}, **sections)
    with pytest.raises(FormatError, match=message):
        read_study(folder, [])


# ---------------------------------------------------------------- what it may say


def test_the_protocol_names_the_state_of_each_test_set(folder):
    assert read_study(folder, [])[0].test_sets == {"test": "seen", "late": "new"}
    refused(folder, r"protocol.yaml: test_sets names test; the config has test, late", {"test_sets": {"test": "new"}})
    every = {"test": "new", "late": "new", "other": "new"}
    refused(folder, r"test_sets names .*other.*; the config has test, late", {"test_sets": every})
    refused(folder, r"test_sets.test: ", {"test_sets": {"test": "old", "late": "new"}})


def test_a_test_set_is_not_called_as_the_development_set(folder):
    values = {"name": "development", "source": "a", "references": ["b"], "skeletons": "c"}
    refused(folder, "a test set has the name 'development'", {"test_sets": {}}, test=[values])


def test_corpora_that_are_held_out_are_not_trained_on(folder):
    write(folder, {**STUDY, "held_out": ["news"]})
    assert [corpus.name for corpus in read_study(folder, [])[1].corpora] == ["toy"]
    write(folder, STUDY)
    assert [corpus.name for corpus in read_study(folder, [])[1].corpora] == ["toy", "news"]
    refused(folder, r"held_out: no corpus 'nwes'; there are toy, news", {"held_out": ["nwes"]})
    refused(folder, r"held_out: no corpus is left", {"held_out": ["toy", "news"]})


@pytest.mark.parametrize("name", ["dev.fr", "dev.en", "test.fr", "late.en"])
def test_no_set_is_trained_on(folder, name):
    for pair in ({"source": name, "target": "x"}, {"source": "x", "target": f"../{folder.name}/{name}"}):
        refused(folder, rf"config.yaml: {name} of \w+ is trained on", corpora=[{"name": "toy", **pair}])
    refused(folder, f"{name} of .* is trained on", language_model={"arpa": None, "texts": [name]})


def test_a_held_out_corpus_may_be_a_test_set(folder):
    corpora = [{"name": "toy", "source": "late.fr", "target": "late.en"}]
    write(folder, {**STUDY, "held_out": ["toy"]}, corpora=corpora)
    assert [corpus.name for corpus in read_study(folder, [])[1].corpora] == ["news"]


@pytest.mark.parametrize(
    ("study", "message"),
    [
        ({"headline": {"gc": "gc-stronk"}}, "headline: no system 'gc-stronk'; there are plain, gc"),
        ({"automatic_headline": {2: ["tagger"]}}, "automatic_headline: 2: .*give one kind for 1, and two for 2"),
        ({"automatic_headline": {2: ["tagger", "tagger"]}}, "automatic_headline: 2: "),
        ({"automatic_headline": {3: ["a", "b", "c"]}}, "automatic_headline: 3: "),
    ],
)
def test_headlines_that_cannot_be(folder, study, message):
    refused(folder, message, study)


# ---------------------------------------------------------------- whether it was frozen


def git(folder, *arguments):
    results = ["git", "-c", "user.name=A", "-c", "user.email=a@b.c", *arguments]
    subprocess.run(results, cwd=folder, check=True, capture_output=True)


@pytest.fixture
def committed(folder):
    git(folder, "init")
    git(folder, "add", ".")
    git(folder, "commit", "-m", "A protocol")
    return folder


def test_files_are_committed_if_they_are_as_in_the_last_commit(folder):
    names = (PROTOCOL, "config.yaml")
    assert not is_committed(folder, names)
    git(folder, "init")
    git(folder, "add", PROTOCOL)
    git(folder, "commit", "-m", "The protocol alone")
    assert is_committed(folder, names[:1])
    assert not is_committed(folder, names)
    git(folder, "add", ".")
    assert not is_committed(folder, names)
    git(folder, "commit", "-m", "Both")
    assert is_committed(folder, names)
    with open(folder / PROTOCOL, "a", encoding="utf-8") as file:
        file.write("# changed\n")
    assert not is_committed(folder, names)


def test_results_of_a_frozen_protocol(committed):
    study = read_study(committed, [])[0]
    for _ in range(2):  # a run that was killed goes on
        ProtocolRun.now(committed, ["data=elsewhere", "work=there"]).write(committed)
    runs = read_runs(committed)
    assert [bool(run.commit) for run in runs] == [True, True]
    result = protocol_figures(runs)
    assert result == {
        "protocol_sha": file_sha(committed / PROTOCOL),
        "config_sha": file_sha(committed / "config.yaml"),
        "protocol_frozen": True,
    }
    text = protocol_text(runs, study)
    assert text.startswith(f"Protocol: `protocol.yaml`, SHA-256 `{result['protocol_sha']}`, committed before")
    assert "test: seen before" in text
    assert "late: new" in text
    assert runs[0].commit in text


@pytest.mark.parametrize("name", [PROTOCOL, "config.yaml"])
def test_a_protocol_that_changes_after_a_test_set_was_run_is_not_frozen(committed, name):
    before = file_sha(committed / PROTOCOL)
    ProtocolRun.now(committed).write(committed)
    with open(committed / name, "a", encoding="utf-8") as file:
        file.write("# other thoughts\n")
    git(committed, "commit", "-am", "Other thoughts")
    ProtocolRun.now(committed).write(committed)
    runs = read_runs(committed)
    assert runs[-1].committed
    assert not protocol_figures(runs)["protocol_frozen"]
    text = protocol_text(runs, read_study(committed, [])[0])
    assert text.startswith("**Not the results of a frozen protocol**: the test sets were also run under another")
    assert before[:12] in text


def test_a_protocol_that_was_committed_too_late_is_not_frozen(folder):
    ProtocolRun.now(folder).write(folder)
    git(folder, "init")
    git(folder, "add", ".")
    git(folder, "commit", "-m", "Late")
    ProtocolRun.now(folder).write(folder)
    runs = read_runs(folder)
    assert [run.committed for run in runs] == [False, True]
    assert shortcomings(runs) == ["protocol.yaml or config.yaml was not committed when the test sets were run"]


def test_what_the_command_line_changes_is_reported(committed):
    ProtocolRun.now(committed, ["data=x", "rules.max_span=3"], ["own"]).write(committed)
    runs = read_runs(committed)
    assert shortcomings(runs) == ["the command line changed rules.max_span=3; skeletons: own"]
    ProtocolRun.now(committed).write(committed)
    assert "under another protocol, config or command line" in shortcomings(read_runs(committed))[0]


# ---------------------------------------------------------------- the studies


@pytest.mark.parametrize("path", sorted(EXPERIMENTS.glob(f"*/{PROTOCOL}")), ids=lambda path: path.parent.name)
def test_results_are_those_of_the_protocol_or_say_otherwise(path):
    """If a protocol changes after a run, the study runs again, or its page reports the change at the top."""
    folder = path.parent
    figures = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    head = (folder / "RESULTS.md").read_text(encoding="utf-8").split("\n\n")[2]
    same = figures.get("protocol_sha") == file_sha(path) and figures.get("config_sha") == file_sha(
        folder / "config.yaml"
    )
    if not (same and figures["protocol_frozen"]):
        assert head.startswith("**Not the results of a frozen protocol**: ")
        assert not figures["protocol_frozen"]
    else:
        assert figures["protocol_sha"] in head


@pytest.mark.parametrize("path", sorted(EXPERIMENTS.glob(f"*/{PROTOCOL}")), ids=lambda path: path.parent.name)
def test_the_protocols_of_the_studies_can_be_run(path):
    study, config = read_study(path.parent, [])
    check_variants(study, study.automatic)
    assert config.tune.development.lines in (None, 500)  # all sentences with skeletons, or half of them, as it says
    wanted = {each.skeletons for each in (config.tune.development, *config.test)}
    assert wanted <= set(config.rules.only_for)
    assert {"gc-strong", "plain"} <= set(study.systems)
    assert "gc-strong-paper" in study.systems or study.transformer  # the way of the paper, or another neural model


def test_the_studies_have_protocols():
    assert {path.parent.name for path in EXPERIMENTS.glob(f"*/{PROTOCOL}")} == set(STUDIES)
    assert not list(EXPERIMENTS.glob("*/study.yaml"))


@pytest.mark.parametrize(("folder", "table"), [("en-de", "3"), ("en-fr-rows", "5")])
def test_the_protocols_have_the_rows_of_the_papers_tables(folder, table):
    study, _ = read_study(EXPERIMENTS / folder, [])
    pair = folder.removesuffix("-rows")
    check_variants(study, study.automatic)
    systems = {system.name for system in study.chosen}
    systems |= {system.name + RESCORED for system in study.chosen if study.rescores(system)}
    assert {row for number in (table, str(int(table) + 1)) for _, row, _ in paper_table(number, pair)} <= systems
    assert {"gc-paper", "gc-strong-paper+rescored", "sfd-strong+rescored"} <= systems
    assert set(study.headline.values()) == {system.name for system in study.chosen} - {"plain"}
    assert {column for _, _, column in paper_table("7", pair)} | {"n=10", "n=100"} <= set(study.variants)
    assert (study.hypotheses, study.rescored_hypotheses) == (1000, 1000)


@pytest.mark.parametrize("folder", STUDIES)
def test_the_pages_of_studies_end_with_their_notes(folder):
    page, notes = ((EXPERIMENTS / folder / name).read_text(encoding="utf-8") for name in ("RESULTS.md", "NOTES.md"))
    assert page.endswith("\n\n" + notes.strip("\n") + "\n")


def test_tapped_skeletons_need_others_to_choose_from():
    assert Study(automatic=("tapped", "tagger")).automatic == ("tapped", "tagger")
    with pytest.raises(ValueError, match="tapped chooses from the skeletons of other methods"):
        Study(automatic=("tapped",))
