"""Scores of n-best lists, marks of Moses and of pieces in them, and ids that are missing."""

from __future__ import annotations

import json
import warnings

import pytest

import lattice_simp as ls
from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.errors import FormatError, InputWarning, InvalidLatticeError, LatticeSimpError
from lattice_simp.formats import list_lines
from lattice_simp.formats.nbest import has_pieces, stream_sentences
from lattice_simp.formats.plain_text import stream_outputs
from lattice_simp.tune.feature_lattice import nbest_lattice

MARIAN = "0 ||| a b ||| F0= -5.3 F1= -1 ||| -0.45\n1 ||| c ||| F0= -2 F1= -3 ||| -1\n"
FAIRSEQ = "S-0\tx\nH-0\t-0.5\ta b\nP-0\t-1 -2 -3\n"


def written(tmp_path, text, name="x"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def quiet(path, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return ls.read_nbest(path, **options)


def test_scores_beside_the_hypotheses(tmp_path):
    for hypotheses in ([["a", "b"], ["c"]], ["a b", "c"], [{"tokens": ["a", "b"]}, {"text": "c"}]):
        path = written(tmp_path, json.dumps({"hypotheses": hypotheses, "scores": [-1.5, -2]}) + "\n")
        assert quiet(path) == [[Hypothesis(("a", "b"), 1.5), Hypothesis(("c",), 2.0)]]
    for scores in ([], None):  # as CTranslate2 returns them where they were not asked for
        path = written(tmp_path, json.dumps({"hypotheses": ["a", "a", "b"], "scores": scores}) + "\n")
        assert [entry.features for entry in quiet(path)[0]] == [{"Samples": 2.0}, {"Samples": 1.0}]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"hypotheses": ["a", "b"], "scores": [-1]}, "2 hypotheses, but another number of scores"),
        ({"hypotheses": ["a"], "scores": [-1, -2]}, "1 hypothesis, but another number of scores"),
        ({"hypotheses": ["a"], "scores": -1}, "another number of scores"),
        ({"hypotheses": ["a"], "scores": ["x"]}, "a score that is not a finite number"),
        ({"hypotheses": ["a", "b"], "scores": [-1, None]}, "a score for some hypotheses only"),
        ({"hypotheses": [{"text": "a", "score": -1}], "scores": [-1]}, "beside the hypotheses and in them"),
        ({"hypotheses": ["a"], "sequences_scores": [-1]}, "scores under the name 'sequences_scores'"),
        ({"hypotheses": ["a"], "log_probs": [-1]}, "scores under the name 'log_probs'"),
        ({"hypotheses": ["a b", "a"], "logprobs": [[-1, -2], [-3]]}, "scores under the name 'logprobs'"),
        ({"hypotheses": [{"text": "a", "logprob": -1}]}, "scores under the name 'logprob'"),
        ({"hypotheses": [{"text": "a", "cost": 1}]}, "scores under the name 'cost'"),
    ],
)
def test_scores_that_would_be_lost(tmp_path, row, message):
    path = written(tmp_path, '{"hypotheses": []}\n' + json.dumps(row) + "\n")
    with pytest.raises(FormatError, match=message) as caught:
        ls.read_nbest(path)
    assert (caught.value.line, bool(caught.value.remedy)) == (2, True)


def test_other_fields_are_no_scores(tmp_path):
    row = {
        "source_score": "none",
        "problem": 1,
        "scorer": "x",
        "hypotheses": [{"text": "a", "score": -1, "weighting": 1}],
    }
    assert quiet(written(tmp_path, json.dumps(row) + "\n")) == [[Hypothesis(("a",), 1.0)]]


def test_scores_beside_the_score_are_named_once(tmp_path):
    entry = {"text": "a", "score": -1, "lm_score": -2, "modelWeight": 0.5}
    path = written(tmp_path, f"{json.dumps({'hypotheses': [entry], 'am_scores': [-3]})}\n" * 2)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert [entries[0].cost for entries in ls.read_nbest(path)] == [1.0, 1.0]
    names = [str(warning.message).split("'")[1] for warning in caught]
    assert names == ["am_scores", "lm_score", "modelWeight"]


