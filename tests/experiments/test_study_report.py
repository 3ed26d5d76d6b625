"""The figures and tables of a study: baselines, numbers of sentences, denominators, intervals, the paper's figures."""

from __future__ import annotations

import csv
import hashlib
import json
from dataclasses import replace
from pathlib import Path

import pytest
from sacrebleu.metrics.bleu import BLEU
from toy_study import AUTO, LATE, NEWS, SENTENCES, STUDY, ToyStudy, scoring, toy_config

from experiments.study import analysis as study_analysis
from experiments.study import measuring, paper, rescoring
from experiments.study.analysis import analysis, sentence_scores
from experiments.study.config import Causal
from experiments.study.measuring import measure_set, measure_variants
from experiments.study.paper import paper_table
from experiments.study.report import all_scores, headline, report
from experiments.study.sentences import DEVELOPMENT, HAND, HAND_LONG
from experiments.study.tables import (
    corrected,
    failure_rate,
    failure_table,
    gap_table,
    gap_type_table,
    skeleton_kinds,
    skeleton_table,
    system_table,
    variant_table,
)
from experiments.study.translating import Output
from lattice_simp.metrics import bleu_tok, chrf, holm

pytestmark = pytest.mark.slow

BLEU_TOK = "BLEU-tok"


@pytest.fixture(autouse=True, scope="module")
def inline():
    """Tasks run in this process, the stronger model is made up, and METEOR, which needs Java, is left out."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rescoring, "scoring", scoring)
        patch.setattr(measuring, "metrics", lambda config: [bleu_tok(), chrf()])
        yield


@pytest.fixture(scope="module")
def toy(tmp_path_factory):
    return ToyStudy(tmp_path_factory.mktemp("study"))


@pytest.fixture(scope="module")
def done(toy):
    return toy.everything()


@pytest.fixture(scope="module")
def config(toy):
    return toy_config(toy.root)


@pytest.fixture(scope="module")
def measured(done, config):
    return {name: measure_set(done, config, name) for name in SENTENCES}


@pytest.fixture(scope="module")
def variants(done, config):
    return {name: measure_variants(done, config, name) for name in SENTENCES}


def bleu(outputs, name=NEWS, numbers=None):
    """Returns sacrebleu's own BLEU of outputs."""
    numbers = range(len(outputs)) if numbers is None else numbers
    references = [SENTENCES[name][number].reference for number in numbers]
    metric = BLEU(tokenize="none", lowercase=True, force=True)
    return metric.corpus_score([outputs[number].words for number in numbers], [references]).score


def column(table, name):
    """Returns a table's column by its first cells."""
    place = table.columns.index(name)
    return {row[0].shown: row[place].shown for row in table.rows}


# ---------------------------------------------------------------- baselines


def test_gains_are_over_the_plain_system_and_those_of_rescored_systems_over_it_rescored(measured):
    result = measured[NEWS]
    values = {name: bleu(outputs) for name, outputs in result.outputs.items()}
    assert len({round(entry, 3) for entry in values.values()}) > 4
    for suffix in ("", "+rescored"):
        scores = result.comparisons["plain" + suffix].scores
        assert scores["plain" + suffix][BLEU_TOK].gain is None
        for system in ("gc-strong" + suffix,):
            assert scores[system][BLEU_TOK].value == pytest.approx(values[system])
            assert scores[system][BLEU_TOK].gain == pytest.approx(values[system] - values["plain" + suffix])
    table = column(system_table(result, "", "en-fr"), "BLEU gain")
    assert table["Hiero"] == table["Hiero, 3-best rescored"] == "-"
    title = "Gappy composition, Hiero + strong(skeleton)"
    assert table[title] == f"{values['gc-strong'] - values['plain']:+.2f}"
    assert table[f"{title}, 3-best rescored"] == f"{values['gc-strong+rescored'] - values['plain+rescored']:+.2f}"
    assert table[f"{title}, as in the paper"] == f"{values['gc-strong-paper'] - values['plain']:+.2f}"


