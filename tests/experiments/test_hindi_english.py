"""Hindi to English on made-up sentences: from training to the page."""

from __future__ import annotations

import json

import pytest
import yaml
from small_treebank import write_bank
from train.toy import toy_arpa, toy_config, write_lines

from experiments.hindi_english import __main__ as program
from experiments.hindi_english import report
from experiments.hindi_english.translating import TEST, TUNED_EVERY, analyse, read_analysed, with_split_development
from lattice_simp.metrics import bleu_tok, chrf
from lattice_simp.support.settings_file import checked_settings
from lattice_simp.support.textio import read_lines
from lattice_simp.systems.hindi.formats.treebank import read_treebank
from lattice_simp.systems.hindi.model import HindiModel
from lattice_simp.train.config import Config

for name in ("pycrfsuite", "indicnlp"):
    pytest.importorskip(name, reason="the extra 'hindi' is not installed")

ENGLISH = {
    "राम": "ram", "सीता": "sita", "मोहन": "mohan", "लड़का": "boy", "खाना": "food", "खाकर": "having eaten",
    "गया": "went", "सोया": "slept", "आया": "came", "कि": "that", "।": ".",
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a Hindi model and the texts of a training run."""
    folder = tmp_path_factory.mktemp("hindi-english")
    write_bank(folder / "bank")
    sentences = [sentence for _, sentence in read_treebank(folder / "bank")]
    HindiModel.train(folder / "hindi", sentences)
    pairs = [(str(sentence), " ".join(ENGLISH[token.form] for token in sentence.tokens)) for sentence in sentences]
    for name, value in {"train": pairs[:80], "dev": pairs[80:101], "test": pairs[101:]}.items():
        write_lines(folder / f"{name}.hi", [hindi for hindi, _ in value])
        write_lines(folder / f"{name}.en", [english for _, english in value])
    with (folder / "test.hi").open("a", encoding="utf-8") as file:
        file.write("राम टाटा गया ।\n")
    with (folder / "test.en").open("a", encoding="utf-8") as file:
        file.write("ram taataa went .\n")
    (folder / "lm.arpa").write_text(toy_arpa([english for _, english in pairs]), encoding="utf-8")
    values = toy_config(
        folder,
        folder / "work",
        corpora=[{"name": "toy", "source": "train.hi", "target": "train.en"}],
        text={"source_language": "hi", "target_language": "en"},
        tune={"development": {"name": "dev", "source": "dev.hi", "references": ["dev.en", "dev.en"]}},
        test=[{"name": "test", "source": "test.hi", "references": ["test.en"]}],
    )
    (folder / "config.yaml").write_text(yaml.safe_dump(values), encoding="utf-8")
    return folder


@pytest.fixture(autouse=True)
def inline(monkeypatch):
    """Tasks run in this process; METEOR, which needs Java, is left out."""
    monkeypatch.setattr(report, "metrics", lambda count: [bleu_tok(num_references=count), chrf()])
    for name in ("find_jar", "find_java"):
        monkeypatch.setattr(program, name, lambda: None)


def test_two_thirds_of_the_development_set_are_trained_on_once_for_each_reference(folder):
    config = checked_settings(
        Config, yaml.safe_load((folder / "config.yaml").read_text(encoding="utf-8")), "config.yaml"
    )
    split = with_split_development(config)
    assert [corpus.name for corpus in split.corpora] == ["toy", "dev.0", "dev.1"]
    every = list(read_lines(folder / "dev.hi"))
    tuned = list(read_lines(split.tune.development.source))
    trained = list(read_lines(split.corpora[1].source))
    assert tuned == every[::TUNED_EVERY]
    assert sorted(tuned + trained) == sorted(every)
    assert len(list(read_lines(split.corpora[2].target))) == len(trained)


def test_an_analysed_line_keeps_its_tokens(folder):
    model = HindiModel.load(folder / "hindi")
    line = "राम खाना खाकर गया । मोहन सोया ।"
    analysed = analyse(model, line)
    assert " ".join(analysed.words) == line
    assert str(analysed.skeleton) == "राम [[खाना खाकर]] गया । मोहन सोया ।"
    assert analyse(model, "राम खाना खाकर गया कि मोहन सोया ।").is_changed
    assert not analyse(model, "मोहन सोया ।").is_changed


@pytest.mark.slow
def test_the_page_is_written_from_the_systems(folder, tmp_path):
    arguments = [str(folder), "--hindi", str(folder / "hindi"), "--output", str(tmp_path), "--command", "make it"]
    program.main(arguments)
    figures = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
    plain = figures["scores"]["all lines"]["plain"]["BLEU-tok"]["value"]
    assert plain > 80
    assert plain > figures["scores"]["all lines"]["devanagari"]["BLEU-tok"]["value"]
    analysed = read_analysed(next((folder / "work").glob("analysed.*")) / f"{TEST}.jsonl")
    assert figures["lines"]["lines with a skeleton"] == sum(entry.skeleton is not None for entry in analysed) > 0
    page = (tmp_path / "RESULTS.md").read_text(encoding="utf-8")
    assert "`make it`" in page
    assert "simplified sentences" in page


def test_a_missing_hindi_model_is_named(folder, tmp_path):
    with pytest.raises(SystemExit, match="there is no Hindi model; make one with: make hindi"):
        program.main([str(folder), "--hindi", str(tmp_path / "none"), "--output", str(tmp_path)])