@pytest.mark.parametrize("name", ["weight", "logit", "count", "logProb"])
def test_numbers_that_may_be_scores_are_not_lost(tmp_path, name):
    rows = {"hypotheses": [{"text": "a", name: 3}, {"text": "b", name: 1}]}
    with pytest.raises(FormatError, match=f":1: scores under the name '{name}'"):
        ls.read_nbest(written(tmp_path, json.dumps(rows)))


def test_features_without_a_total_are_named(tmp_path):
    path = written(tmp_path, "0 ||| a ||| lm= -1 tm= -2\n0 ||| b ||| lm= -2 tm= -1\n")
    with pytest.warns(InputWarning, match=r"x:1: features without a total: .*such as --cost lm, or write totals"):
        assert [entry.cost for entry in ls.read_nbest(path)[0]] == [0.0, 0.0]
    assert [entry.cost for entry in quiet(path, cost="lm")[0]] == [1.0, 2.0]
    assert len(quiet(written(tmp_path, "0 ||| a\n0 ||| b\n"))[0]) == 2


def test_a_feature_is_the_cost(tmp_path):
    path = written(tmp_path, MARIAN)
    assert [entries[0].cost for entries in ls.read_nbest(path)] == [0.45, 1.0]
    assert [entries[0].cost for entries in ls.read_nbest(path, cost="F0")] == [5.3, 2.0]
    assert [lattice.weights.sum() for _, lattice in ls.read_all(path, cost="F1")] == [1.0, 3.0]
    rows = [{"hypotheses": [{"text": "a", "features": {"LM": -2}}, {"text": "b", "features": {"LM": -3}}]}]
    lists = ls.read_nbest(written(tmp_path, json.dumps(rows[0]) + "\n"), cost="LM")
    assert lists == [[Hypothesis(("a",), 2.0, {"LM": -2.0}), Hypothesis(("b",), 3.0, {"LM": -3.0})]]
    [[entry]] = ls.read_nbest(written(tmp_path, FAIRSEQ), cost="Score")
    assert entry.cost == -entry.features["Score"]


@pytest.mark.parametrize(
    ("text", "line", "remedy"),
    [
        (MARIAN + "2 ||| d ||| F1= -1 ||| -1\n", 3, "take one of F1"),
        (MARIAN + "2 ||| d ||| ||| -1\n", 3, "has no features"),
        ('{"hypotheses": [{"text": "a", "score": -1, "features": {"LM": -1}}]}\n', 1, "take one of LM"),
        (FAIRSEQ, 2, "take one of Score"),
    ],
)
def test_a_feature_that_is_missing(tmp_path, text, line, remedy):
    with pytest.raises(
        FormatError, match=rf"x:{line}: the feature 'F0', which replaces the score, is missing.*{remedy}"
    ):
        ls.read_nbest(written(tmp_path, text), cost="F0")


@pytest.mark.parametrize(
    ("text", "line", "score"),
    [
        ("0 ||| a ||| LM= 5 ||| -1\n0 ||| b ||| LM= 5 ||| 0.25\n0 ||| c ||| LM= 1 ||| 7\n", 2, "0.25"),
        ('{"hypotheses": [{"text": "a", "score": 0.5}]}\n', 1, "0.5"),
        ('{"hypotheses": ["a"], "scores": [-1]}\n{"hypotheses": ["a"], "scores": [12]}\n', 2, "12"),
        ("S-0\tx\nH-0\t0.5\ta\n", 2, "0.34"),
    ],
)
def test_scores_above_0_are_warned_of_once(tmp_path, text, line, score):
    with pytest.warns(InputWarning) as caught:
        ls.read_nbest(written(tmp_path, text))
    [warning] = caught
    assert str(warning.message).startswith(f"{tmp_path / 'x'}:{line}: the score {score}")


