"""Records and answers of programs that test or serve language models, made up in their forms."""

from __future__ import annotations

import json
import struct
import warnings
import zipfile
import zlib

import pytest
import zstandard

import lattice_simp as ls
from lattice_simp.errors import FormatError, InputWarning
from lattice_simp.formats.nbest import is_nbest, stream_sentences
from lattice_simp.support import zip_files
from lattice_simp.support.textio import read_lines

LOGS = [{"token": "A", "logprob": -0.25, "top_logprobs": []}, {"token": " cat.", "logprob": -0.5, "top_logprobs": []}]


def written(tmp_path, *rows, indent=None):
    path = tmp_path / "answers.json"
    path.write_text("".join(f"{json.dumps(row, indent=indent)}\n" for row in rows), encoding="utf-8")
    return path


def texts(path):
    """Returns the name of each sentence, and its texts with their log probabilities."""
    assert is_nbest(path)
    return [
        (sentence.name, [(entry.text, entry.features.get("LogProb")) for entry in sentence.hypotheses])
        for sentence in stream_sentences(path)
    ]


def inspected(name, epoch, text, **fields):
    choice = {"message": {"content": text, "role": "assistant"}, "stop_reason": "stop", "logprobs": {"content": LOGS}}
    output = {"model": "m", "choices": [choice] if text else [], "completion": text}
    messages = [{"role": "user", "content": "x"}, {"role": "assistant", "content": text}]
    return {"id": name, "epoch": epoch, "input": "x", "messages": messages, "output": output, "metadata": {}, **fields}


def log_of_inspect(*samples):
    return {
        "version": 2,
        "status": "success",
        "eval": {"task": "t"},
        "results": {"scores": []},
        "samples": list(samples),
    }


@pytest.mark.parametrize("indent", [None, 2])
def test_epochs_of_inspect_are_samples(tmp_path, indent):
    log = log_of_inspect(*(inspected(name, epoch, f"A {name}.") for epoch in (1, 2) for name in ("cat", "dog")))
    log["samples"][2]["output"]["choices"][0]["message"]["content"] = [{"type": "text", "text": "The cat."}]
    path = written(tmp_path, log, indent=indent)
    with warnings.catch_warnings(action="error"):
        assert texts(path) == [("cat", [("A cat.", -0.75), ("The cat.", -0.75)]), ("dog", [("A dog.", -0.75)])]
    assert all(entry.confidences is None for entries in ls.read_nbest(path) for entry in entries)


def test_failed_epochs_of_inspect(tmp_path):
    failed = inspected("cat", 2, "", error={"message": "too late", "traceback": ""})
    samples = [failed, inspected("cat", 1, "A cat.")]
    for order in (samples, samples[::-1]):
        with pytest.warns(InputWarning) as caught:
            assert texts(written(tmp_path, log_of_inspect(*order))) == [("cat", [("A cat.", -0.75)])]
        assert {"left out failed requests" in str(warning.message) for warning in caught} == {True}
    texts_only = {**inspected("cat", 2, "A cat."), "output": {"candidates": ["a hat"]}}
    assert texts(written(tmp_path, log_of_inspect(texts_only, texts_only))) == [("cat", [("a hat", None)])]
    with pytest.warns(InputWarning, match="1 failed request without hypotheses, the first: too late"):
        assert texts(written(tmp_path, log_of_inspect(failed))) == [("cat", [])]


def test_completions_of_helm(tmp_path):
    completions = [
        {
            "text": "A cat.",
            "logprob": -0.75,
            "tokens": [{"text": "A", "logprob": -0.25}],
            "finish_reason": {"reason": "length"},
        },
        {"text": "The cat.", "logprob": -1.5, "tokens": []},
    ]
    state = {
        "instance": {"input": {"text": "x"}, "id": "q1"},
        "request": {"prompt": "x"},
        "result": {"success": True, "completions": completions},
    }
    path = written(tmp_path, {"adapter_spec": {"num_outputs": 2}, "request_states": [state]}, indent=2)
    with pytest.warns(InputWarning, match="an answer that was cut off \\('length'\\)"):
        assert texts(path) == [("q1", [("A cat.", -0.75), ("The cat.", -1.5)])]


def promptfoo(test, prompt, answer, **fields):
    return {
        "testIdx": test,
        "promptIdx": prompt,
        "vars": {},
        "response": {"output": answer, "cached": False},
        "score": 1,
        **fields,
    }


