"""N-best lists as JSON lines, and samples of language models."""

from __future__ import annotations

import contextlib
import json
import math
import warnings
from itertools import islice

import numpy as np
import pytest
from format_helpers import fuzz_file

import lattice_simp as ls
from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.errors import FormatError
from lattice_simp.formats.json.nbest import stream_json, write_json


def written(tmp_path, *rows):
    path = tmp_path / "samples.jsonl"
    path.write_text("".join(f"{row if isinstance(row, str) else json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def test_the_cost_of_a_sample_may_be_a_feature(tmp_path):
    """Then duplicates stay apart."""
    choices = [{"text": text, "logprobs": {"token_logprobs": logs}} for text, logs in (("a", [-0.75]), ("b", [-1, -2]))]
    path = written(tmp_path, {"choices": [choices[0], *choices]})
    assert [entry.cost for entry in ls.read_nbest(path, cost="LogProb")[0]] == [0.75, 0.75, 3.0]


def test_repeated_keys_are_refused(tmp_path):
    """The later value would silently replace the earlier one."""
    lines = '{"hypotheses": ["a"]}\n{"hypotheses": [{"text": "b", "score": -1, "score": -2}]}\n'
    with pytest.raises(FormatError, match=r":2: the key 'score' occurs twice in an object \(keep one"):
        ls.read_nbest(written(tmp_path, lines))
    array = '[\n{"hypotheses": ["a"]},\n{"hypotheses": ["b"],\n"hypotheses": ["c"]}\n]'
    with pytest.raises(FormatError, match=r":3: the key 'hypotheses' occurs twice in an object"):
        ls.read_nbest(written(tmp_path, array))


def test_blank_lines_are_skipped(tmp_path):
    row = json.dumps({"hypotheses": ["a"]})
    assert [len(entries) for entries in ls.read_nbest(written(tmp_path, f"\n{row}\n\n{row}\n"))] == [1, 1]
    with pytest.raises(FormatError, match=r":4: invalid JSON"):
        ls.read_nbest(written(tmp_path, f"\n{row}\n\n{row[:-2]}"))


def test_broken_results_of_pipelines_name_their_lines(tmp_path):
    path = tmp_path / "x.json"
    text = json.dumps([[{"generated_text": "a"}], [{"generated_text": "a"}, {"text": 5}]], indent=1)
    path.write_text(text)
    with pytest.raises(FormatError, match=r"x.json:7: a hypothesis without text or tokens"):
        ls.read_nbest(path)
    path.write_text(text[:-8])
    with pytest.raises(FormatError, match=r"x.json: invalid JSON: .* at line 12"):
        ls.read_nbest(path)
    path.write_text('[{"generated_text": "a"}]\n[{"generated_text": }]\n')
    with pytest.raises(FormatError, match=r"x.json:2: "):
        ls.read_nbest(path)


def test_a_transcript_longer_than_the_head(tmp_path):
    path = tmp_path / "long.json"
    for indent in (None, 4):
        row = {"text": "a cat " * 20_000, "chunks": [{"text": "a cat"}]}
        path.write_text(json.dumps(row, indent=indent), encoding="utf-8")
        assert len(ls.read_nbest(path)[0][0].tokens) == 40_000


@pytest.mark.parametrize("indent", [None, 2])
def test_results_after_a_long_head(tmp_path, indent):
    labels = [{"speaker": number, "from": 0.5, "to": 0.75} for number in range(3000)]
    results = [{"alternatives": [{"transcript": "a cat", "confidence": 0.5}]}]
    path = tmp_path / "long.json"
    path.write_text(json.dumps({"speaker_labels": labels, "results": results}, indent=indent))
    assert [entries[0].text for entries in ls.read_nbest(path)] == ["a cat"]
    with pytest.raises(FormatError, match="n-best list"):
        ls.read(path)


ODD = (None, 7, True, "x", [], [7], ["x"], [[]], {}, {"x": 7}, [{}], [{"text": 7}])


@pytest.mark.parametrize(
    "text",
    [
        '{"choices": [{"text": "a", "logprobs": ODD}]}',
        '{"choices": [{"text": "a", "logprobs": {"content": ODD, "top_logprobs": ODD}}]}',
        '{"choices": [{"message": {"content": ODD}}]}',
        '{"object": "response", "output": ODD}',
        '{"object": "response", "output": [{"type": "message", "content": ODD}]}',
        '{"generated_text": "a", "details": ODD}',
        '{"generated_text": "a", "details": {"best_of_sequences": ODD, "tokens": ODD, "top_tokens": ODD}}',
        '{"translatedText": ODD, "alternatives": ODD}',
        '{"translatedText": ["a", "b"], "alternatives": ODD}',
        '{"translations": [{"translatedText": ODD, "raw_nbest": ODD}]}',
        '{"translations": ODD, "scores": ODD}',
        '{"Transcript": ODD}',
        '{"audio_segments": ODD, "audio_items": ODD}',
        '{"b": 0, "d": 1, "t": "a", "w": ODD}',
        '{"results": [{"results": ODD}]}',
        '{"text": "a", "tokens": ODD, "timestamps": ODD}',
        '{"text": "a", "tokens": ["a"], "timestamps": "[ODD"}',
        '{"segments": [{"text": "a", "words": ODD}, {"text": "b", "words": [{"word": "b", "start": 1}]}]}',
    ],
)
def test_odd_values_are_read_or_refused(tmp_path, text):
    for odd in ODD:
        row = text.replace("ODD", json.dumps(odd).replace('"', '\\"') if '"[ODD' in text else json.dumps(odd))
        with warnings.catch_warnings(action="ignore"), contextlib.suppress(FormatError):
            list(stream_json(written(tmp_path, row)))


def test_results_over_several_lines(tmp_path):
    rows = [{"id": 0, "hypotheses": [{"text": "a cat", "score": -1.5}]}, {"id": 1, "hypotheses": ["a dog"]}]
    wanted = ls.read_nbest(written(tmp_path, *rows))
    path = tmp_path / "spread.json"
    for text in (
        json.dumps(rows, indent=2),
        json.dumps(rows),
        "\n".join(json.dumps(row, indent=1) for row in rows),
        "".join(json.dumps(row, indent="\t") for row in rows) + "\n\n",
        "\ufeff" + json.dumps(rows, indent=4),
    ):
        path.write_text(text, encoding="utf-8")
        assert ls.read_nbest(path) == wanted, text


@pytest.mark.parametrize(
    ("change", "line", "message"),
    [
        (("]", ""), None, "invalid JSON"),
        (("}\n]", "},\n]"), None, "invalid JSON"),
        (('"a dog"', "7"), 11, "a hypothesis without text"),
        (('"hypotheses": [\n   "', '"other": [\n   "'), 11, "expected an object"),
    ],
)
def test_broken_results_over_several_lines(tmp_path, change, line, message):
    rows = [{"id": 0, "hypotheses": [{"text": "a cat", "score": -1.5}]}, {"id": 1, "hypotheses": ["a dog"]}]
    path = tmp_path / "spread.json"
    text = json.dumps(rows, indent=1)
    head, last, tail = text.rpartition(change[0])
    assert last
    path.write_text(head + change[1] + tail, encoding="utf-8")
    with pytest.raises(FormatError, match=message) as caught:
        ls.read_nbest(path)
    assert caught.value.line == line


def test_samples_weigh_as_often_as_they_occur(tmp_path):
    """The lattice of samples has the relative frequencies as its posteriors."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        strings = [" ".join(rng.choice(["a", "b"], size=rng.integers(1, 3))) for _ in range(rng.integers(1, 30))]
        path = written(tmp_path, {"hypotheses": strings})
        [hypotheses] = ls.read_nbest(path)
        lattice = ls.normalise(ls.Lattice.from_nbest(hypotheses))
        shares = {path.text: math.exp(-path.cost) for path in ls.nbest(lattice, 100)}
        expected = {string: strings.count(string) / len(strings) for string in strings}
        assert shares == pytest.approx(expected), seed
        assert {hypothesis.text: hypothesis.features["Samples"] for hypothesis in hypotheses} == {
            string: strings.count(string) for string in strings
        }, seed


def test_the_words_of_a_single_answer_have_the_probabilities_of_their_tokens(tmp_path):
    tokens = [("A", -0.5), (" c", -0.25), ("at", -0.25), (".", -2.0)]
    chat = {"content": [{"token": token, "logprob": log} for token, log in tokens]}
    legacy = {"tokens": [token for token, _ in tokens], "token_logprobs": [log for _, log in tokens]}
    for logs in (chat, legacy):
        choice = {"text": "A cat.", "logprobs": logs}
        [[answer]] = ls.read_nbest(written(tmp_path, {"choices": [choice]}))
        assert answer.confidences == pytest.approx((math.exp(-0.5), math.exp(-0.5)))
        [answers] = ls.read_nbest(written(tmp_path, {"choices": [choice, choice]}))
        assert [entry.confidences for entry in answers] == [None]


def test_written_lists_are_read_again(tmp_path):
    lists = [[Hypothesis(("a", "„b“"), 1.25, {"LM": -1.0})], [], [Hypothesis((), 0.5)]]
    write_json(enumerate(lists), tmp_path / "x.jsonl.gz", first_id=1, sources=["s", "t", "u"])
    assert ls.read_nbest(tmp_path / "x.jsonl.gz", first_id=1) == lists


def test_errors_have_the_path_and_the_line(tmp_path):
    path = written(tmp_path, {"hypotheses": ["a"]}, "{")
    with pytest.raises(FormatError, match="invalid JSON") as caught:
        ls.read_nbest(path)
    assert (caught.value.line, str(caught.value.path)) == (2, str(path))


def test_any_bytes_are_read_or_refused(tmp_path):
    line = b'{"id": 0, "hypotheses": [{"text": "a cat", "score": -1.5, "features": {"LM": 2}}, "b"]}\n'
    fuzz_file(tmp_path / "x", line, lambda path: list(islice(stream_json(path), 1000)), seconds=0.4)