def test_scores_that_rise_seem_to_be_costs(tmp_path):
    """Nematus writes costs, the best first."""
    text = "0 ||| x ||| -1\n1 ||| a b ||| 1.25\n1 ||| a ||| 2.5\n2 ||| c ||| 0.5\n"
    message = ":2: scores above 0 that rise from 1.25 to 2.5 seem to be costs (read costs, as of Nematus, with --cost"
    for name, data in (("a", text), ("b", '{"hypotheses": []}\n{"hypotheses": ["b", "a"], "scores": [1.25, 2.5]}\n')):
        with pytest.warns(InputWarning) as caught:
            ls.read_nbest(written(tmp_path, data, name))
        [warning] = caught
        assert message in str(warning.message)
    assert [entry.cost for entry in quiet(tmp_path / "b", cost="-total")[1]] == [1.25, 2.5]
    (tmp_path / "a").write_text(text.replace("0 ||| x ||| -1\n", "0 ||| x ||| 1\n"))
    assert [entry.cost for entry in quiet(tmp_path / "a", cost="-total")[1]] == [1.25, 2.5]
    assert quiet(written(tmp_path, "0 ||| a ||| F= 3 ||| -1\n"), cost="-F")[0][0].cost == 3.0


def test_scores_may_be_probabilities(tmp_path):
    message = r"scores from 0\.4 to 0\.6 seem to be probabilities \(give their natural logs\)"
    with pytest.warns(InputWarning, match=message):
        ls.from_generator(["a", "b"], [0.4, 0.6])
    with pytest.warns(InputWarning, match=f":1: {message}"):
        ls.read_nbest(written(tmp_path, '{"hypotheses": ["a", "b"], "scores": [0.6, 0.4]}\n'))
    with pytest.warns(InputWarning, match="seem to be costs"):
        ls.from_generator(["a", "b"], [0.4, 0.7])


def test_scores_up_to_0_are_not(tmp_path):
    quiet(written(tmp_path, MARIAN + "2 ||| d ||| F0= 1 ||| 0\n3 ||| e ||| F0= 1 ||| -0.0\n"))
    with pytest.warns(InputWarning, match="the score 2 is above 0"):
        ls.from_generator(["a", "b"], [-1, 2])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("das |0-0| alte Haus |1-2|", "das alte Haus"),
        ("das |0-0,wa=0-0 ,total=-1.5,LM0= -3 D0= 0| Haus |1-1,wa=0-0 1-0 ,total=-1,LM0= -1|", "das Haus"),
        ("das Haus|UNK|UNK|UNK", "das Haus"),
        ("x|UNK|UNK|UNK |0-0| y|UNK |1-1|", "x y"),
        ("das |0-0| Haus", "das |0-0| Haus"),
        ("|0-0| das", "|0-0| das"),
        ("das |0-0| |1-1|", "das |0-0| |1-1|"),
        ("a|b c|d", "a|b c|d"),
        ("das|0-0|", "das|0-0|"),
        ("|UNK", "|UNK"),
    ],
)
def test_marks_of_moses(tmp_path, text, words):
    path = written(tmp_path, f"0 ||| {text} ||| LM= -1 ||| -1\n" * 3)
    if text == words:
        assert [entry.text for entry in quiet(path)[0]] == [words] * 3
        return
    with pytest.warns(InputWarning, match=r"x:1: removed marks of Moses, such as \S+") as caught:
        assert [entry.text for entry in ls.read_nbest(path)[0]] == [words] * 3
    assert len(caught) == 1
    with pytest.raises(
        InvalidLatticeError, match=r"y: sentence 0: .* cannot represent the words .* \(write JSON lines"
    ):
        ls.write_nbest([(0, [Hypothesis(tuple(text.split()))])], tmp_path / "y")


