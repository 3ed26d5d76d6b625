"""Messages of streaming recognisers: made-up sessions in the forms of several services."""

from __future__ import annotations

import json
import warnings
from copy import deepcopy

import pytest
from format_helpers import JSON_CASES, rounded
from helpers import written_lines

import lattice_simp as ls
from lattice_simp.errors import FormatError, InputWarning
from lattice_simp.formats.json.streams import without_open
from lattice_simp.formats.nbest import is_nbest, stream_sentences


def token(text, begin, end, confidence=0.9, *, is_final=True):
    return {"text": text, "start_ms": begin, "end_ms": end, "confidence": confidence, "is_final": is_final}


def soniox(*tokens, **fields):
    return {"tokens": list(tokens), "final_audio_proc_ms": 0, "total_audio_proc_ms": 900, **fields}


SESSIONS = {case["case"].removeprefix("session: "): case for case in JSON_CASES if case["case"].startswith("session: ")}


@pytest.mark.parametrize("name", SESSIONS)
def test_a_session_after_another_one(tmp_path, name):
    """The results are those of `json_results.jsonl` twice; segments of WhisperLive stand in each message."""
    case = SESSIONS[name]
    path = written_lines(tmp_path, 2 * case["rows"])
    with pytest.warns(InputWarning) as caught:
        entries = [entry for sentence in stream_sentences(path) for entry in sentence.hypotheses]
    left = [str(warning.message) for warning in caught if "the name w again" not in str(warning.message)]
    assert len(left) == 1
    assert "left out interim results" in left[0]
    assert [entry.text for entry in entries] == ["A cat."] * (1 if name == "WhisperLive" else 2)
    for entry in entries:
        assert [rounded(entry.times), rounded(entry.confidences)] == [*case["times"], *case["confidences"]]
        assert name.startswith("OpenAI") == ("LogProb" in entry.features)


def test_utterances_of_tokens(tmp_path):
    """An utterance ends at its mark or with the stream; words may be split between messages."""
    translation = {"text": "Une", "is_final": True, "translation_status": "translation"}
    rows = [
        soniox(token("He", 0, 10), translation),
        soniox(token("llo", 10, 30), token("<fin>", 30, 30), token("A", 40, 50), token(" c", 60, 70)),
        soniox(token("at", 70, 90)),
    ]
    with pytest.warns(InputWarning, match=r"left out messages of the kind 'translation'"):
        lists = ls.read_nbest(written_lines(tmp_path, rows))
    assert [[(entry.text, entry.times) for entry in entries] for entries in lists] == [
        [("Hello", ((0.0, 0.03),))],
        [("A cat", ((0.04, 0.05), (0.06, 0.09)))],
    ]


def test_segments_that_messages_repeat(tmp_path):
    """The last segments of each message; an incomplete one counts only in the last message."""

    def segment(begin, text, completed=True):
        return {"start": f"{begin:.3f}", "end": f"{begin + 1:.3f}", "text": text, "completed": completed}

    first, second, third = segment(0, " A cat."), segment(1, " A dog."), segment(2, " A b", completed=False)
    rows = [[first, segment(1.1, " A d", completed=False)], [first, second], [second, third]]
    with pytest.warns(InputWarning, match="left out interim results"):
        [[entry]] = ls.read_nbest(written_lines(tmp_path, [{"uid": "u", "segments": row} for row in rows]))
    assert entry.text == "A cat. A dog. A b"


def test_lines_that_messages_change(tmp_path):
    """Lines that leave the state of a client remain, and those that grow are replaced."""

    def line(text):
        return {"speaker": 1, "text": text, "start": "0:00:00", "end": "0:00:02"}

    first = {"type": "snapshot", "seq": 1, "lines": [line("A c")], "buffer_transcription": ""}
    changes = [
        {"n_lines": 2, "new_lines": [line("A cat."), line("A d")]},
        {"n_lines": 1, "lines_pruned": 1, "new_lines": [line("A dog.")]},
        {"n_lines": 1, "buffer_transcription": "A b"},
    ]
    rows = [
        {"type": "diff", "seq": number, "buffer_transcription": "", **change} for number, change in enumerate(changes)
    ]
    assert [entries[0].text for entries in ls.read_nbest(written_lines(tmp_path, [first, *rows]))] == [
        "A cat. A dog. A b"
    ]


