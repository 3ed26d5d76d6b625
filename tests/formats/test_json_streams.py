"""Messages of streaming recognisers: made-up sessions in the forms of several services."""

from __future__ import annotations

import json
import math
import warnings

import pytest

import lattice_simp as ls
from lattice_simp.errors import FormatError, InputWarning
from lattice_simp.formats.json.streams import without_open
from lattice_simp.formats.nbest import is_nbest, stream_sentences

TIMES, SHARES = ((0.2, 0.5), (0.6, 1.4)), (0.9, 0.8)


def word(text, name, begin, end, *, scale=1, **fields):
    """Returns a word with times, the names of which are separated by blanks."""
    text_name, begin_name, end_name = name.split()
    return {text_name: text, begin_name: begin * scale, end_name: end * scale, **fields}


def amazon(text, *, is_partial):
    names, fields = "Content StartTime EndTime", {"Type": "pronunciation", "Stable": True}
    items = [
        word("A", names, 0.2, 0.5, Confidence=0.9, **fields),
        word("cat", names, 0.6, 1.4, Confidence=0.8, **fields),
        word(".", names, 1.4, 1.4, Type="punctuation"),
    ]
    result = {"Alternatives": [{"Transcript": text, "Items": items}], "IsPartial": is_partial, "EndTime": 1.5}
    return {"Transcript": {"Results": [{"ResultId": "r", "StartTime": 0.2, **result}]}}


def gladia(text, *, is_final):
    words = [
        word(" A", "word start end", 0.2, 0.5, confidence=0.9),
        word(" cat.", "word start end", 0.6, 1.4, confidence=0.8),
    ]
    utterance = {"text": text, "language": "en", "start": 0.2, "end": 1.4, "channel": 0, "words": words}
    return {"type": "transcript", "session_id": "s", "data": {"id": "0", "is_final": is_final, "utterance": utterance}}


def yandex(event, text):
    names = "text startTimeMs endTimeMs"
    words = [
        {name: str(value) for name, value in word(*each, scale=1).items()}
        for each in (("A", names, 200, 500), ("cat.", names, 600, 1400))
    ]
    alternative = {"words": words, "text": text, "startTimeMs": "200", "endTimeMs": "1400", "confidence": 1.0}
    return {
        "sessionUuid": {"uuid": "u"},
        "audioCursors": {"eouTimeMs": "0"},
        "channelTag": "0",
        event: {"alternatives": [alternative], "channelTag": "0"},
    }


def alibaba(text, *, is_end):
    names = "text begin_time end_time"
    words = [word("A", names, 200, 500, punctuation=""), word("cat", names, 600, 1400, punctuation=".")]
    sentence = {"text": text, "begin_time": 200, "end_time": 1400, "words": words, "sentence_end": is_end}
    return {"header": {"task_id": "x", "event": "result-generated"}, "payload": {"output": {"sentence": sentence}}}


def token(text, begin, end, confidence=0.9, *, is_final=True):
    return {"text": text, "start_ms": begin, "end_ms": end, "confidence": confidence, "is_final": is_final}


def soniox(*tokens, **fields):
    return {"tokens": list(tokens), "final_audio_proc_ms": 0, "total_audio_proc_ms": 900, **fields}


ELEMENTS = [
    {"type": "text", "value": "A", "ts": 0.2, "end_ts": 0.5, "confidence": 0.9},
    {"type": "punct", "value": " "},
    {"type": "text", "value": "cat", "ts": 0.6, "end_ts": 1.4, "confidence": 0.8},
    {"type": "punct", "value": "."},
]
SCRIBED = [
    word("A", "text start end", 0.2, 0.5, type="word", logprob=math.log(0.9)),
    word(" ", "text start end", 0.5, 0.6, type="spacing", logprob=0.0),
    word("cat.", "text start end", 0.6, 1.4, type="word", logprob=math.log(0.8)),
]
LOGS = [
    {"token": "A", "logprob": math.log(0.9)},
    {"token": " cat", "logprob": math.log(0.8)},
    {"token": ".", "logprob": 0.0},
]
OPENAI = "conversation.item.input_audio_transcription"