def test_the_headline_figures_are_those_of_the_systems_that_the_protocol_names(measured, variants):
    actual = measured[NEWS]
    result = headline(STUDY, actual, *variants[NEWS])
    by_name = {name: bleu(outputs) for name, outputs in actual.outputs.items()}
    assert result["sentences"] == 5
    assert result["plain_bleu"] == pytest.approx(by_name["plain"])
    assert result["gc_gain_bleu"] == pytest.approx(by_name["gc-strong"] - by_name["plain"])
    assert result["gc_decoder_gain_bleu"] == pytest.approx(by_name["gc"] - by_name["plain"])
    assert result["gc_paper_gain_bleu"] == pytest.approx(by_name["gc-strong-paper"] - by_name["plain"])
    assert result["rescored_gain_bleu"] == pytest.approx(by_name["plain+rescored"] - by_name["plain"])
    assert result["gc_rescored_gain_bleu"] == pytest.approx(by_name["gc-strong+rescored"] - by_name["plain+rescored"])
    assert result["gc_gain_p"] == actual.comparisons["plain"].scores["gc-strong"][BLEU_TOK].p
    assert result["gc_rescored_gain_p"] == actual.comparisons["plain+rescored"].scores["gc-strong+rescored"][BLEU_TOK].p
    assert result["sfd_gain_bleu"] is None  # not run
    assert (result["failed_1_pct"], result["failed_3_pct"], result["failed_edit_pct"]) == (25.0, 0.0, 0.0)
    other = STUDY.model_copy(update={"headline": {"gc": "gc"}})
    assert headline(other, actual, *variants[NEWS])["gc_bleu"] == pytest.approx(by_name["gc"])


def test_k_automatic_skeletons_are_compared_with_k_made_by_hand(measured, variants):
    outputs, comparison = variants[NEWS]
    plain, automatic = bleu(outputs["plain"]), bleu(outputs[f"gc-strong, automatic ({AUTO})"])
    by_hand, both = bleu(measured[NEWS].outputs["gc-strong"]), bleu(outputs["gc-strong, both skeletons"])
    result = headline(STUDY, measured[NEWS], outputs, comparison)
    assert result["auto_gain_bleu"] == pytest.approx(automatic - plain)
    assert by_hand > plain
    assert automatic > plain
    assert both != pytest.approx(by_hand)
    assert result["auto_gain_share"] == pytest.approx((automatic - plain) / (by_hand - plain))
    # Two for two: as if the variant "rho" were that of two automatic skeletons.
    scores = {**comparison.scores, "gc-strong, automatic (a + b)": comparison.scores["gc-strong, rho"]}
    second = STUDY.model_copy(update={"automatic_headline": {2: ("a", "b")}})
    result = headline(second, measured[NEWS], outputs, type(comparison)(5, "plain", comparison.test, scores))
    rho = bleu(outputs["gc-strong, rho"])
    assert result["auto_2_gain_bleu"] == pytest.approx(rho - plain)
    assert result["auto_2_gain_share"] == pytest.approx((rho - plain) / (both - plain))
    assert both > plain
    assert "auto_gain_bleu" not in result


# ---------------------------------------------------------------- numbers of sentences, denominators


def test_failures_are_a_share_of_the_sentences_with_skeletons(variants):
    outputs = {"newstest2013": variants[NEWS][0]}
    table = failure_table(outputs, "en-fr")
    assert column(table, "n") == {"newstest2013": "4", "newstest2013 (paper)": "1000"}
    assert column(table, "gc-strong, n=1") == {"newstest2013": "25.00", "newstest2013 (paper)": "9.00"}
    assert column(table, "gc-strong, n=3")["newstest2013"] == "0.00"
    assert "gc-strong, rho" not in table.columns
    assert failure_rate([Output("a", None), Output("b", True), Output("c", False)]) == 0.5
    assert failure_rate([Output("a", None)]) == 0.0


def test_tables_say_of_how_many_sentences_they_are(measured):
    titles = {name: value.title for name, value in measured.items()}
    assert titles == {
        DEVELOPMENT: "dev (development set; n = 2)",
        NEWS: "news (test set, seen before; n = 5)",
        LATE: "late (test set, new; n = 1)",
    }
    assert titles[LATE] in system_table(measured[LATE], "5", "en-fr").title
    assert measured[DEVELOPMENT].name == "dev"