def test_texts_that_are_never_final_are_results(tmp_path):
    rows = [{"text": text, "is_final": False} for text in ("A cat.", "A dog.")]
    with warnings.catch_warnings(action="error"):
        assert [entries[0].text for entries in ls.read_nbest(written_lines(tmp_path, rows))] == ["A cat.", "A dog."]
    values = ((number, {"text": f"A cat {number}.", "is_final": False}) for number in range(10_000))
    results = without_open(values)
    next(results)
    assert next(values)[0] < 5_000  # not all are in memory
    assert [number for number, _ in results][-1] == 9_999


@pytest.mark.parametrize("wrap", [lambda result: result, lambda result: {"type": "Results", "channel": result}])
def test_results_that_may_be_interim_are_reported(tmp_path, wrap):
    """Without a word on finality, all results are read; a warning tells of texts that go on in the next one."""
    texts = ["a", "a cat", "A cat slept.", "It", "It rained."]
    path = written_lines(tmp_path, [wrap({"alternatives": [{"transcript": text}]}) for text in texts])
    with pytest.warns(InputWarning, match=r"x.jsonl:1: most results are repeated .* \(keep only the final"):
        assert [entries[0].text for entries in ls.read_nbest(path)] == texts
    with warnings.catch_warnings(action="error"):
        assert len(ls.read_nbest(written_lines(tmp_path, [{"hypotheses": [text]} for text in texts]))) == len(texts)
        rows = [wrap({"alternatives": [{"transcript": text}]}) for text in ("Yes.", "Yes, I do.", "It rained.")]
        assert len(ls.read_nbest(written_lines(tmp_path, rows))) == 3


def test_texts_in_parts(tmp_path):
    parts = (("w", "A"), ("w", " cat"), ("v", "No"))
    rows = [{"mode": "online", "text": text, "wav_name": name, "is_final": False} for name, text in parts]
    sentences = list(stream_sentences(written_lines(tmp_path, rows)))
    assert [(sentence.name, sentence.hypotheses[0].text) for sentence in sentences] == [("w", "A cat"), ("v", "No")]


def test_messages_of_other_kinds_are_reported(tmp_path):
    translation = {"type": "translation", "data": {"translated_utterance": {"text": "Un chat."}}}
    refined = SESSIONS["Yandex"]["rows"][2]
    refinement = {"finalRefinement" if name == "final" else name: value for name, value in refined.items()}
    path = written_lines(tmp_path, [translation, SESSIONS["Gladia"]["rows"][3], refinement, translation])
    with pytest.warns(InputWarning, match=r":1: left out messages of the kind 'translation'"):
        assert [entries[0].text for entries in ls.read_nbest(path)] == ["A cat."]


def test_results_of_unknown_finality_are_read(tmp_path):
    """Null says nothing: only results of Google that may still change are interim ones then."""
    result = {"final": None, "alternatives": [{"transcript": "A cat."}]}
    [[entry]] = ls.read_nbest(written_lines(tmp_path, [{"results": [result]}]))
    assert entry.text == "A cat."
    rows = [{"results": [{**result, "stability": 0.5}]}, {"results": [result]}]
    with pytest.warns(InputWarning, match="left out interim results"):
        assert len(list(ls.read_nbest(written_lines(tmp_path, rows)))) == 1