SESSIONS = {
    "Amazon": (
        [{"Transcript": {"Results": []}}, amazon("A", is_partial=True), amazon("A cat.", is_partial=False)],
        TIMES,
        SHARES,
    ),
    "Amazon's events": (
        [{"TranscriptEvent": amazon(text, is_partial=text == "A")} for text in ("A", "A cat.")],
        TIMES,
        SHARES,
    ),
    "Rev AI": (
        [
            {"type": "connected", "id": "x"},
            {"type": "partial", "ts": 0.0, "end_ts": 0.6, "elements": [{"type": "text", "value": "a"}]},
            {"type": "final", "ts": 0.2, "end_ts": 1.5, "elements": ELEMENTS},
        ],
        TIMES,
        SHARES,
    ),
    "Soniox": (
        [
            soniox(token("A", 200, 500, is_final=False)),
            soniox(token("A", 200, 500), token(" c", 600, 700, 0.8), token("a", 700, 710, is_final=False)),
            soniox(token("at", 700, 1390, 1.0), token(".", 1390, 1400, 1.0), token("<end>", 1400, 1400)),
            soniox(finished=True),
        ],
        TIMES,
        SHARES,
    ),
    "Yandex": (
        [
            {"audioCursors": {}, "statusCode": {"codeType": "WORKING"}},
            yandex("partial", "A"),
            yandex("final", "A cat."),
            {"audioCursors": {}, "eouUpdate": {"timeMs": "1400"}},
        ],
        TIMES,
        None,
    ),
    "Yandex, later": ([{"audioCursors": {}, "partial": {}}, {"result": yandex("final", "A cat.")}], TIMES, None),
    "ElevenLabs": (
        [
            {"message_type": "session_started", "session_id": "x"},
            {"message_type": "partial_transcript", "text": "A c"},
            {"message_type": "committed_transcript", "text": "A cat."},
            {"message_type": "committed_transcript_with_timestamps", "text": "A cat.", "words": SCRIBED},
        ],
        TIMES,
        SHARES,
    ),
    "ElevenLabs without times": (
        [
            {"message_type": "session_started", "session_id": "x"},
            {"message_type": "partial_transcript", "text": "A c"},
            {"message_type": "committed_transcript", "text": "A cat."},
        ],
        None,
        None,
    ),
    "Gladia": (
        [
            {"type": "start_session", "session_id": "s"},
            {"type": "audio_chunk", "session_id": "s", "acknowledged": True, "data": {"byte_range": [0, 10]}},
            gladia(" A", is_final=False),
            gladia(" A cat.", is_final=True),
            {"type": "end_session", "session_id": "s"},
        ],
        TIMES,
        SHARES,
    ),
    "FunASR": (
        [
            {"mode": "2pass-online", "text": "A", "wav_name": "w", "is_final": False},
            {
                "mode": "2pass-offline",
                "text": "A cat.",
                "wav_name": "w",
                "is_final": False,
                "timestamp": "[[200,500],[600,1400]]",
                "stamp_sents": [],
            },
        ],
        TIMES,
        None,
    ),
    "Alibaba": (
        [
            {"header": {"task_id": "x", "event": "task-started"}, "payload": {}},
            alibaba("A", is_end=False),
            alibaba("A cat.", is_end=True),
            {"header": {"task_id": "x", "event": "task-finished"}, "payload": {"output": {}}},
        ],
        TIMES,
        None,
    ),
    "OpenAI's sessions": (
        [
            {"type": "session.created", "session": {"id": "s", "instructions": "x"}},
            {"type": f"{OPENAI}.delta", "item_id": "i", "delta": "A"},
            {"type": f"{OPENAI}.completed", "item_id": "i", "transcript": "A cat.", "logprobs": LOGS},
        ],
        None,
        SHARES,
    ),
    "Cartesia": (
        [
            {"type": "transcript", "is_final": False, "request_id": "r", "text": "A", "words": []},
            {
                "type": "transcript",
                "is_final": True,
                "request_id": "r",
                "text": "A cat.",
                "words": [word("A", "word start end", 0.2, 0.5), word("cat.", "word start end", 0.6, 1.4)],
            },
        ],
        TIMES,
        None,
    ),
    "Smallest": (
        [
            {"type": "transcription", "transcript": text, "is_final": text != "A", "is_last": False}
            for text in ("A", "A cat.")
        ],
        None,
        None,
    ),
    "Google in Python": (
        [
            {"results": [{"alternatives": [{"transcript": "A"}], "is_final": False, "stability": 0.9}]},
            {
                "results": [
                    {"alternatives": [{"transcript": "A cat."}], "is_final": True, "stability": 0.0},
                    {"alternatives": [{"transcript": " And"}], "is_final": False, "stability": 0.1},
                ]
            },
        ],
        None,
        None,
    ),
    "OpenAI": (
        [
            {"type": "transcript.text.delta", "delta": "A"},
            {"type": "transcript.text.done", "text": "A cat.", "logprobs": LOGS},
        ],
        None,
        SHARES,
    ),
    "WhisperLive": (
        [
            {"uid": "u", "message": "SERVER_READY", "backend": "faster_whisper"},
            {"uid": "u", "language": "en", "language_prob": 0.9},
            {"uid": "u", "segments": [{"start": "0.000", "end": "1.000", "text": " A c", "completed": False}]},
            {"uid": "u", "segments": [{"start": "0.000", "end": "1.500", "text": " A cat.", "completed": True}]},
            {"uid": "u", "message": "DISCONNECT"},
        ],
        None,
        None,
    ),
    "WhisperLiveKit": (
        [
            {"type": "config", "useAudioWorklet": True, "mode": "full"},
            {"status": "no_audio_detected", "lines": [], "buffer_transcription": "A c"},
            {"status": "active_transcription", "lines": [{"speaker": -2, "text": None}], "buffer_transcription": "A c"},
            {"lines": [{"speaker": -2, "text": None}, {"speaker": 1, "text": "A cat."}], "buffer_transcription": ""},
            {"type": "ready_to_stop"},
        ],
        None,
        None,
    ),
    "RealtimeSTT": (
        [
            {"type": "recording_start"},
            {"type": "realtime", "text": "A c"},
            {"type": "realtime", "text": "A hat"},
            {"type": "fullSentence", "text": "A cat."},
        ],
        None,
        None,
    ),
    "flags": ([{"text": "a", "is_partial": True, "is_final": False}, {"text": "A cat.", "is_final": True}], None, None),
    "is_final": ([{"text": text, "is_final": text == "A cat."} for text in ("a", "an act", "A cat.")], None, None),
    "final": ([{"transcript": "a", "final": False}, {"transcript": "A cat.", "final": True}], None, None),
    "kinds": ([{"type": "stt_partial", "text": "a"}, {"type": "stt_final", "text": "A cat."}], None, None),
    "Recognizing": ([{"type": "Recognizing", "text": "a"}, {"type": "Recognized", "text": "A cat."}], None, None),
    "nested flags": (
        [
            {"result": {"transcription": {"transcript": text, "isFinal": text == "A cat."}}}
            for text in ("a", "an act", "A cat.")
        ],
        None,
        None,
    ),
}


