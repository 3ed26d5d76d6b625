"""The corpora, headline figures and judgements of the experiment with our simplifiers."""

from __future__ import annotations

from importlib import import_module

import pytest

from experiments.files import output_file
from experiments.simplify import corpora, judging, report
from experiments.simplify.corpora import recased
from experiments.simplify.systems import SYSTEMS, penn


def test_words_are_cased_as_in_the_source():
    assert recased("in paris it rained .", "It rained heavily in Paris.") == "in Paris it rained ."
    assert recased("it rained", "It rained.") == "it rained"  # the first word's capital says nothing


def test_identity_pairs_are_all_sources_once(tmp_path):
    (tmp_path / "one.source").write_text("a b\nc\na b\n", encoding="utf-8")
    (tmp_path / "two.source").write_text("c\nd\n", encoding="utf-8")
    assert corpora._write_identity(tmp_path, ["one", "two"]) == 3
    assert (tmp_path / "identity.source").read_text(encoding="utf-8") == "a b\nc\nd\n"
    assert (tmp_path / "identity.target").read_bytes() == (tmp_path / "identity.source").read_bytes()


def test_brackets_are_written_as_in_the_test_sets():
    assert penn("He ( an actor ) left .") == "He -LRB- an actor -RRB- left ."


def test_every_system_has_a_file_of_its_own(tmp_path):
    assert len({output_file(tmp_path, name) for name in SYSTEMS}) == len(SYSTEMS)
    assert {system for systems in report.VARIANTS.values() for system in systems.values()} <= set(SYSTEMS)


def test_headline_figures_are_those_of_the_main_systems():
    sets = {
        name: {
            "systems": {
                f"{report.OURS}{system}": {
                    metric: {"value": number + len(metric)}
                    for metric in ("BLEU-tok", "SARI-legacy", "unchanged", "split")
                }
                for number, system in enumerate(SYSTEMS)
            }
        }
        for name in report.MAIN
    }
    headlines = report.headlines(sets)
    assert headlines.keys() == {f"{name}{ending}" for name in report.HEADLINES for ending in report.VARIANTS}
    place = list(SYSTEMS).index("joint, changed")
    assert headlines["pwkp_bleu"] == place + len("BLEU-tok")
    assert headlines["turk_sari"] == list(SYSTEMS).index("joint") + len("SARI-legacy")
    assert headlines["asset_sari_cautious"] == list(SYSTEMS).index("cautious") + len("SARI-legacy")
    assert report.headlines({}) == {}


def test_read_outputs_of_cautious_mode():
    rows = judging.read_cautious()
    judged = [tuple(row[name] for name in ("sample", "reader", "text", "file", "line")) for row in rows]
    assert len(set(judged)) == len(judged)
    for row in rows:
        values = {row[name] for name in judging.JUDGEMENTS}
        assert values <= {"0", "1"} if row["changed"] == "1" else values == {""}
        assert bool(row["reader"]) == (row["changed"] == "1")


def judgement(**cells):
    row = dict.fromkeys(judging.CAUTIOUS_COLUMNS, "1") | {"text": "output", "domain": "news", "reader": "a"}
    return row | cells


def test_figures_are_of_the_last_sample_and_of_all_readers():
    rows = [
        judgement(sample="0", grammatical="0"),
        judgement(),
        judgement(reader="b", meaning="0"),
        judgement(line="2", simpler="0"),
        judgement(line="2", reader="b", simpler="0"),
        judgement(line="3", reader="", changed="0"),
        judgement(line="4", reader="", changed="0"),
        judgement(domain="talks", file="2"),
        judgement(text="broken", grammatical="0"),
    ]
    found = judging.cautious_figures(rows)
    assert found["changed_pct"] == 75.0  # the mean of 50 and 100
    assert found["cautious_by_domain"]["news"]["changed_pct"] == 50.0
    assert found["cautious_by_domain"]["news"]["meaning_pct"] == 75.0
    assert (found["cautious_all"]["sentences"], found["cautious_all"]["read"]) == (5, 3)
    assert found["grammatical_pct"] == 100.0
    assert found["simpler_pct"] == 60.0
    assert found["cautious_controls"]["broken"]["grammatical_pct"] == 0.0
    assert found["cautious_agreement"]["simpler"] == 1.0
    assert judging.cautious_figures([]) == {}


def test_corpora_of_a_domain_count_alike_for_what_is_changed():
    short = [judgement(corpus="short", line=str(line), changed="0", reader="") for line in range(9)]
    rows = [*short, judgement(corpus="short", line="9"), judgement(corpus="long")]
    assert judging.cautious_figures(rows)["changed_pct"] == 55.0


def test_results_have_what_was_read_of_cautious_mode():
    figures = report.figures({}, {})
    assert {"grammatical_pct", "meaning_pct", "simpler_pct", "changed_pct"} <= figures.keys()
    assert f"| {figures['grammatical_pct']:.1f} (" in report.cautious_tables()[0]


@pytest.mark.parametrize("module", ["corpus", "paraphrase"])
def test_a_call_without_arguments_is_a_usage_error(module, capsys):
    with pytest.raises(SystemExit):
        import_module(f"experiments.{module}.judging").main([])
    assert "usage: python -m experiments." in capsys.readouterr().err
