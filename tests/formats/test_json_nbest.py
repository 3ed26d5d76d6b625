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
from lattice_simp.errors import FormatError, InputWarning
from lattice_simp.formats.json.nbest import stream_json, write_json
from lattice_simp.formats.nbest import stream_sentences


def written(tmp_path, *rows):
    path = tmp_path / "samples.jsonl"
    path.write_text("".join(f"{row if isinstance(row, str) else json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def test_scores_tokens_and_features(tmp_path):
    entries = [{"text": "a  cat\nsat", "score": -1.5, "features": {"LM": -3}}, {"tokens": ["the", "cat"], "score": -2}]
    path = written(tmp_path, {"id": 0, "hypotheses": entries}, {"id": 2, "hypotheses": []})
    assert ls.read_nbest(path) == [
        [Hypothesis(("a", "cat", "sat"), 1.5, {"LM": -3.0}), Hypothesis(("the", "cat"), 2.0)],
        [],
        [],
    ]


def test_alternatives_of_vosk(tmp_path):
    """The confidence is a log score; times of other words and the speaker's vector stay out."""
    word = {"word": "a", "start": 0.1, "end": 0.4}
    first = {"text": "a cat", "confidence": -1.5, "result": [word]}
    silence = {"alternatives": [{"text": "", "confidence": 1.0}]}
    path = written(tmp_path, {"alternatives": [first, {"text": "cat", "confidence": -2}], "spk": [0.1]}, silence)
    with pytest.warns(InputWarning) as caught:
        assert ls.read_nbest(path) == [
            [Hypothesis(("a", "cat"), 1.5), Hypothesis(("cat",), 2.0)],
            [Hypothesis((), -1.0)],
        ]
    times, score = (str(warning.message) for warning in caught)
    assert "jsonl:1: the times of words are not read: 'result'" in times
    assert ":2: the score 1 is above 0" in score


def test_choices_of_completions_are_samples(tmp_path):
    """Duplicates count together; log probabilities stay as a feature, which `cost` names."""
    tokens = [{"token": "a", "logprob": -0.25}, {"token": " cat", "logprob": -0.5}]
    choices = [{"index": 0, "message": {"content": "a cat"}, "logprobs": {"content": tokens}}] * 2
    choices.append({"index": 2, "text": "a hat", "logprobs": {"token_logprobs": [-1.0, -2.0]}})
    answer = {"id": "chatcmpl-1", "object": "chat.completion", "choices": choices}
    batch = {"id": "batch_req_1", "custom_id": "r-1", "response": {"status_code": 200, "body": answer}, "error": None}
    path = tmp_path / "answers.jsonl"
    for rows in ([answer, answer], [batch, batch]):
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
        first, second = ls.read_nbest(path)
        assert first == second
        assert [(entry.text, entry.features["LogProb"]) for entry in first] == [("a cat", -0.75), ("a hat", -3.0)]
        assert [math.exp(-entry.cost) for entry in first] == pytest.approx([2 / 3, 1 / 3])
    assert [entry.cost for entry in ls.read_nbest(path, cost="LogProb")[0]] == [0.75, 0.75, 3.0]
    path.write_text(json.dumps(answer, indent=2), encoding="utf-8")
    assert ls.read_nbest(path) == [first]


@pytest.mark.parametrize(
    "text",
    [
        '{"text": "a cat"}\n{"text": ""}\n',
        '{"key": "u-1", "text": "a cat"}\n{"text": ""}\n',
        '{\n  "text": "a cat",\n  "usage": {"type": "duration", "seconds": 3}\n}\n{"text": ""}\n',
        '[\n  {"id": "u-1", "text": "a cat"},\n  {"text": ""}\n]\n',
        '[{"id": 0, "text": "a cat"}, {"id": 1, "text": ""}]',
    ],
)
def test_an_object_may_be_a_text(tmp_path, text):
    path = tmp_path / "texts.json"
    path.write_text(text, encoding="utf-8")
    sentences = list(stream_json(path))
    assert [[entry.text for entry in sentence.hypotheses] for sentence in sentences] == [["a cat"], [""]]
    assert sentences[0].name == ("u-1" if "u-1" in text else None)


def test_answers_of_llama_cpp(tmp_path):
    logs = [{"token": " a", "logprob": -0.5}, {"token": " cat", "logprob": -0.25}]
    row = {"content": " a cat", "stop": True, "tokens_predicted": 2, "stop_type": "eos"}
    with warnings.catch_warnings(action="error"):
        lists = ls.read_nbest(written(tmp_path, {**row, "completion_probabilities": logs}, row))
    assert [entry.text for (entry,) in lists] == ["a cat", "a cat"]
    assert (lists[0][0].features["LogProb"], lists[1][0].confidences) == (-0.75, None)
    with pytest.raises(FormatError, match="a part of a stream, no answer"):
        ls.read_nbest(written(tmp_path, {**row, "stop": False}))


@pytest.mark.parametrize(
    "row",
    [
        {"request_id": "0", "outputs": [{"text": " a cat", "cumulative_logprob": -1.5, "token_ids": [1]}]},
        {"candidates": [{"content": {"parts": [{"text": "a "}, {"text": "cat"}]}, "avgLogprobs": -1.5}]},
    ],
)
def test_outputs_of_vllm_and_gemini(tmp_path, row):
    [[hypothesis]] = ls.read_nbest(written(tmp_path, row))
    assert hypothesis.text == "a cat"
    assert -1.5 in hypothesis.features.values()


def test_lists_of_lists_of_texts(tmp_path):
    path = tmp_path / "a.json"
    for lists in ([["a cat", "the cat"], ["a dog"]], [[], ["a cat"]], [["a cat"], []]):
        for indent in (None, 2):
            path.write_text(json.dumps(lists, indent=indent), encoding="utf-8")
            assert [[entry.text for entry in sentence] for sentence in ls.read_nbest(path)] == lists
    path.write_text('[["the", "cat"], ["a", "dog"]]', encoding="utf-8")
    with pytest.warns(InputWarning, match=":1: texts of a single word each are read as samples; they may be"):
        assert len(ls.read_nbest(path)[0]) == 2
    with warnings.catch_warnings(action="error"):
        for lists in ([["cat", "cat"]], [["猫", "小猫"]], [[{"generated_text": "cat"}, {"generated_text": "dog"}], []]):
            path.write_text(json.dumps(lists), encoding="utf-8")
            ls.read_nbest(path)
    path.write_text('[["a cat", 3]]', encoding="utf-8")
    with pytest.raises(FormatError, match="a hypothesis without text or tokens"):
        ls.read_nbest(path)


def test_generated_texts_with_details(tmp_path):
    token = {"id": 5, "text": "a", "logprob": -0.5, "special": False}
    others = [{"generated_text": "a hat", "tokens": [token]}]
    row = {"details": {"tokens": [token, token], "best_of_sequences": others}, "generated_text": "a cat"}
    [entries] = ls.read_nbest(written(tmp_path, row))
    assert [(entry.text, entry.features["LogProb"]) for entry in entries] == [("a cat", -1.0), ("a hat", -0.5)]
    path = tmp_path / "x.json"
    path.write_text(json.dumps([{"generated_text": "a", "details": {"tokens": [token]}}]))
    assert ls.read_nbest(path)[0][0].features["LogProb"] == -0.5
    row["details"]["top_tokens"] = [[token, token]]
    with pytest.warns(InputWarning, match="alternatives of tokens"):
        ls.read_nbest(written(tmp_path, row))


def item(word, kind="word", **fields):
    return {"alternatives": [{"content": word, "confidence": 0.9}], "type": kind, **fields}


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


def test_transcripts_in_words(tmp_path):
    """Of Speechmatics, and of Amazon without transcripts: one sentence; a warning names alternatives of words."""
    items = [
        item("¿", "punctuation", attaches_to="next"),
        item("Un", start_time=0.5, end_time=0.75),
        item("gato", start_time=0.75),
        item("?", "punctuation"),
    ]
    for row in ({"format": "2.9", "metadata": {}, "results": items}, {"results": {"items": items}}):
        [[hypothesis]] = ls.read_nbest(written(tmp_path, row))
        assert (hypothesis.text, hypothesis.times) == ("¿Un gato?", ((0.5, 0.75), (0.75, 0.75)))
        assert hypothesis.confidences == (0.9, 0.9)
    timeless = [item("Un"), item("gato")]
    with pytest.warns(InputWarning, match="the times of words are not read"):
        assert ls.read_nbest(written(tmp_path, {"results": {"items": timeless}}))[0][0].times is None
    plain = [{"alternatives": [{"content": "Un"}]}]
    with pytest.warns(InputWarning, match="the times and confidences of words are not read"):
        assert ls.read_nbest(written(tmp_path, {"results": {"items": plain}}))[0][0].confidences is None
    items[1]["alternatives"].append({"content": "Uno", "confidence": 0.1})
    with pytest.warns(InputWarning, match="only the first alternative of each word is read"):
        assert ls.read_nbest(written(tmp_path, row))[0][0].text == "¿Un gato?"


def test_transcripts_of_amazon_and_nemo(tmp_path):
    items = [{"alternatives": [{"content": "A", "confidence": "0.9"}]}]
    plain = {"results": {"transcripts": [{"transcript": "A cat."}], "items": items}}
    segments = [{"alternatives": [{"transcript": "A cat."}, {"transcript": "A hat."}]}]
    shown = {"results": {**plain["results"], "segments": segments}}
    manifest = {"audio_filepath": "1.wav", "text": "the reference", "pred_text": "a cat"}
    with pytest.warns(InputWarning, match="of words are not read: 'items'"):
        lists = ls.read_nbest(written(tmp_path, plain, shown, manifest))
    texts = [[entry.text for entry in entries] for entries in lists]
    assert texts == [["A cat."], ["A cat.", "A hat."], ["a cat"]]
    assert ls.read_nbest(written(tmp_path, manifest))[0][0].text == "a cat"


def test_recordings_without_a_text_have_no_hypotheses(tmp_path):
    rows = [{"audio_filepath": f"u-{place}.wav", "pred_text": text} for place, text in enumerate([None, "a cat", None])]
    with pytest.warns(InputWarning, match=":1: no hypotheses where 'pred_text' is null") as caught:
        sentences = list(stream_sentences(written(tmp_path, *rows)))
    assert [(sentence.name, [entry.text for entry in sentence.hypotheses]) for sentence in sentences] == [
        ("u-0", []),
        ("u-1", ["a cat"]),
        ("u-2", []),
    ]
    assert len(caught) == 1
    row = {"audio_filepath": "u-0.wav", "transcript": None, "pred_text": "a cat"}
    assert ls.read_nbest(written(tmp_path, row))[0][0].text == "a cat"


@pytest.mark.parametrize("indent", [None, 4])
def test_results_of_espnet(tmp_path, indent):
    def entry(text, score):
        return {"name": "target1[1]", "rec_text": text, "rec_token": "A", "score": score, "text": "THE REFERENCE"}

    utterances = {
        "u-1": {"output": [entry("A CAT<eos>", -1.5), entry("▁A▁HAT<eos>", -2.5)], "utt2spk": "s-1"},
        "u-2": {"output": [[entry("YES<eos>", -1.0)], [entry("", -2.0)]]},
    }
    path = tmp_path / "data.json"
    path.write_text(json.dumps({"utts": utterances}, indent=indent), encoding="utf-8")
    assert [
        (sentence.name, [(entry.text, entry.score) for entry in sentence.hypotheses])
        for sentence in stream_sentences(path)
    ] == [("u-1", [("A CAT", -1.5), ("A HAT", -2.5)]), ("u-2-1", [("YES", -1.0)]), ("u-2-2", [("", -2.0)])]
    utterances["u-2"]["output"] = 3
    path.write_text(json.dumps({"utts": utterances}, indent=indent), encoding="utf-8")
    with pytest.raises(FormatError, match=":1: expected an object with a list of hypotheses"):
        ls.read_nbest(path)
    utterances["u-1"]["output"] = [{"name": "target1", "text": "THE REFERENCE"}]
    path.write_text(json.dumps({"utts": utterances}, indent=indent), encoding="utf-8")
    with pytest.raises(FormatError, match=":1: a hypothesis without text or tokens"):
        ls.read_nbest(path)


def test_the_translation_of_an_empty_line_has_no_score(tmp_path):
    rows = [
        {"score": 0.5, "sentence_id": 1, "translation": "a"},
        {"score": -math.inf, "sentence_id": 2, "translation": ""},
    ]
    with warnings.catch_warnings(action="error"):
        assert ls.read_nbest(written(tmp_path, *rows)) == [[Hypothesis(("a",), 0.5)], [Hypothesis((), 0.0)]]
    with pytest.raises(FormatError, match=":1: a score that is not a finite number"):
        ls.read_nbest(written(tmp_path, {**rows[1], "translation": "a"}))


def test_several_utterances_are_a_transcript(tmp_path):
    """Gladia's utterances, and Rev AI's monologues of text, punctuation and blanks; some words lack confidences."""
    word = {"word": " A", "start": 0.5, "end": 0.8, "confidence": 0.5}
    utterances = [{"text": "A.", "words": [word]}, {"text": "B", "words": [{"word": "B", "start": 1, "end": 2}]}]
    path = written(tmp_path, {"result": {"transcription": {"full_transcript": "A. B", "utterances": utterances}}})
    [[hypothesis]] = ls.read_nbest(path)
    assert repr(hypothesis.confidences) == "(0.5, nan)"
    assert (hypothesis.text, hypothesis.cost, hypothesis.times) == ("A. B", 0.0, ((0.5, 0.8), (1.0, 2.0)))
    elements = [{"type": "text", "value": "A"}, {"type": "punct", "value": ", "}, {"type": "text", "value": "B"}]
    monologues = [{"speaker": 0, "elements": elements}, {"speaker": 1, "elements": elements[:1]}]
    assert [entry.text for entry in ls.read_nbest(written(tmp_path, {"monologues": monologues}))[0]] == ["A, B A"]
    for broken in ([{"elements": "A"}], [{"speaker": 0}], ["A"]):
        with pytest.raises(FormatError, match=r":1: "):
            ls.read_nbest(written(tmp_path, {"monologues": broken}))


def generated(*texts):
    return [{"generated_text": text} for text in texts]


@pytest.mark.parametrize("indent", [None, 2])
def test_results_of_pipelines_are_samples(tmp_path, indent):
    """Lists of lists have a sentence for each inner list, as lists on lines have."""
    path = tmp_path / "x.json"
    batch = [generated("a cat", "a  cat", "a dog"), generated("the cat"), []]
    expected = [[("a cat", math.log(1.5)), ("a dog", math.log(3))], [("the cat", 0.0)], []]
    path.write_text(json.dumps(batch, indent=indent))
    assert strings(path) == rounded(expected)
    path.write_text("\n".join(json.dumps(entries, indent=indent) for entries in batch[:2]) + "\n")
    assert strings(path) == rounded(expected[:2])


def strings(path):
    return rounded([[(entry.text, entry.cost) for entry in entries] for entries in ls.read_nbest(path)])


def rounded(lists):
    return [[(text, round(cost, 9)) for text, cost in entries] for entries in lists]


def test_a_list_of_generated_texts_is_one_sentence(tmp_path):
    path = tmp_path / "x.json"
    for name in ("generated_text", "translation_text", "summary_text"):
        path.write_text(json.dumps([{name: "a cat"}, {name: "a dog"}]))
        with pytest.warns(InputWarning, match="a list of generated texts is one sentence: its samples"):
            assert strings(path) == rounded([[("a cat", math.log(2)), ("a dog", math.log(2))]])
        path.write_text(json.dumps([{name: "a cat"}]))
        with warnings.catch_warnings(action="error"):
            assert strings(path) == [[("a cat", 0.0)]]
    chat = [{"role": "user", "content": "Name a cat."}, {"role": "assistant", "content": "Tom"}]
    path.write_text(json.dumps([{"generated_text": chat}]))
    assert strings(path) == [[("Tom", 0.0)]]


def test_broken_results_of_pipelines_name_their_lines(tmp_path):
    path = tmp_path / "x.json"
    text = json.dumps([generated("a"), [{"generated_text": "a"}, {"text": 5}]], indent=1)
    path.write_text(text)
    with pytest.raises(FormatError, match=r"x.json:7: a hypothesis without text or tokens"):
        ls.read_nbest(path)
    path.write_text(text[:-8])
    with pytest.raises(FormatError, match=r"x.json: invalid JSON: .* at line 12"):
        ls.read_nbest(path)
    path.write_text('[{"generated_text": "a"}]\n[{"generated_text": }]\n')
    with pytest.raises(FormatError, match=r"x.json:2: "):
        ls.read_nbest(path)


def test_features_of_samples_stay(tmp_path):
    row = {"hypotheses": [{"text": "a", "features": {"LM": -1}}, {"text": "b", "features": {"LM": -2}}]}
    assert [entry.features["LM"] for entry in ls.read_nbest(written(tmp_path, row))[0]] == [-1.0, -2.0]


def segment(text, score, tokens):
    return {"id": 0, "start": 0.0, "end": 2.0, "text": text, "tokens": tokens, "avg_logprob": score, "temperature": 0.0}


@pytest.mark.parametrize("indent", [None, 2])
def test_transcripts_in_segments_are_hypotheses(tmp_path, indent):
    """The score is the average over all tokens."""
    segments = [segment(" A cat", -0.5, [1, 2, 3]), segment(" sat.", -1.0, [4])]
    path = tmp_path / "whisper.json"
    row = {"text": " A cat sat.", "segments": segments, "language": "en"}
    path.write_text(json.dumps(row, indent=indent), encoding="utf-8")
    assert ls.read_nbest(path) == [[Hypothesis(("A", "cat", "sat."), 0.625)]]
    del row["text"]
    path.write_text(json.dumps([row, {"transcription": [{"text": " A dog"}]}], indent=indent), encoding="utf-8")
    assert [entries[0].text for entries in ls.read_nbest(path)] == ["A cat sat.", "A dog"]
    rows = [{**segments[0], "id": 0}, {**segments[1], "id": 1}]
    assert [entries[0].cost for entries in ls.read_nbest(written(tmp_path, *rows))] == [0.5, 1.0]


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


@pytest.mark.parametrize("name", ["candidates", "outputs"])
def test_texts_have_the_scores_of_a_separate_list(tmp_path, name):
    rows = [{"id": number, name: ["a cat", "a hat"], "scores": [-1.5, -2.5]} for number in (0, 2)]
    lists = ls.read_nbest(written(tmp_path, *rows))
    assert [[entry.cost for entry in entries] for entries in lists] == [[1.5, 2.5], [], [1.5, 2.5]]
    row = {name: [{"text": "a cat"}, {"text": "a hat"}], "scores": [-1.5, -2.5]}
    assert [entry.cost for entry in ls.read_nbest(written(tmp_path, row))[0]] == [1.5, 2.5]


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


@pytest.mark.parametrize(
    ("rows", "line", "message"),
    [
        (['{"hypotheses": ["a"]}', "{"], 2, "invalid JSON"),
        (['{"hypotheses": ["a"]}', "[1]"], 2, "expected an object with a list"),
        (['{"hypotheses": ["a"]}', '{"hypotheses": 3}'], 2, "expected an object with a list"),
        (['{"hypotheses": ["a"]}', '{"id": 1, "lines": ["a"]}'], 2, "found the keys 'id', 'lines' in"),
        (['{"hypotheses": ["a"]}', '{"hyps": ["a"]}'], 2, "found the key 'hyps' in"),
        (['{"hypotheses": [{"txt": "a"}]}'], 1, "a hypothesis without text or tokens, with the key 'txt':"),
        (['{"hypotheses": [3]}'], 1, "without text or tokens"),
        (['{"hypotheses": [{"tokens": ["a", ""]}]}'], 1, "without text or tokens"),
        (['{"hypotheses": [{"text": "a", "score": "x"}]}'], 1, "score that is not a finite number"),
        (['{"hypotheses": [{"text": "a", "score": NaN}]}'], 1, "score that is not a finite number"),
        (['{"hypotheses": [{"text": "a", "score": 1}, {"text": "b"}]}'], 1, "a score for some hypotheses only"),
        (['{"hypotheses": [{"text": "a", "features": {"LM": null}}]}'], 1, "features that are not finite"),
        (
            ['{"id": 1, "hypotheses": []}', '{"id": 1, "hypotheses": []}'],
            2,
            "the id 1 again .write one object",
        ),
        (['{"id": 1, "hypotheses": []}', '{"id": 0, "hypotheses": []}'], 2, "the id 0 is lower than 2"),
        (['{"id": 1.5, "hypotheses": []}'], 1, "not a whole number"),
        (['{"id": 99999999, "hypotheses": []}'], 1, "jumps"),
    ],
)
def test_broken_lines(tmp_path, rows, line, message):
    path = written(tmp_path, *rows)
    with pytest.raises(FormatError, match=message) as caught:
        ls.read_nbest(path)
    assert (caught.value.line, str(caught.value.path)) == (line, str(path))
    assert caught.value.remedy


def test_any_bytes_are_read_or_refused(tmp_path):
    line = b'{"id": 0, "hypotheses": [{"text": "a cat", "score": -1.5, "features": {"LM": 2}}, "b"]}\n'
    fuzz_file(tmp_path / "x", line, lambda path: list(islice(stream_json(path), 1000)), seconds=0.4)


def test_integers_beyond_all_numbers_are_not_finite(tmp_path):
    value = -(10**400)
    for entry in ({"text": "a", "score": value}, {"text": "a", "score": 0, "features": {"x": value}}):
        (tmp_path / "list.jsonl").write_text(json.dumps({"id": 0, "hypotheses": [entry]}) + "\n")
        with pytest.raises(FormatError, match="finite number"):
            ls.read_nbest(tmp_path / "list.jsonl")


def test_scores_of_candidates_stay(tmp_path):
    """A score, features, scores by name, and log probabilities; unknown names are refused."""
    entries = [{"text": "a cat", "score": -1.5, "features": {"LM": -3}, "scores": {"rouge": 0.5}, "logprob": -2}]
    expected = Hypothesis(("a", "cat"), 1.5, {"rouge": 0.5, "LM": -3.0, "LogProb": -2.0})
    for name in ("candidates", "outputs", "choices"):
        assert ls.read_nbest(written(tmp_path, {name: entries, "cost": 0.02})) == [[expected]], name
        for row in ({name: [{"text": "a", "likelihood": -1}]}, {name: [{"text": "a"}], "rewards": [-1]}):
            with pytest.raises(FormatError, match=r"scores under the name '(likelihood|rewards)'"):
                ls.read_nbest(written(tmp_path, row))


def test_batches_of_bedrock(tmp_path):
    message = {"type": "message", "role": "assistant", "content": [{"type": "text", "text": "a cat"}]}
    path = written(tmp_path, {"recordId": "r-1", "modelInput": {"messages": []}, "modelOutput": message})
    (sentence,) = stream_json(path)
    assert (sentence.name, [entry.text for entry in sentence.hypotheses]) == ("r-1", ["a cat"])


@pytest.mark.parametrize("name", ["generations", "completions", "responses", "samples", "text", "generated_text"])
def test_lists_of_texts_are_samples(tmp_path, name):
    rows = [{"instruction": "x", name: ["a cat", "a hat"]}, {name: [{"text": "a cat"}, {"text": "a cat"}]}]
    lists = ls.read_nbest(written(tmp_path, *rows))
    assert [[entry.text for entry in entries] for entries in lists] == [["a cat", "a hat"], ["a cat"]]
    row = {"id": 1, name: ["a cat", "a hat"], "scores": [-1.5, -2.5]}
    assert [[entry.cost for entry in entries] for entries in ls.read_nbest(written(tmp_path, row))] == [[], [1.5, 2.5]]
    texts = ["The mayor was tired of it", "Two old bridges were closed"]
    with pytest.warns(InputWarning, match=":1: texts with hardly a common word may be of several sentences"):
        ls.read_nbest(written(tmp_path, {name: texts}))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ls.read_nbest(written(tmp_path, {name: ["the", "cat", "sat"]}))
    assert any("may be the tokens" in str(warning.message) for warning in caught) == (name == "text")
    for entries in ([{"label": "a cat"}], [["a", "cat"]], [3], []):
        with pytest.raises(FormatError, match=r"with the key|a list as the text of"):
            ls.read_nbest(written(tmp_path, {name: entries}))


def test_answers_of_the_python_library_of_gemini(tmp_path):
    """It writes names with underscores, and null for what is missing."""
    call = {"text": None, "thought": None, "function_call": {"name": "f"}}
    tokens = {"chosen_candidates": [{"token": "a", "log_probability": -0.5}], "top_candidates": None}
    candidate = {
        "content": {"parts": [{"text": "a cat", "function_call": None}, call], "role": "model"},
        "avg_logprobs": -0.25,
        "logprobs_result": tokens,
        "finish_reason": "STOP",
    }
    blocked = {"candidates": None, "prompt_feedback": {"block_reason": "SAFETY"}}
    with pytest.warns(InputWarning, match=":2: 1 failed request without hypotheses, the first: blocked: SAFETY"):
        [[entry], none] = ls.read_nbest(
            written(tmp_path, {"candidates": [candidate], "prompt_feedback": None}, blocked)
        )
    assert (entry.text, none) == ("a cat", [])
    assert (entry.features["LogProb"], entry.features["MeanLogProb"]) == (-0.5, -0.25)