def written(tmp_path, rows):
    path = tmp_path / "session.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


@pytest.mark.parametrize("name", SESSIONS)
def test_final_results_of_streams(tmp_path, name):
    """Alone, and in a session after another one; the warning is the only one."""
    rows, times, shares = SESSIONS[name]
    for count in (1, 2):
        path = written(tmp_path, count * rows)
        assert is_nbest(path)
        with pytest.warns(InputWarning) as caught:
            entries = [entry for sentence in stream_sentences(path) for entry in sentence.hypotheses]
        left = [str(warning.message) for warning in caught if "the name w again" not in str(warning.message)]
        assert len(left) == 1
        assert "left out interim results" in left[0]
        assert [entry.text for entry in entries] == ["A cat."] * (1 if name == "WhisperLive" else count)
        for entry in entries:
            assert (entry.times is None) == (times is None)
            assert entry.times is None or entry.times == tuple(map(pytest.approx, times))
            assert entry.confidences == (None if shares is None else pytest.approx(shares))
            assert (name.startswith("OpenAI")) == ("LogProb" in entry.features)


def test_utterances_of_tokens(tmp_path):
    """An utterance ends at its mark or with the stream; words may be split between messages."""
    translation = {"text": "Une", "is_final": True, "translation_status": "translation"}
    rows = [
        soniox(token("He", 0, 10), translation),
        soniox(token("llo", 10, 30), token("<fin>", 30, 30), token("A", 40, 50), token(" c", 60, 70)),
        soniox(token("at", 70, 90)),
    ]
    with pytest.warns(InputWarning, match=r"left out messages of the kind 'translation'"):
        lists = ls.read_nbest(written(tmp_path, rows))
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
        [[entry]] = ls.read_nbest(written(tmp_path, [{"uid": "u", "segments": row} for row in rows]))
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
    assert [entries[0].text for entries in ls.read_nbest(written(tmp_path, [first, *rows]))] == ["A cat. A dog. A b"]