def test_results_of_promptfoo(tmp_path):
    """The answers to a test are its samples; on lines, each is a sentence."""
    results = [promptfoo(0, 0, "A cat."), promptfoo(1, 0, "No."), promptfoo(0, 1, "The cat.")]
    path = written(tmp_path, {"evalId": "e", "results": {"version": 3, "prompts": [], "results": results}}, indent=2)
    assert texts(path) == [(None, [("A cat.", None), ("The cat.", None)]), (None, [("No.", None)])]
    assert texts(written(tmp_path, *results)) == [(None, [(text, None)]) for text in ("A cat.", "No.", "The cat.")]
    failed = {"testIdx": 0, "error": "API error", "response": {"error": "API error"}}
    with pytest.warns(InputWarning, match="the first: API error"):
        assert texts(written(tmp_path, failed, results[0])) == [(None, []), (None, [("A cat.", None)])]
    with pytest.raises(FormatError, match="found the key 'answer' in"):
        ls.read_nbest(written(tmp_path, promptfoo(0, 0, {"answer": 7})))


def test_results_of_langchain(tmp_path):
    def entry(text, **details):
        return {"text": text, "generation_info": details or None, "type": "Generation"}

    chat = {
        **entry("No.", logprobs={"content": LOGS}),
        "type": "ChatGeneration",
        "message": {"content": "No.", "type": "ai"},
    }
    result = {
        "generations": [[entry("A cat."), entry("The cat.", finish_reason="stop")], [chat]],
        "llm_output": {},
        "type": "LLMResult",
    }
    expected = [(None, [("A cat.", None), ("The cat.", None)]), (None, [("No.", -0.75)])]
    assert texts(written(tmp_path, result)) == expected
    packed = {"lc": 1, "type": "constructor", "id": ["x", "LLMResult"], "kwargs": result}
    packed["kwargs"]["generations"][1] = [{"lc": 1, "type": "constructor", "id": ["ChatGeneration"], "kwargs": chat}]
    assert texts(written(tmp_path, packed, indent=2)) == expected


def test_messages_of_langchain(tmp_path):
    question = {"content": "What is it?", "type": "human", "id": None}
    details = {"finish_reason": "stop", "logprobs": {"content": LOGS}}
    answer = {"content": "A cat.", "type": "ai", "additional_kwargs": {}, "response_metadata": details, "id": "run-1"}
    packed = {"lc": 1, "type": "constructor", "id": ["x", "AIMessage"], "kwargs": answer}
    for row in (answer, packed):
        [[entry]] = ls.read_nbest(written(tmp_path, row))
        assert (entry.text, entry.features["LogProb"]) == ("A cat.", -0.75)
        assert entry.confidences is not None
    with pytest.warns(InputWarning, match="left out messages of the kind 'human'"):
        assert texts(written(tmp_path, question, answer)) == [(None, [("A cat.", -0.75)])]


def test_answers_of_sglang(tmp_path):
    def answer(text, logs, reason):
        return {
            "text": text,
            "output_ids": [1],
            "meta_info": {"id": "a", "finish_reason": reason, "output_token_logprobs": logs},
        }

    named = answer("A cat.", [[-0.25, 1, "A"], [-0.5, 2, " cat."]], {"type": "stop", "matched": 2})
    unnamed = answer("No.", [[-0.25, 1, None]], {"type": "length", "length": 1})
    plain = {"text": "No.", "meta_info": {"id": "a", "finish_reason": {"type": "stop"}}}
    path = written(tmp_path, named, unnamed, plain)
    with pytest.warns(InputWarning, match=r":2: an answer that was cut off \('length'\)"):
        assert texts(path) == [(None, [("A cat.", -0.75)]), (None, [("No.", -0.25)]), (None, [("No.", None)])]
    assert ls.read_nbest(written(tmp_path, named))[0][0].confidences is not None
    with pytest.raises(FormatError, match="a part of a stream"):
        ls.read_nbest(written(tmp_path, answer("A", [[-0.25, 1, "A"]], None)))


def test_answers_of_triton(tmp_path):
    """Log probabilities that are all 0 were not asked for."""
    fields = {"model_name": "ensemble", "model_version": "1", "sequence_end": False}
    one, zero = {"text_output": "A cat.", "cum_log_probs": -0.75}, {"text_output": "No.", "cum_log_probs": 0.0}
    several = {"text_output": ["A cat.", "The cat."], "cum_log_probs": [-0.75, -1.5]}
    path = written(tmp_path, *({**fields, **row} for row in (one, zero, several)))
    first, second, third = ls.read_nbest(path)
    assert (first[0].text, first[0].features["LogProb"]) == ("A cat.", -0.75)
    assert (second[0].text, "LogProb" in second[0].features) == ("No.", False)
    assert [(entry.text, entry.cost) for entry in third] == [("A cat.", 0.75), ("The cat.", 1.5)]


def test_data_sets_are_no_answers(tmp_path):
    for row in (
        {"output": "A cat."},
        {"samples": [{"input": "x", "output": "A cat."}]},
        {"results": [{"output": "A cat."}]},
    ):
        with pytest.raises(FormatError):
            ls.read_nbest(written(tmp_path, row))


