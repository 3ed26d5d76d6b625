"""Tables in every format against what they must look like, and the JSON document of an evaluation."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from lattice_simp.metrics import (
    Groups,
    Lines,
    SignificanceTest,
    TestKind,
    bleu_tok,
    compare,
    compare_groups,
    length_ratio,
    measure,
    ter,
)
from lattice_simp.metrics.report import (
    Breakdown,
    ResultFormat,
    group_table,
    render_results,
    result_tables,
    score_table,
)
from lattice_simp.metrics.table import Cell, Table, as_latex, as_markdown, as_text

TABLE = Table(
    "A & B_1: 100 % of {x}",
    ("system", "n", "BLEU", "gain"),
    (
        (Cell("plain"), Cell(1000), Cell(27.125), Cell(None)),
        (Cell("gc|*"), Cell(7), Cell(27.8749, mark="**"), Cell(-0.75, signed=True, mark="*")),
        (Cell("~^\\"), Cell(0), Cell(0.0, decimals=3), Cell(3, signed=True)),
    ),
    ("* p <= 0.05", "a second note"),
)

TEXT = """A & B_1: 100 % of {x}

  system      n      BLEU     gain
 ──────────────────────────────────
  plain    1000   27.12         -
  gc|*        7   27.87**   -0.75*
  ~^\\         0   0.000        +3

* p <= 0.05
a second note
"""

MARKDOWN = r"""**A & B\_1: 100 % of {x}**

| system | n | BLEU | gain |
|:---|---:|---:|---:|
| plain | 1000 | 27.12 | - |
| gc\|\* | 7 | 27.87\*\* | -0.75\* |
| ~^\\ | 0 | 0.000 | +3 |

\* p \<= 0.05

a second note
"""

LATEX = r"""\begin{table}
  \centering
  \caption{A \& B\_1: 100 \% of \{x\}}
  \begin{tabular}{lrrr}
    \toprule
    system & n & BLEU & gain \\
    \midrule
    plain & 1000 & 27.12 & - \\
    gc\textbar{}* & 7 & 27.87$^{**}$ & $-$0.75$^{*}$ \\
    \textasciitilde{}\textasciicircum{}\textbackslash{} & 0 & 0.000 & +3 \\
    \bottomrule
  \end{tabular}
  \par\smallskip
  \begin{minipage}{\linewidth}\footnotesize
    * p \textless{}= 0.05 \\
    a second note
  \end{minipage}
\end{table}
"""


@pytest.mark.parametrize(("render", "expected"), [(as_text, TEXT), (as_markdown, MARKDOWN), (as_latex, LATEX)])
def test_a_table_looks_as_it_must(render, expected):
    assert render(TABLE) == expected


def test_a_row_of_another_length_is_refused():
    with pytest.raises(ValueError, match="another length"):
        Table("t", ("a", "b"), ((Cell(1),),))


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no LaTeX")
def test_latex_takes_the_table(tmp_path):
    source = r"\documentclass{article}\usepackage{booktabs}\begin{document}" + LATEX + r"\end{document}"
    Path(tmp_path, "t.tex").write_text(source, encoding="utf-8")
    subprocess.run(["pdflatex", "-halt-on-error", "t.tex"], cwd=tmp_path, check=True, timeout=60, capture_output=True)


REFERENCE = ["the cat sat here .", "it was late .", "the bridge was built by them .", "so it goes ."] * 5
PLAIN = ["the cat sat there .", "it was late", "the bridge was built of them .", "so it goes ."] * 5
GOOD = ["the cat sat here .", "it was late .", "the bridge was built of them .", "so it goes ."] * 5
METRICS = (bleu_tok(), ter(), length_ratio())
LABELS = ["short", "short", "long", None] * 5


@pytest.fixture(scope="module")
def evaluation():
    measured = measure({"plain": Lines(PLAIN), "good": Lines(GOOD)}, [Lines(REFERENCE)], METRICS)
    test = SignificanceTest(samples=200)
    groups = Groups.of("size", LABELS, ["long", "short"])
    breakdown = Breakdown(groups, compare_groups(measured, groups, "plain", test))
    return measured, compare(measured, "plain", test), breakdown


SCORES = """Scores

  system                        BLEU-tok                TER            length
 ─────────────────────────────────────────────────────────────────────────────
  plain                          53.65              15.00              0.950
  plain: 95% interval   [45.75, 64.08]     [11.54, 18.37]     [0.907, 0.982]
  good                           79.01**             5.00**            1.000*
  good: 95% interval    [69.18, 90.95]       [2.11, 7.89]     [1.000, 1.000]
  good: p                       0.0100             0.0050             0.0199