def test_texts_that_are_never_final_are_results(tmp_path):
    rows = [{"text": text, "is_final": False} for text in ("A cat.", "A dog.")]
    with warnings.catch_warnings(action="error"):
        assert [entries[0].text for entries in ls.read_nbest(written(tmp_path, rows))] == ["A cat.", "A dog."]
    values = ((number, {"text": f"A cat {number}.", "is_final": False}) for number in range(10_000))
    results = without_open(values)
    next(results)
    assert next(values)[0] < 5_000  # not all are in memory
    assert [number for number, _ in results][-1] == 9_999


@pytest.mark.parametrize("wrap", [lambda result: result, lambda result: {"type": "Results", "channel": result}])
def test_results_that_may_be_interim_are_reported(tmp_path, wrap):
    """Without a word on finality, all results are read; a warning tells of texts that go on in the next one."""
    texts = ["a", "a cat", "A cat slept.", "It", "It rained."]
    path = written(tmp_path, [wrap({"alternatives": [{"transcript": text}]}) for text in texts])
    with pytest.warns(InputWarning, match=r"session.jsonl:1: most results are repeated .* \(keep only the final"):
        assert [entries[0].text for entries in ls.read_nbest(path)] == texts
    with warnings.catch_warnings(action="error"):
        assert len(ls.read_nbest(written(tmp_path, [{"hypotheses": [text]} for text in texts]))) == len(texts)
        rows = [wrap({"alternatives": [{"transcript": text}]}) for text in ("Yes.", "Yes, I do.", "It rained.")]
        assert len(ls.read_nbest(written(tmp_path, rows))) == 3


def test_texts_in_parts(tmp_path):
    parts = (("w", "A"), ("w", " cat"), ("v", "No"))
    rows = [{"mode": "online", "text": text, "wav_name": name, "is_final": False} for name, text in parts]
    sentences = list(stream_sentences(written(tmp_path, rows)))
    assert [(sentence.name, sentence.hypotheses[0].text) for sentence in sentences] == [("w", "A cat"), ("v", "No")]