@pytest.mark.parametrize("kind", ["nbest", "outputs", "hypotheses", "lattice"])
def test_pieces_without_their_marks(tmp_path, kind):
    def read(*lines, pieces):
        if kind == "nbest":
            text = "".join(f"0 ||| {line} ||| LM= -1 ||| -1\n" for line in lines)
            return [entry.text for entry in ls.read_nbest(written(tmp_path, text), pieces=pieces)[0]]
        if kind == "outputs":
            result = stream_outputs(
                [written(tmp_path, "".join(f"{line}\n" for line in lines))], len(lines), pieces=pieces
            )
            return sorted(entry.text for _, entries in result for entry in entries)
        if kind == "hypotheses":
            return sorted(path.text for path in ls.from_generator(list(lines), pieces=pieces))
        lattice = ls.join_pieces(ls.Lattice.from_strings(lines), pieces)
        return sorted(path.text for path in ls.nbest(lattice, 9))

    assert read("▁a ▁b c", "▁a", pieces="sentencepiece") == (["a bc", "a"] if kind == "nbest" else ["a", "a bc"])
    assert read("a b@@ c", "a", pieces="bpe") == (["a bc", "a"] if kind == "nbest" else ["a", "a bc"])
    assert read("東 京", "京", pieces="sentencepiece")[0] in ("東京", "京")  # pieces of words without blanks
    for lines, pieces, remedy in (
        (("the house", "a"), "sentencepiece", "leave out --pieces"),
        (("the hous@@ es",), "sentencepiece", "choose --pieces bpe"),
        (("Ġthe Ġhouse",), "sentencepiece", "leave out --pieces"),
        (("▁the ▁hous es",), "bpe", "choose --pieces sentencepiece"),
        (("Ġthe Ġhouse",), "bpe", "join the pieces with their own program"),
        (("the hous ##es",), "bpe", "join the pieces with their own program"),
    ):
        with pytest.raises(LatticeSimpError, match=remedy):
            read(*lines, pieces=pieces)


def test_lists_whose_words_are_whole(tmp_path):
    path = written(tmp_path, "0 ||| the house ||| LM= -1 ||| -1\n1 ||| a ||| LM= -1 ||| -1\n")
    with pytest.warns(InputWarning, match="no piece has the mark '@@' of bpe: nothing is joined"):
        assert [entries[0].text for entries in ls.read_nbest(path, pieces="bpe")] == ["the house", "a"]
    assert not has_pieces(path, "bpe")
    assert not has_pieces(path, "none")
    assert has_pieces(written(tmp_path, "0 ||| a@@ b\n"), "bpe")
    quiet(written(tmp_path, "0 ||| the house\n1 ||| a@@ b\n"), pieces="bpe")


@pytest.mark.parametrize("limit", [20_000, pytest.param(1_000_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("form", ["{} ||| a\n", '{{"id": {}, "hypotheses": ["a"]}}\n', "H-{}\t-1\ta\n"])
def test_ids_that_are_missing_are_bounded(tmp_path, monkeypatch, form, limit):
    """Each missing id becomes an empty list, so a few bytes could cause many lists."""
    assert list_lines.MAX_GAP == 1_000_000
    monkeypatch.setattr(list_lines, "MAX_GAP", limit)

    def count(*ids):
        return sum(1 for _ in stream_sentences(written(tmp_path, "".join(map(form.format, ids)))))

    assert count(0, 5) == 6
    assert count(limit) == limit + 1
    for ids in ((limit + 1,), (0, 10**17), (10**17,), (0, *range(10, 10 + 4 * limit, limit // 2))):
        with pytest.raises(
            FormatError, match=r"x:\d+: the id jumps from \d+ to \d+.*(number the sentences|--first-id \d)"
        ):
            count(*ids)


def test_features_of_single_hypotheses_take_no_memory_by_the_square():
    count = 5000
    entries = [Hypothesis(("a", f"w{number}"), 1.0, {f"F{number}": -1.0}) for number in range(count)]
    with pytest.raises(InvalidLatticeError, match=f"{count} features, and a hypothesis has 1 of them on average"):
        ls.Lattice.from_nbest(entries)
    with pytest.raises(InvalidLatticeError, match=f"{count} features, and"):
        nbest_lattice(entries, [f"F{number}" for number in range(count)], ls.SymbolTable())
    few = [Hypothesis(("a", f"w{number}"), 1.0, {f"F{number % 20}": -1.0}) for number in range(count)]
    assert ls.Lattice.from_nbest(few).features["F7"].sum() == -count / 20
    many = {f"F{number}": -1.0 for number in range(count)}
    assert (
        len(ls.Lattice.from_nbest([Hypothesis(("a", str(number)), 1.0, many) for number in range(9)]).features) == count
    )
