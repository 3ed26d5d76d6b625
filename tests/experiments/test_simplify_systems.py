"""The corpora, headline figures and judgements of the experiment with our simplifiers."""

from __future__ import annotations

from importlib import import_module

import pytest

from experiments.files import output_file
from experiments.simplify import corpora, judging, report
from experiments.simplify.corpora import recased
from experiments.simplify.systems import SYSTEMS, penn
from lattice_simp.errors import FormatError


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


OUTPUTS = {
    "source": [f"Source {number} ." for number in range(40)],
    "ours": [f"ours {number} ." for number in range(40)],
    "theirs": [f"theirs {number} ." for number in range(40)],
}


def test_a_sheet_says_nothing_of_systems_and_comes_back(tmp_path):
    sheet = tmp_path / "sheet.tsv"
    judging.write_sheet(OUTPUTS, str(sheet))
    head, *rows = sheet.read_text(encoding="utf-8").splitlines()
    assert len(rows) == 2 * judging.SENTENCES
    rated = [row.rstrip("\t") + ("\t4\t3\t2" if "\tours " in row else "\t1\t0\t2") for row in rows]
    sheet.write_text("\n".join([head, *rated]) + "\n", encoding="utf-8")
    judgements = judging.read_sheet(OUTPUTS, sheet)
    assert {(system, ratings) for _, system, ratings in judgements} == {("ours", (4, 3, 2)), ("theirs", (1, 0, 2))}
    assert all(f" {line} ." in row for (line, _, _), row in zip(judgements, rows, strict=True))
    assert [system for _, system, _ in judgements[:12]] != ["ours", "theirs"] * 6


def test_a_row_without_ratings_is_named(tmp_path):
    sheet = tmp_path / "sheet.tsv"
    judging.write_sheet(OUTPUTS, str(sheet))
    with pytest.raises(FormatError, match=r"sheet.tsv:2: .*rate each row"):
        judging.read_sheet(OUTPUTS, sheet)


def test_the_command_writes_a_sheet_and_appends_its_ratings(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(judging, "__file__", str(tmp_path / "judging.py"))
    files = []
    for name, lines in OUTPUTS.items():
        (tmp_path / name).write_text("\n".join([*lines, ""]), encoding="utf-8")
        files.append(f"{name}={tmp_path / name}")
    judging.main(["sheet", "toy", *files])
    header, *rows = capsys.readouterr().out.splitlines()
    sheet = tmp_path / "sheet.tsv"
    sheet.write_text("\n".join([header, *(f"{row.rstrip()}\t4\t3\t2" for row in rows), ""]), encoding="utf-8")
    judging.main(["table", str(sheet), "toy", *files])
    written = (tmp_path / judging.JUDGED).read_text(encoding="utf-8").splitlines()
    assert len(written) == 1 + len(rows)
    assert all(row.startswith("toy\t") and row.endswith("\t4\t3\t2") for row in written[1:])


@pytest.mark.parametrize("module", ["corpus", "paraphrase", "simplify"])
def test_a_call_without_arguments_is_a_usage_error(module, capsys):
    with pytest.raises(SystemExit):
        import_module(f"experiments.{module}.judging").main([])
    assert "usage: python -m experiments." in capsys.readouterr().err