def test_messages_of_other_kinds_are_reported(tmp_path):
    translation = {"type": "translation", "data": {"translated_utterance": {"text": "Un chat."}}}
    path = written(
        tmp_path, [translation, gladia("A cat.", is_final=True), yandex("finalRefinement", "A cat."), translation]
    )
    with pytest.warns(InputWarning, match=r":1: left out messages of the kind 'translation'"):
        assert [entries[0].text for entries in ls.read_nbest(path)] == ["A cat."]


def test_results_of_unknown_finality_are_read(tmp_path):
    """Null says nothing: only results of Google that may still change are interim ones then."""
    result = {"final": None, "alternatives": [{"transcript": "A cat."}]}
    [[entry]] = ls.read_nbest(written(tmp_path, [{"results": [result]}]))
    assert entry.text == "A cat."
    rows = [{"results": [{**result, "stability": 0.5}]}, {"results": [result]}]
    with pytest.warns(InputWarning, match="left out interim results"):
        assert len(list(ls.read_nbest(written(tmp_path, rows)))) == 1


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
        path = written(tmp_path, SESSIONS[name][0][:count])
        with (
            pytest.warns(InputWarning, match="left out interim results"),
            pytest.raises(
                FormatError, match=r"session\.jsonl: all results are interim ones \(save the stream to its end"
            ),
        ):
            ls.read_nbest(path)
    with pytest.raises(FormatError, match=r"session\.jsonl: "):
        ls.read_nbest(written(tmp_path, SESSIONS["OpenAI's sessions"][0][:1]))
    broken = {**SESSIONS["OpenAI"][0][-1], "text": 7}
    for rows in ([SESSIONS["OpenAI"][0][-1], broken], [broken, SESSIONS["OpenAI"][0][-1]]):
        with pytest.raises(FormatError, match="expected an object with a list of hypotheses"):
            ls.read_nbest(written(tmp_path, rows))


@pytest.mark.parametrize("name", ["custom_id", "name"])
def test_results_within_messages_keep_their_names(tmp_path, name):
    words = [word("A", "text start end", 0.2, 0.5), word("cat.", "text start end", 0.6, 1.4)]
    path = written(tmp_path, [{name: "u-1", "payload": {"output": {"text": "A cat.", "words": words}}}])
    assert [(sentence.name, sentence.hypotheses[0].text) for sentence in stream_sentences(path)] == [("u-1", "A cat.")]


@pytest.mark.parametrize("name", ["ChannelId", "channel_id"])
def test_channels_of_streams_are_reported(tmp_path, name):
    rows = [amazon("A cat.", is_partial=False) for _ in range(2)]
    for number, row in enumerate(rows):
        row["Transcript"]["Results"][0][name] = f"ch_{number}"
    with pytest.warns(InputWarning, match=f"speakers or channels are not read: '{name}'"):
        assert len(ls.read_nbest(written(tmp_path, rows))) == 2


def test_errors_of_streams_are_failed_requests(tmp_path):
    rows = [soniox(token("No", 0, 10)), {"error_code": 429, "error_message": "too many"}]
    with pytest.warns(InputWarning, match="the first: too many"):
        assert [[entry.text for entry in entries] for entries in ls.read_nbest(written(tmp_path, rows))] == [["No"], []]


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
        assert ls.read_nbest(written(tmp_path, [{**row, "hypotheses": ["a cat"]}]))[0][0].text == "a cat", row


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("name", ["Vosk", *SESSIONS])
def test_messages_may_be_an_array(tmp_path, name, indent):
    vosk = [{"partial": "a"}, {"partial": "a c"}, {"text": "A cat."}]
    rows = vosk if name == "Vosk" else SESSIONS[name][0]
    path = tmp_path / "session.json"
    path.write_text(json.dumps(rows, indent=indent), encoding="utf-8")
    assert is_nbest(path)
    with pytest.warns(InputWarning, match="left out interim results"):
        assert [entries[0].text for entries in ls.read_nbest(path)] == ["A cat."]
