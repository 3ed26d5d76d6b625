"""Times of words in n-best lists: JSON of recognisers and speech services."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import pytest
from gladia_results import GLADIA_1

import lattice_simp as ls
from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.errors import FormatError, InputWarning

SPANS = ((0.5, 0.8), (1.0, 1.5))


def words(**names: str) -> list[dict[str, Any]]:
    """Returns the words "a" and "cat" with the given names of fields, and times in seconds."""
    return [{names["word"]: "a", **_times(names, SPANS[0])}, {names["word"]: "cat", **_times(names, SPANS[1])}]


def _times(names: dict[str, str], span: tuple[float, float]) -> dict[str, float]:
    return {names["start"]: span[0], names["end"]: span[1]}


PLAIN = words(word="word", start="start", end="end")
GOOGLE = [
    {"word": "a", "startTime": "0.500s", "endTime": "0.8s"},
    {"word": "cat", "startTime": "1s", "endTime": "1.5s"},
]
PROTO = [
    {"word": "a", "startTime": {"nanos": 500_000_000}, "endTime": {"nanos": 800_000_000}},
    {"word": "cat", "startTime": {"seconds": "1"}, "endTime": {"seconds": "1", "nanos": 500_000_000}},
]
RIVA = [{"word": "a", "startTime": 500, "endTime": 800}, {"word": "cat", "startTime": 1000, "endTime": 1500}]
TICKS = [
    {"Word": "a", "Offset": 5_000_000, "Duration": 3_000_000},
    {"Word": "cat", "Offset": 10_000_000, "Duration": 5e6},
]
YANDEX = [
    {"text": "a", "startTimeMs": "500", "endTimeMs": "800"},
    {"text": "cat", "startTimeMs": "1000", "endTimeMs": "1500"},
]
BATCHED = [
    {"word": "a", "offset": "PT0.5S", "offsetInTicks": 5_000_000.0, "durationInTicks": 3_000_000.0},
    {"word": "cat", "offset": "PT1S", "offsetInTicks": 10_000_000.0, "durationInTicks": 5_000_000.0},
]
ALIGNED = {"word-alignment": [{"word": "a", "start": 0.5, "length": 0.3}, {"word": "cat", "start": 1, "length": 0.5}]}
ITEMS = [
    {"type": "pronunciation", "start_time": "0.5", "end_time": "0.8", "alternatives": [{"content": "A"}]},
    {"type": "pronunciation", "start_time": "1.0", "end_time": "1.5", "alternatives": [{"content": "cat"}]},
    {"type": "punctuation", "alternatives": [{"content": "."}]},
]
PARTS = [
    {"text": "[_BEG_]", "offsets": {"from": 0, "to": 0}},
    {"text": " a", "offsets": {"from": 500, "to": 800}},
    {"text": " c", "offsets": {"from": 1000, "to": 1200}},
    {"text": "at", "offsets": {"from": 1200, "to": 1500}},
]
ROWS: dict[str, dict[str, Any]] = {
    "vosk": {"alternatives": [{"text": "a cat", "confidence": -1.0, "result": PLAIN}]},
    "vosk without alternatives": {"text": "a cat", "result": PLAIN},
    "google": {"results": [{"alternatives": [{"transcript": "A cat.", "confidence": 0.5, "words": GOOGLE}]}]},
    "google as protocol buffers": {"results": [{"alternatives": [{"transcript": "a cat", "words": PROTO}]}]},
    "riva": {"results": [{"alternatives": [{"transcript": "a cat", "confidence": -1.0, "words": RIVA}]}]},
    "watson": {
        "results": [{"alternatives": [{"transcript": "a cat ", "timestamps": [["a", 0.5, 0.8], ["cat", 1, 1.5]]}]}]
    },
    "deepgram": {"results": {"channels": [{"alternatives": [{"transcript": "A cat.", "words": PLAIN}]}]}},
    "amazon": {"results": {"transcripts": [{"transcript": "A cat."}], "items": ITEMS}},
    "azure": {"NBest": [{"Confidence": 0.5, "Lexical": "a cat", "Display": "A cat.", "Words": TICKS}]},
    "yandex": {"chunks": [{"alternatives": [{"text": "a cat", "words": YANDEX}]}]},
    "assemblyai": {
        "text": "A cat.",
        "words": [{"text": "A", "start": 500, "end": 800}, {"text": "cat.", "start": 1000, "end": 1500}],
    },
    "whisper": {"text": " A cat.", "segments": [{"text": " A cat.", "start": 0.0, "end": 9.0, "words": PLAIN}]},
    "openai": {"text": "A cat.", "words": PLAIN},
    "picovoice in camel case": {"transcript": "a cat", "words": words(word="word", start="startSec", end="endSec")},
    "parakeet": {
        "text": " A cat.",
        "sentences": [{"text": " A cat.", "start": 0.5, "tokens": words(word="text", start="start", end="end")}],
    },
    "gentle": {
        "transcript": "a cat",
        "words": [{**word, "startOffset": 0, "endOffset": 1, "case": "success"} for word in PLAIN],
    },
    "whisper.cpp": {
        "result": {"language": "en"},
        "transcription": [{"text": " a cat", "offsets": {"from": 0, "to": 9000}, "tokens": PARTS}],
    },
    "transformers": {
        "text": " a cat",
        "chunks": [{"text": " a", "timestamp": [0.5, 0.8]}, {"text": " cat", "timestamp": [1.0, 1.5]}],
    },
    "deepspeech": {
        "transcripts": [
            {
                "confidence": -1.0,
                "words": [
                    {"word": "a", "start_time": 0.5, "duration": 0.3},
                    {"word": "cat", "start_time": 1.0, "duration": 0.5},
                ],
            }
        ]
    },
    "deepspeech in letters": {
        "transcripts": [
            {
                "confidence": -1.0,
                "tokens": [
                    {"text": text, "start_time": time, "timestep": 0}
                    for text, time in zip("aa cat", (0.5, 0.8, 0.9, 1.0, 1.2, 1.5), strict=True)
                ],
            }
        ]
    },
    "nemo": {"audio_filepath": "x.wav", "pred_text": "a cat", "timestamp": {"word": PLAIN}},
    "gstreamer": {"status": 0, "result": {"hypotheses": [{"transcript": "a cat", "likelihood": -9.0, **ALIGNED}]}},
    "azure in batches": {"recognizedPhrases": [{"nBest": [{"confidence": 0.5, "lexical": "a cat", "words": BATCHED}]}]},
    "funasr": {"key": "u-1", "text": "a cat", "timestamp": [[500, 800], [1000, 1500]]},
    "gladia": {
        "id": "x",
        "result": {
            "metadata": {"audio_duration": 2.0},
            "transcription": {
                "full_transcript": "A cat.",
                "languages": ["en"],
                "utterances": [{"text": "A cat.", "start": 0.5, "end": 1.5, "confidence": 0.5, "words": PLAIN}],
            },
        },
    },
    "azure in fast transcription": {
        "durationMilliseconds": 2000,
        "combinedPhrases": [{"text": "A cat."}],
        "phrases": [
            {
                "offsetMilliseconds": 500,
                "durationMilliseconds": 1000,
                "text": "A cat.",
                "words": [
                    {"text": "A", "offsetMilliseconds": 500, "durationMilliseconds": 300},
                    {"text": "cat.", "offsetMilliseconds": 1000, "durationMilliseconds": 500},
                ],
                "confidence": 0.5,
            }
        ],
    },
    "nemo with lists": {"audio_filepath": "x.wav", "pred_text": "a cat", "timestamps_word": PLAIN},
    "elevenlabs": {
        "text": "A (laughs) cat.",
        "words": [
            {"text": "A", "start": 0.5, "end": 0.8, "type": "word"},
            {"text": " ", "start": 0.8, "end": 0.8, "type": "spacing"},
            {"text": "(laughs)", "start": 0.9, "end": 0.95, "type": "audio_event"},
            {"text": " ", "start": 1.0, "end": 1.0, "type": "spacing"},
            {"text": "cat.", "start": 1.0, "end": 1.5, "type": "word"},
        ],
    },
    "gladia 1": GLADIA_1,
    "rev": {
        "monologues": [
            {
                "speaker": 0,
                "elements": [
                    {"type": "text", "value": "A", "ts": 0.5, "end_ts": 0.8, "confidence": 0.5},
                    {"type": "punct", "value": " "},
                    {"type": "text", "value": "cat", "ts": 1.0, "end_ts": 1.5, "confidence": 0.5},
                    {"type": "punct", "value": "."},
                ],
            }
        ]
    },
    "sherpa-onnx": {
        "lang": "",
        "text": " A CAT",
        "tokens": [" A", " C", "AT"],
        "timestamps": [0.5, 1.0, 1.2],
        "durations": [0.3, 0.2, 0.3],
        "ys_log_probs": [],
        "words": [],
    },
    "deepgram in a stream": {"is_final": True, "channel": {"alternatives": [{"transcript": "a cat", "words": PLAIN}]}},
    "elevenlabs with channels": {
        "transcripts": [{"text": "a cat", "words": words(word="text", start="start", end="end")}]
    },
    "alibaba": {
        "transcripts": [
            {
                "channel_id": 0,
                "text": "A cat.",
                "sentences": [
                    {
                        "text": "A cat.",
                        "begin_time": 500,
                        "end_time": 1500,
                        "words": [
                            {"text": "A", "punctuation": "", "begin_time": 500, "end_time": 800},
                            {"text": "cat", "punctuation": ".", "begin_time": 1000, "end_time": 1500},
                        ],
                    }
                ],
            }
        ]
    },
    "wenet": {
        "type": "final_result",
        "nbest": json.dumps(
            [
                {
                    "sentence": "a cat",
                    "word_pieces": [
                        {"word": "▁a", "start": 500, "end": 800},
                        {"word": "▁ca", "start": 1000, "end": 1200},
                        {"word": "t", "start": 1200, "end": 1500},
                    ],
                }
            ]
        ),
    },
    "picovoice": {"transcript": "a cat", "words": words(word="word", start="start_sec", end="end_sec")},
    "soniox": {
        "id": "x",
        "text": "a cat",
        "tokens": [
            {"text": "a", "start_ms": 500, "end_ms": 800},
            {"text": " c", "start_ms": 1000, "end_ms": 1200},
            {"text": "at", "start_ms": 1200, "end_ms": 1500},
        ],
    },
    "own": {"hypotheses": [{"text": "a cat", "score": -1.0, "times": SPANS}]},
}


def read(path: Path, row: dict[str, Any]) -> list[list[Hypothesis]]:
    path.write_text(json.dumps(row), encoding="utf-8")
    with warnings.catch_warnings(action="ignore"):
        return ls.read_nbest(path)


@pytest.mark.parametrize("name", ROWS)
def test_times_of_each_producer(tmp_path: Path, name: str) -> None:
    [[hypothesis]] = read(tmp_path / "x.json", ROWS[name])
    assert hypothesis.times is not None
    spans = [span for token, span in zip(hypothesis.tokens, hypothesis.times, strict=True) if token != "(laughs)"]
    assert [value for span in spans for value in span] == pytest.approx([0.5, 0.8, 1.0, 1.5])


def test_equal_hypotheses_keep_their_own_times(tmp_path: Path) -> None:
    row = {"hypotheses": [{"text": "a", "score": -1.0, "times": [[time, 2.0]]} for time in (0.0, 1.0)]}
    assert [entry.times for entry in read(tmp_path / "x.json", row)[0]] == [((0.0, 2.0),), ((1.0, 2.0),)]


def test_the_last_word_may_lack_its_end(tmp_path: Path) -> None:
    chunks = [{"text": " a", "timestamp": [0.5, 0.8]}, {"text": " cat", "timestamp": [1.0, None]}]
    [[hypothesis]] = read(tmp_path / "x.json", {"text": " a cat", "chunks": chunks})
    assert hypothesis.times == ((0.5, 0.8), (1.0, 1.0))


def test_times_in_pairs_are_no_confidences(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text(json.dumps(ROWS["funasr"]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ls.read_nbest(tmp_path / "x.json")


def test_results_of_sherpa_onnx(tmp_path: Path) -> None:
    """Times may be missing, or a text; a warning tells if tokens are not the words of the text."""
    row = {"text": " a cat", "timestamps": "[0.5, 1.0]", "tokens": [" a", " cat"]}
    assert read(tmp_path / "x", row)[0][0].times == ((0.5, 1.0), (1.0, 1.0))
    for rest in ({"timestamps": []}, {"timestamps": [], "lang": "", "durations": [], "words": []}):
        assert read(tmp_path / "x", {**row, **rest})[0][0].times is None
    (tmp_path / "x").write_text(json.dumps({**row, "tokens": [" a", "<0xE5>"]}))
    with pytest.warns(InputWarning, match="the times of words are not read: 'timestamps'"):
        ls.read_nbest(tmp_path / "x")


def test_tokens_without_durations_end_at_the_next_one(tmp_path: Path) -> None:
    row = {"text": "a cat", "tokens": ["▁a", "▁c", "at"], "timestamps": [0.5, 1.0, 1.2], "ys_probs": [-0.5, -0.25, 0]}
    [[hypothesis]] = read(tmp_path / "x.json", row)
    assert hypothesis.times == ((0.5, 1.0), (1.0, 1.2))
    assert hypothesis.features["LogProb"] == -0.75
    [[hypothesis]] = read(tmp_path / "x.json", {**row, "timestamps": [0.5, 1.0]})
    assert (hypothesis.text, hypothesis.times) == ("a cat", None)


def test_prefix_trees_hold_times_and_pauses() -> None:
    """Words at the same time share arcs; all paths take the same time."""
    hypotheses = [
        Hypothesis(("a", "cat"), 1.0, times=SPANS),
        Hypothesis(("a", "hat"), 2.0, times=(SPANS[0], (1.0, 1.6))),
        Hypothesis(("the", "cat"), 3.0, times=((0.4, 0.8), SPANS[1])),
    ]
    lattice = ls.Lattice.from_nbest(hypotheses)
    assert lattice.header.start == 0.4
    seconds = [path.features["time"] for path in ls.nbest(lattice, 3)]
    assert seconds == pytest.approx([1.2, 1.2, 1.2])
    found = [(word.word, round(word.begin, 3), round(word.duration, 3)) for word in ls.timed_words(lattice)]
    assert found == [("a", 0.5, 0.3), ("cat", 1.0, 0.5)]
    untimed = ls.Lattice.from_nbest([*hypotheses, Hypothesis(("dog",), 4.0)])
    assert "time" not in untimed.features
    assert ls.Lattice.from_nbest([Hypothesis((), 0.5, times=())]).num_arcs == 0


def test_words_that_differ_from_the_text_give_no_times(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text(json.dumps({"text": "one cat", "words": PLAIN}), encoding="utf-8")
    with pytest.warns(InputWarning, match="the times of words are not read: 'words'"):
        assert ls.read_nbest(path)[0][0].times is None


def test_pieces_and_marks_keep_times(tmp_path: Path) -> None:
    entry = {"tokens": ["<s>", "▁a", "▁c", "at"], "times": [[0, 0.5], [0.5, 0.8], [1, 1.2], [1.2, 1.5]], "score": -1}
    (tmp_path / "x.json").write_text(json.dumps({"hypotheses": [entry]}), encoding="utf-8")
    [[hypothesis]] = ls.read_nbest(tmp_path / "x.json", pieces="sentencepiece", ignore=["<s>"])
    assert (hypothesis.text, hypothesis.times) == ("a cat", SPANS)


@pytest.mark.parametrize(
    "times", [[[0, 1]], [[0, 1], [1]], [[0, 1], [2, 1]], [[0, 1], [1, 1e300]], "x", [[0, 1], [1, "2"]]]
)
def test_broken_times(tmp_path: Path, times: object) -> None:
    with pytest.raises(FormatError, match=r"x.json:1: times that are not pairs of a begin and an end"):
        read(tmp_path / "x.json", {"hypotheses": [{"text": "a cat", "score": -1, "times": times}]})


def test_alternatives_without_words_need_no_times(tmp_path: Path) -> None:
    row = {"alternatives": [{"text": "a cat", "confidence": -1, "result": PLAIN}, {"text": "", "confidence": -2}]}
    (tmp_path / "x.json").write_text(json.dumps(row), encoding="utf-8")
    with warnings.catch_warnings(action="error"):
        hypotheses = ls.read_nbest(tmp_path / "x.json")[0]
    assert [entry.times for entry in hypotheses] == [SPANS, None]
    assert "time" in ls.Lattice.from_nbest(hypotheses).features


def test_times_of_letters_beside_a_text_with_punctuation(tmp_path):
    """FunASR times letters of Chinese and words of English, and adds punctuation to the text afterwards."""
    path = tmp_path / "x.json"
    spans = [[100, 200], [300, 500], [500, 600], [700, 800], [800, 900]]
    row = {"key": "u", "text": "我爱你，ok 吗。", "timestamp": spans}
    path.write_text(json.dumps([row]), encoding="utf-8")
    [[hypothesis]] = ls.read_nbest(path)
    assert hypothesis.tokens == ("我爱你，ok", "吗。")
    assert hypothesis.times == ((0.1, 0.8), (0.8, 0.9))
    path.write_text(json.dumps([{**row, "timestamp": spans[:3]}]), encoding="utf-8")
    with pytest.warns(InputWarning, match="the times of words are not read: 'timestamp'"):
        [[hypothesis]] = ls.read_nbest(path)
    assert (hypothesis.text, hypothesis.times) == ("我爱你，ok 吗。", None)


def test_numbers_of_letters_are_no_times(tmp_path: Path) -> None:
    """In results of Gentle, words that are not in the recording have only the places of their letters in the text."""
    absent = {"case": "not-found-in-audio", "word": "cat", "startOffset": 2, "endOffset": 5}
    row = {"transcript": "a cat", "words": [{"word": "a", "start": 0.5, "end": 0.8, "startOffset": 0}, absent]}
    path = tmp_path / "x.json"
    path.write_text(json.dumps(row), encoding="utf-8")
    assert ls.read_nbest(path)[0][0].times == ((0.5, 0.8), (0.8, 0.8))


@pytest.mark.parametrize("field", ["avg_logprob", "no_speech_prob"])
def test_whole_numbers_of_segments_are_seconds(tmp_path: Path, field: str) -> None:
    segments = [{"text": " Yes.", "start": 1, "end": 2, field: -0.5}]
    path = tmp_path / "x.json"
    path.write_text(json.dumps({"text": " Yes.", "segments": segments}), encoding="utf-8")
    assert ls.read_nbest(path)[0][0].times == ((1.0, 2.0),)