20 sentences
* p <= 0.05, ** p <= 0.01: differs from plain (paired bootstrap resampling, 200 samples, seed 12345); \
not corrected for 3 comparisons
intervals: bootstrap resampling, 200 samples
lower is better: TER
BLEU-tok: nrefs:1|case:lc|eff:no|tok:none|smooth:exp|version:VERSION (tokens, case ignored)
TER: nrefs:1|case:lc|tok:tercom|norm:no|punct:yes|asian:no|version:VERSION (tokens, case ignored)
length: nrefs:1|tokens:blanks|reference:closest (tokens)
"""


def test_the_scores_of_systems(evaluation):
    import sacrebleu

    measured, comparison, _ = evaluation
    table = score_table(measured, comparison)
    assert as_text(table).replace(sacrebleu.__version__, "VERSION") == SCORES
    values = [[cell.value for cell in row] for row in table.rows]
    scores = [comparison.scores["good"][metric.name] for metric in METRICS]
    assert values[2][1:] == [score.value for score in scores]
    assert values[4][1:] == [score.p for score in scores]


def test_the_scores_of_groups(evaluation):
    _, comparison, breakdown = evaluation
    table = group_table(METRICS[1], breakdown.groups, breakdown.comparisons, comparison)
    assert table.columns == ("size", "n", "plain", "good", "good: gain", "good: p")
    assert [[cell.shown for cell in row[:5]] for row in table.rows] == [
        ["long", "5", "14.29", "14.29", "+0.00"],
        ["short", "10", "22.22", "0.00**", "-22.22"],
        ["all", "20", "15.00", "5.00**", "-10.00"],
    ]
    assert table.rows[0][5].value is None
    assert table.rows[1][5].value == pytest.approx(1 / 201)
    assert "5 sentences belong to no group" in table.notes
    assert "no p for fewer than 10 sentences" in table.notes
    assert "lower is better" in table.notes
    assert table.notes[0].endswith("; not corrected for 3 comparisons")  # of one system, in each row


def test_without_a_baseline_there_are_scores_alone(evaluation):
    measured, _, breakdown = evaluation
    comparison = compare(measured)
    assert [row[0].value for row in score_table(measured, comparison).rows] == ["plain", "good"]
    assert all("differs" not in note for note in score_table(measured, comparison).notes)
    table = group_table(METRICS[0], breakdown.groups, {"all": comparison})
    assert table.columns == ("size", "n", "plain", "good")


def test_the_document_is_as_described(evaluation):
    measured, comparison, breakdown = evaluation
    document = json.loads(
        render_results(measured, comparison, [breakdown], ResultFormat.JSON, ["lattice-simp", "evaluate"])
    )
    assert list(document) == [
        "format",
        "version",
        "program",
        "command",
        "baseline",
        "test",
        "metrics",
        "scores",
        "breakdowns",
    ]
    assert (document["format"], document["version"]) == ("lattice_simp evaluation", 1)
    assert document["command"] == ["lattice-simp", "evaluate"]
    assert document["test"] == {
        "kind": "bootstrap",
        "samples": 200,
        "seed": 12345,
        "confidence": 0.95,
        "interval_samples": 200,
    }
    assert document["metrics"][1] == {
        "name": "TER",
        "higher_is_better": False,
        "signature": METRICS[1].signature,
        "reads": "tokens",
    }
    plain, good = document["scores"]["systems"]
    assert plain["scores"]["TER"] == {
        "value": comparison.scores["plain"]["TER"].value,
        "interval": list(comparison.scores["plain"]["TER"].interval),
        "gain": None,
        "gain_interval": None,
        "p": None,
    }
    assert good["scores"]["BLEU-tok"]["gain"] == comparison.scores["good"]["BLEU-tok"].gain
    (by_size,) = document["breakdowns"]
    assert (by_size["by"], by_size["left_out"]) == ("size", 5)
    assert [(group["label"], group["sentences"]) for group in by_size["groups"]] == [("long", 5), ("short", 10)]
    assert [system["name"] for system in by_size["groups"][0]["systems"]] == ["plain", "good"]


@pytest.mark.parametrize("format", ResultFormat)
def test_the_same_evaluation_gives_the_same_bytes(evaluation, format):
    measured, comparison, breakdown = evaluation
    first = render_results(measured, comparison, [breakdown], format)
    again = compare(measured, "plain", SignificanceTest(samples=200))
    assert render_results(measured, again, [breakdown], format) == first
    other = compare(measured, "plain", SignificanceTest(TestKind.RANDOMISATION, samples=200))
    assert render_results(measured, other, [breakdown], format) != first


def test_every_breakdown_has_a_table_a_metric(evaluation):
    measured, comparison, breakdown = evaluation
    titles = [table.title for table in result_tables(measured, comparison, [breakdown])]
    assert titles == ["Scores", "BLEU-tok by size", "TER by size", "length by size"]
