"""Logs of Inspect in its own format, a zip archive of JSON files, and names of records."""

from __future__ import annotations

import json
import struct
import zipfile
import zlib

import pytest
import zstandard
from helpers import written_lines

import lattice_simp as ls
from lattice_simp.errors import FormatError
from lattice_simp.formats.nbest import is_nbest, stream_sentences
from lattice_simp.support import zip_files
from lattice_simp.support.textio import read_lines

LOGS = [{"token": "A", "logprob": -0.25, "top_logprobs": []}, {"token": " cat.", "logprob": -0.5, "top_logprobs": []}]


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
    sentences = list(stream_sentences(written_lines(tmp_path, rows)))
    assert [(sentence.number, sentence.name) for sentence in sentences] == [(0, "5936415"), (1, "5936414")]
    rows = [{"id": number, "text": "a cat", "words": words} for number in (0, 2)]
    assert [sentence.number for sentence in stream_sentences(written_lines(tmp_path, rows))] == [0, 1, 2]