def test_break_downs_have_n_and_intervals_and_their_own_baseline(measured):
    actual = measured[NEWS]
    (by,) = [each for each in actual.break_downs if each.kind == HAND_LONG]
    table = gap_type_table(actual, by, "6", "en-fr")
    assert table.columns == ("system", "Middle", "Mixed", "End", "Brace")
    # A full stop is kept in all of them.
    assert [cell.shown for cell in table.rows[0]] == ["n", "1", "1", "1", "1"]
    assert by.gap_types.left_out == 1
    place = {"Middle": 0, "End": 1, "Brace": 2, "Mixed": 4}
    for kind, number in place.items():
        for base in ("plain", "plain+rescored"):
            for system in ("gc-strong", "plain"):
                name = system + base.removeprefix("plain")
                score = bleu(actual.outputs[name], numbers=[number])
                assert column(table, kind)[name].rstrip("*") == f"{score:.2f}", (kind, name)
                interval = f"[{score:.2f}, {score:.2f}]"  # one sentence is always drawn
                gain = score - bleu(actual.outputs[base], numbers=[number])
                expected = interval if name == base else f"{gain:+.2f} [{gain:+.2f}, {gain:+.2f}]"
                row = f"{name}: 95 % interval" if name == base else f"{name}: gain"
                assert column(table, kind)[row] == expected
    assert column(table, "Middle")["gc-strong (paper)"] == "28.65"
    assert column(table, "Brace")["plain+rescored (paper)"] == "33.73"


def test_systems_are_broken_down_by_their_own_skeletons(measured):
    """Systems that follow the paper have short skeletons, which have other types."""
    actual = measured[NEWS]
    long, short = (gap_type_table(actual, by, "6", "en-fr") for by in actual.break_downs)
    assert [by.kind for by in actual.break_downs] == [HAND_LONG, HAND]
    assert {"gc", "gc-strong", "gc-strong+rescored", "plain"} <= set(column(long, "Middle"))
    systems = {name.partition(":")[0].partition(" ")[0] for name in column(short, "End")}
    assert systems == {"n", "plain", "plain+rescored", "gc-strong-paper"}
    assert "gc-strong-paper" not in column(long, "Middle")
    assert "short skeletons" in short.title
    assert short.columns == ("system", "End", "Brace")
    assert [cell.shown for cell in short.rows[0]] == ["n", "3", "1"]
    score = bleu(actual.outputs["gc-strong-paper"], numbers=[0, 1, 4])
    assert column(short, "End")["gc-strong-paper"].rstrip("*") == f"{score:.2f}"


def test_skeletons_by_kind_and_type(toy):
    kinds = skeleton_kinds({"newstest2013": toy.sentences[NEWS]})
    table = skeleton_table(kinds)
    values = {row[1].shown: [cell.shown for cell in row[2:]] for row in table.rows}
    assert values["(paper)"] == ["1000", "0.481", "1.623"]
    assert values["hand-long"] == ["4", "0.625", "1.750"]  # 5, 4, 3, 3 of 6 words; 1, 1, 2, 3 gaps
    types = gap_table(kinds)
    places = [types.columns.index(name) for name in ("Middle %", "Middle: rate", "End %", "End: rate", "Brace: rate")]
    rows = {row[1].shown: [row[place].shown for place in places] for row in types.rows}
    assert rows["hand-long"] == ["25.0", "0.833", "25.0", "0.667", "0.500"]
    assert rows["(paper)"] == ["10.3", "0.625", "27.5", "0.478", "0.444"]
    assert [row[2].shown for row in types.rows][-1] == "3000"


def test_p_values_of_variants_are_corrected_for_their_number(variants):
    outputs, comparison = variants[NEWS]
    actual = {name: scores[BLEU_TOK].p for name, scores in comparison.scores.items() if name != "plain"}
    expected = dict(zip(actual, holm(list(actual.values())), strict=True))
    assert corrected(comparison) == expected
    assert len(actual) == len(outputs) - 1
    table = variant_table(outputs, comparison, "news", 3)
    shown = column(table, "p (Holm)")
    assert shown["plain"] == "-"
    assert shown["gc-strong, rho"] == f"{expected['gc-strong, rho']:.4f}"
    assert f"corrected for the {len(actual)} comparisons" in table.notes[1]
    gain = bleu(outputs["gc-strong, rho"]) - bleu(outputs["plain"])
    assert column(table, "gain")["gc-strong, rho"].startswith(f"{gain:+.2f} [")
    assert column(table, "failed %")["gc-strong, n=1"] == "25.00"
    assert column(table, BLEU_TOK)["gc-strong, rho"] == f"{bleu(outputs['gc-strong, rho']):.2f}"