def packed_log(folder, samples, method=zipfile.ZIP_DEFLATED, name="log.eval"):
    """Writes a log of Inspect in its own format: samples in the order in which they ended."""
    with zipfile.ZipFile(folder / name, "w", method) as archive:
        archive.writestr("_journal/start.json", json.dumps({"version": 2}))
        for sample in samples:
            archive.writestr(f"samples/{sample['id']}_epoch_{sample['epoch']}.json", json.dumps(sample, indent=2))
        archive.writestr("summaries.json", "[]")
        archive.writestr("header.json", json.dumps({"version": 2, "status": "success"}))
    return folder / name


def packed_by_zstandard(path):
    """Packs the files of a zip archive by Zstandard, as new versions of Inspect do."""
    files = [(info.filename, zipfile.ZipFile(path).read(info)) for info in zipfile.ZipFile(path).infolist()]
    body, directory = b"", b""
    for name, content in files:
        data, text = zstandard.compress(content), name.encode()
        sizes = struct.pack("<HHHHHIIIH", 20, 0, 93, 0, 0, zlib.crc32(content), len(data), len(content), len(text))
        directory += b"PK\1\2\x14\0" + sizes + struct.pack("<HHHHII", 0, 0, 0, 0, 0, len(body)) + text
        body += b"PK\3\4" + sizes + b"\0\0" + text + data
    end = struct.pack("<HHHHIIH", 0, 0, len(files), len(files), len(directory), len(body), 0)
    path.write_bytes(body + directory + b"PK\5\6" + end)


def test_logs_of_inspect_in_its_own_format(tmp_path):
    """Samples have the order of a log in JSON: epochs together, and numbers in names count as numbers."""
    log = [inspected(f"q/{number}", epoch, f"A {number} {epoch}.") for epoch in (1, 2) for number in (10, 2, 1)]
    expected = [(f"q/{number}", [(f"A {number} 1.", -0.75), (f"A {number} 2.", -0.75)]) for number in (1, 2, 10)]
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA):
        assert texts(packed_log(tmp_path, log, method)) == expected
    path = packed_log(tmp_path, log)
    assert [name for name, _ in ls.read_all(path)] == ["q/1", "q/2", "q/10"]
    packed_by_zstandard(path)
    assert texts(path) == expected
    with pytest.raises(FormatError, match=r"log.eval: looks like a log of Inspect, .* \(write its texts first: "):
        next(read_lines(path))
    with pytest.raises(FormatError, match=r"log.eval: the log holds no samples \(run"):
        ls.read_nbest(packed_log(tmp_path, []))
    broken = {**inspected("cat", 1, "A cat."), "output": 5}
    with pytest.raises(FormatError, match=r"log.eval:1: expected an object with .* the keys 'id', 'epoch'"):
        ls.read_nbest(packed_log(tmp_path, [broken]))


@pytest.mark.parametrize("pack", [lambda path: None, packed_by_zstandard])
def test_damaged_logs_of_inspect(tmp_path, pack):
    path = packed_log(tmp_path, [inspected(number, 1, f"A {number}.") for number in range(3)])
    pack(path)
    data, expected = path.read_bytes(), ls.read_nbest(path)
    for damaged in (data[:-30], data[: len(data) // 2], data[:400] + data[600:]):
        path.write_bytes(damaged)
        with pytest.raises(FormatError, match=r"log.eval: a broken zip archive: "):
            ls.read_nbest(path)
    for place in range(0, len(data), 7):
        path.write_bytes(data[:place] + bytes([data[place] ^ 0x55]) + data[place + 1 :])
        try:
            result = ls.read_nbest(path)
        except FormatError:
            continue
        assert result == expected, place


def test_logs_of_inspect_that_unpack_to_too_much(tmp_path, monkeypatch):
    monkeypatch.setattr(zip_files, "FREE_BYTES", 1 << 10)
    monkeypatch.setattr(zip_files, "MAX_RATIO", 4)
    path = packed_log(tmp_path, [inspected("cat", 1, "A cat." * 10_000)])
    with pytest.raises(FormatError, match=r"log.eval: its file samples/cat_epoch_1.json unpacks to more than"):
        ls.read_nbest(path)


def test_numbers_of_results_in_a_service_are_names(tmp_path):
    words = [{"text": "a", "start": 0, "end": 500}, {"text": "cat", "start": 500, "end": 900}]
    rows = [{"id": 5_936_415 - place, "text": "a cat", "words": words} for place in (0, 1)]
    sentences = list(stream_sentences(written(tmp_path, *rows)))
    assert [(sentence.number, sentence.name) for sentence in sentences] == [(0, "5936415"), (1, "5936414")]
    rows = [{"id": number, "text": "a cat", "words": words} for number in (0, 2)]
    assert [sentence.number for sentence in stream_sentences(written(tmp_path, *rows))] == [0, 1, 2]