def test_messages_without_results_are_refused(tmp_path):
    """Interim results alone, other messages alone, and a broken message of a kind that others have."""
    counts = {
        "Amazon": 2,
        "Rev AI": 2,
        "Yandex": 2,
        "ElevenLabs": 2,
        "Gladia": 3,
        "FunASR": 1,
        "Alibaba": 2,
        "OpenAI": 1,
    }
    for name, count in counts.items():
        path = written_lines(tmp_path, SESSIONS[name]["rows"][:count])
        with (
            pytest.warns(InputWarning, match="left out interim results"),
            pytest.raises(FormatError, match=r"x\.jsonl: all results are interim ones \(save the stream to its end"),
        ):
            ls.read_nbest(path)
    with pytest.raises(FormatError, match=r"x\.jsonl: "):
        ls.read_nbest(written_lines(tmp_path, SESSIONS["OpenAI's sessions"]["rows"][:1]))
    done = SESSIONS["OpenAI"]["rows"][-1]
    broken = {**done, "text": 7}
    for rows in ([done, broken], [broken, done]):
        with pytest.raises(FormatError, match="expected an object with a list of hypotheses"):
            ls.read_nbest(written_lines(tmp_path, rows))


@pytest.mark.parametrize("name", ["custom_id", "name"])
def test_results_within_messages_keep_their_names(tmp_path, name):
    words = [{"text": "A", "start": 0.2, "end": 0.5}, {"text": "cat.", "start": 0.6, "end": 1.4}]
    path = written_lines(tmp_path, [{name: "u-1", "payload": {"output": {"text": "A cat.", "words": words}}}])
    assert [(sentence.name, sentence.hypotheses[0].text) for sentence in stream_sentences(path)] == [("u-1", "A cat.")]


@pytest.mark.parametrize("name", ["ChannelId", "channel_id"])
def test_channels_of_streams_are_reported(tmp_path, name):
    rows = [deepcopy(SESSIONS["Amazon"]["rows"][2]) for _ in range(2)]
    for number, row in enumerate(rows):
        row["Transcript"]["Results"][0][name] = f"ch_{number}"
    with pytest.warns(InputWarning, match=f"speakers or channels are not read: '{name}'"):
        assert len(ls.read_nbest(written_lines(tmp_path, rows))) == 2


def test_errors_of_streams_are_failed_requests(tmp_path):
    rows = [soniox(token("No", 0, 10)), {"error_code": 429, "error_message": "too many"}]
    with pytest.warns(InputWarning, match="the first: too many"):
        assert [[entry.text for entry in entries] for entries in ls.read_nbest(written_lines(tmp_path, rows))] == [
            ["No"],
            [],
        ]


def test_segments_of_several_speakers(tmp_path):
    """SegLST, an array of segments whose words are texts."""
    rows = [
        {"session_id": "talk", "speaker": name, "start_time": "0", "end_time": 1.5, "words": text}
        for name, text in (("A", "a cat"), ("B", "no"))
    ]
    path = tmp_path / "hyp.seglst.json"
    path.write_text(json.dumps(rows, indent=2), encoding="utf-8")
    with pytest.warns(InputWarning) as caught:
        sentences = [(sentence.name, sentence.hypotheses[0].text) for sentence in stream_sentences(path)]
    assert sentences == [("talk", "a cat"), ("talk-2", "no")]
    messages = "".join(str(warning.message) for warning in caught)
    assert "the name talk again" in messages
    assert "speakers or channels are not read: 'speaker'" in messages


def test_own_objects_with_the_fields_of_messages_are_results(tmp_path):
    for row in (
        {"uid": "u"},
        {"type": "final"},
        {"sentence": {"text": "a"}},
        {"message": "partial"},
        {"mode": "online"},
    ):
        assert ls.read_nbest(written_lines(tmp_path, [{**row, "hypotheses": ["a cat"]}]))[0][0].text == "a cat", row


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("name", ["Vosk", *SESSIONS])
def test_messages_may_be_an_array(tmp_path, name, indent):
    vosk = [{"partial": "a"}, {"partial": "a c"}, {"text": "A cat."}]
    rows = vosk if name == "Vosk" else SESSIONS[name]["rows"]
    path = tmp_path / "session.json"
    path.write_text(json.dumps(rows, indent=indent), encoding="utf-8")
    assert is_nbest(path)
    with pytest.warns(InputWarning, match="left out interim results"):
        assert [entries[0].text for entries in ls.read_nbest(path)] == ["A cat."]