# ---------------------------------------------------------------- the page


def test_the_report_has_the_figures_of_each_test_set_by_its_name(done, config, measured, tmp_path):
    result = report(done, config, tmp_path)
    json.dumps(result.figures)
    for name in (NEWS, LATE):
        outputs = measured[name].outputs
        gain = bleu(outputs["gc-strong"], name) - bleu(outputs["plain"], name)
        assert result.figures[f"{name}_gc_gain_bleu"] == pytest.approx(gain)
    assert result.figures["sets"].keys() == {"dev", NEWS, LATE}
    rescored = result.figures["sets"][NEWS]["gc-strong+rescored"][BLEU_TOK]
    actual = measured[NEWS].comparisons["plain+rescored"].scores["gc-strong+rescored"][BLEU_TOK]
    assert (rescored["gain"], rescored["p"]) == (actual.gain, actual.p)
    assert result.figures["variants"][NEWS]["gc-strong, rho"][BLEU_TOK]["p_holm"] >= actual.p or actual.p == 1
    assert not any(key.startswith((DEVELOPMENT, "dev_")) for key in result.figures)
    page = "\n".join(result.parts)
    assert f"| gc\\_gain\\_bleu | {result.figures[f'{NEWS}_gc_gain_bleu']:+.2f}".replace("+", "") in page
    assert (
        f"auto: the gain of k automatic skeletons, and its share of that of k hand-made ones, for k = 1 ({AUTO})"
        in page
    )
    order = [page.index(f"Systems on {measured[name].title}") for name in (NEWS, LATE, DEVELOPMENT)]
    assert order == sorted(order)
    assert "translation: news" in page


@pytest.mark.slow
@pytest.mark.parametrize("variants", [(), ("rho",)])
def test_a_study_with_fewer_variants_has_a_report(config, tmp_path, variants):
    update = {"variants": variants, "systems": ("plain", "gc-strong"), "rescored": ("plain", "gc-strong")}
    toy = ToyStudy(tmp_path / "study", STUDY.model_copy(update=update))
    result = report(toy.everything(), config, tmp_path)
    assert set(result.figures["variants"][NEWS]) == {"plain", *(f"gc-strong, {name}" for name in variants)}
    assert result.figures[f"{NEWS}_gc_gain_bleu"] is not None
    for key in ("failed_1_pct", "auto_gain_bleu", "gc_decoder_gain_bleu"):
        assert result.figures[f"{NEWS}_{key}"] is None  # not run


@pytest.mark.slow
def test_all_systems_are_rescored_where_the_protocol_says_so(config, tmp_path):
    systems = ("plain", "gc", "gc-strong", "gc-paper", "gc-strong-paper")
    headline = {"gc": "gc-strong", "gc_decoder": "gc", "gc_paper": "gc-strong-paper", "gc_decoder_paper": "gc-paper"}
    update = {
        "systems": systems,
        "rescored": systems,
        "headline": headline,
        "variants": ("n=1", "n=10", "n=100", "n=3"),
    }
    toy = ToyStudy(tmp_path / "study", STUDY.model_copy(update=update))
    done = toy.everything()
    result = report(done, config, tmp_path)
    outputs = measure_set(done, config, NEWS).outputs
    for key, system in headline.items():
        gain = bleu(outputs[f"{system}+rescored"]) - bleu(outputs["plain+rescored"])
        assert result.figures[f"{NEWS}_{key}_rescored_gain_bleu"] == pytest.approx(gain), key
    assert {"gc-strong, n=10", "gc-strong, n=100"} <= set(result.figures["variants"][NEWS])
    short = next(part for part in result.parts if "by gap type, short skeletons" in part)
    assert "| gc-paper+rescored |" in short


def test_the_analysis_counts_what_gets_better(done, measured, monkeypatch):
    result = measured[NEWS]
    text = analysis(done, result)
    scores = [sentence_scores(result.outputs[name], done.sentences[NEWS]) for name in ("gc-strong", "plain")]
    better = sum(score > other for score, other in zip(*scores, strict=True))
    worse = sum(score < other for score, other in zip(*scores, strict=True))
    assert (better, worse) == (2, 1)
    assert "changes 3 of 5 translations: 2 are better by smoothed sentence BLEU, 1 are worse, 0 as good" in text
    assert "| 1 | 6 | End | 0.67 | +" in text
    monkeypatch.setattr(study_analysis, "SAMPLED", 1)
    largest = max(range(5), key=lambda number: abs(scores[0][number] - scores[1][number]))
    assert analysis(done, result).split("\n")[-1].startswith(f"| {largest} | 6 | ")
    assert "| 0 | 6 | Middle | 0.83 | -" in text


# ---------------------------------------------------------------- the paper's figures

PAPER = Path(paper.__file__).with_name("paper.tsv")

PAPER_SHA = "16083a5daeb498fbfc7a4291abcd44769e47ccc9739ec9cf5010d40bfa66804c"
"""Of the file when it had been compared with the paper, figure by figure."""


def test_the_papers_figures_are_as_they_were_when_compared_with_the_paper():
    assert hashlib.sha256(PAPER.read_bytes()).hexdigest() == PAPER_SHA


def test_the_papers_figures_stand_in_the_paper(shared):
    text = (shared / "papers" / "hasler-2016-source-simplification-lattices.txt").read_text(encoding="utf-8")
    with open(PAPER, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    assert len(rows) > 150
    for row in rows:
        assert row["value"] in text, row


def test_figures_of_the_paper_are_found_by_table_and_pair():
    assert paper_table("5", "en-fr")["newstest2013", "gc-strong", "BLEU"] == 30.35
    assert paper_table("3", "en-de")["newstest2013", "gc-strong", "BLEU"] == 20.02
    assert paper_table("5", "en-de") == {}


def test_systems_as_the_paper_stand_beside_its_figures(measured):
    result = measured[NEWS]
    renamed = type(result)(**{**vars(result), "name": "newstest2014"})
    table = column(system_table(renamed, "5", "en-fr"), "paper: BLEU")
    assert table["Gappy composition, Hiero + strong(skeleton), as in the paper"] == "33.68"
    assert table["Hiero, 3-best rescored"] == "35.38"


def test_a_transformer_alone_has_a_row_and_headline_figures(done, config, variants):
    folders = {**done.folders, "translated-transformer": done.folders["translated-gc"]}
    study = STUDY.model_copy(update={"scorers": ("model1", "transformer")})
    again = measure_set(replace(done, study=study, folders=folders), config, NEWS)
    figures = headline(study, again, *variants[NEWS])
    plain = again.comparisons["plain"].scores
    assert figures["nmt_alone_bleu"] == plain["gc"][BLEU_TOK].value
    assert figures["nmt_alone_gain_bleu"] == plain["gc"][BLEU_TOK].gain
    assert "nmt_alone_bleu" not in headline(STUDY, again, *variants[NEWS])
    gains = column(system_table(again, "", ""), "BLEU gain")
    assert gains["Transformer"] == gains["Gappy composition, Hiero + Hiero(skeleton)"]
    assert "transformer" in all_scores(again)


def test_lists_that_a_pretrained_model_scores_are_compared_with_the_plain_ones(done, config, variants):
    folders = {f"causal-{system}": done.folders[f"rescored-{system}"] for system in ("plain", "gc-strong")}
    study = STUDY.model_copy(update={"causal": Causal(examples_of="none")})
    again = measure_set(replace(done, study=study, folders={**done.folders, **folders}), config, NEWS)
    figures = headline(study, again, *variants[NEWS])
    for part in ("bleu", "gain_bleu", "gain_p"):
        assert figures[f"llm_rescored_{part}"] == figures[f"rescored_{part}"]
        assert figures[f"gc_llm_{part}"] == figures[f"gc_rescored_{part}"]
    titles = [row[0].shown for row in system_table(again, "", "").rows]
    assert titles[-2:] == [title + ", and by a pretrained model" for title in titles[-4:-2]]
    assert list(all_scores(again))[-2:] == ["plain+llm", "gc-strong+llm"]
