"""Confidences of words in JSON of recognisers and speech services."""

from __future__ import annotations

import math
import warnings
from pathlib import Path
from typing import Any

import pytest
from gladia_results import GLADIA_1
from helpers import written_json

import lattice_simp as ls
from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.errors import FormatError
from lattice_simp.formats.ctm import ctm_fields
from lattice_simp.formats.json.times import ListedWord, confidences_of


def words(word: str, share: str, values: tuple[object, object] = (0.9, 0.6)) -> list[dict[str, Any]]:
    """Returns the words "a" and "cat" with times, and confidences under a name."""
    spans = (0.5, 0.8), (1.0, 1.5)
    return [
        {word: text, "start": begin, "end": end, share: value}
        for text, (begin, end), value in zip(("a", "cat"), spans, values, strict=True)
    ]


AMAZON = [
    {
        "type": "pronunciation",
        "start_time": "0.5",
        "end_time": "0.8",
        "alternatives": [{"confidence": "0.9", "content": "A"}],
    },
    {
        "type": "pronunciation",
        "start_time": "1.0",
        "end_time": "1.5",
        "alternatives": [{"confidence": "0.6", "content": "cat"}],
    },
    {"type": "punctuation", "alternatives": [{"confidence": "0.0", "content": "."}]},
]
PARTS = [
    {"text": "[_BEG_]", "offsets": {"from": 0, "to": 0}, "p": 0.1},
    {"text": " a", "offsets": {"from": 500, "to": 800}, "p": 0.9},
    {"text": " c", "offsets": {"from": 1000, "to": 1200}, "p": 0.8},
    {"text": "at", "offsets": {"from": 1200, "to": 1500}, "p": 0.75},
]
TICKS = [
    {"Word": "a", "Offset": 5_000_000, "Duration": 3_000_000, "Confidence": 0.9},
    {"Word": "cat", "Offset": 10_000_000, "Duration": 5_000_000, "Confidence": 0.6},
]
ELEMENTS = [
    {"type": "text", "value": "A", "ts": 0.5, "end_ts": 0.8, "confidence": 0.9},
    {"type": "punct", "value": " "},
    {"type": "text", "value": "cat", "ts": 1.0, "end_ts": 1.5, "confidence": 0.6},
    {"type": "punct", "value": "."},
]
SPACED = [
    {"text": "A", "start": 0.5, "end": 0.8, "type": "word", "logprob": math.log(0.9)},
    {"text": " ", "start": 0.8, "end": 1.0, "type": "spacing", "logprob": -9.0},
    {"text": "cat.", "start": 1.0, "end": 1.5, "type": "word", "logprob": math.log(0.6)},
]
CALL = [
    {"Type": "pronunciation", "Confidence": 0.9, "Content": "A", "BeginOffsetMillis": 500, "EndOffsetMillis": 800},
    {"Type": "pronunciation", "Confidence": 0.6, "Content": "cat", "BeginOffsetMillis": 1000, "EndOffsetMillis": 1500},
    {"Type": "punctuation", "Confidence": 0.0, "Content": "."},
]
WATSON = {
    "transcript": "a cat ",
    "timestamps": [["a", 0.5, 0.8], ["cat", 1.0, 1.5]],
    "word_confidence": [["a", 0.9], ["cat", 0.6]],
}
PLAIN = words("word", "confidence")
UTTERANCE = {"text": "A cat.", "start": 0.5, "end": 1.5, "confidence": 0.5, "words": PLAIN}
ROWS: dict[str, dict[str, Any]] = {
    "vosk": {"text": "a cat", "result": words("word", "conf")},
    "google": {"results": [{"alternatives": [{"transcript": "A cat.", "confidence": 0.5, "words": PLAIN}]}]},
    "watson": {"results": [{"alternatives": [WATSON]}]},
    "deepgram": {"results": {"channels": [{"alternatives": [{"transcript": "A cat.", "words": PLAIN}]}]}},
    "amazon": {"results": {"transcripts": [{"transcript": "A cat."}], "items": AMAZON}},
    "amazon without transcripts": {"results": {"items": AMAZON}},
    "speechmatics": {"results": AMAZON},
    "azure": {"NBest": [{"Confidence": 0.5, "Lexical": "a cat", "Display": "A cat.", "Words": TICKS}]},
    "assemblyai": {"text": "A cat.", "confidence": 0.5, "words": words("text", "confidence")},
    "elevenlabs": {"text": "A cat.", "words": SPACED},
    "whisper": {"text": " A cat.", "segments": [{"text": " A cat.", "words": words("word", "probability")}]},
    "whisperx": {"segments": [{"text": " A cat.", "words": words("word", "score")}]},
    "whisper.cpp": {"transcription": [{"text": " a cat", "offsets": {"from": 0, "to": 9000}, "tokens": PARTS}]},
    "whisper-timestamped": {
        "text": "A cat.",
        "segments": [{"text": " A cat.", "confidence": 0.5, "words": words("text", "confidence")}],
    },
    "gladia": {"result": {"transcription": {"full_transcript": "A cat.", "utterances": [UTTERANCE]}}},
    "gladia 1": GLADIA_1,
    "rev": {"monologues": [{"speaker": 0, "elements": ELEMENTS}]},
    "gstreamer": {"result": {"hypotheses": [{"transcript": "a cat", "likelihood": -9.0, "word-alignment": PLAIN}]}},
    "nemo": {"audio_filepath": "x.wav", "pred_text": "a cat", "word_confidence": [0.9, 0.6]},
    "openai": {
        "text": "A cat.",
        "logprobs": [
            {"token": token, "logprob": math.log(share), "bytes": [*token.encode()]}
            for token, share in (("A", 0.9), (" c", 0.8), ("at", 0.75), (".", 0.01))
        ],
        "usage": {"type": "tokens", "total_tokens": 9},
    },
    "watson's jobs": {"results": [{"result_index": 0, "results": [{"alternatives": [WATSON]}]}]},
    "amazon's calls": {"JobName": "u", "Transcript": [{"Content": "A cat.", "Items": CALL}]},
    "pocketsphinx": {
        "b": 0.0,
        "d": 2.0,
        "p": 1.0,
        "t": "a cat",
        "w": [
            {"b": 0.0, "d": 0.5, "p": 0.5, "t": "<sil>"},
            {"b": 0.5, "d": 0.3, "p": 0.9, "t": "a(2)"},
            {"b": 1.0, "d": 0.5, "p": 0.6, "t": "cat"},
        ],
    },
    "words of whisperx": {"word_segments": words("word", "score"), "language": "en"},
    "bbc": {"retval": {"punct": "A cat.", "words": PLAIN}},
    "speechmatics 1": {
        "job": {"id": 7},
        "words": [
            {"name": "a", "time": "0.500", "duration": "0.300", "confidence": "0.900"},
            {"name": "cat", "time": "1.000", "duration": "0.500", "confidence": "0.600"},
        ],
    },
    "own": {"hypotheses": [{"text": "a cat", "score": -1.0, "confidences": [0.9, 0.6]}]},
}


@pytest.mark.parametrize("name", ROWS)
def test_confidences_of_each_producer(tmp_path: Path, name: str) -> None:
    with warnings.catch_warnings(action="error"):
        [[hypothesis]] = ls.read_nbest(written_json(tmp_path, ROWS[name]))
    assert hypothesis.confidences == pytest.approx((0.9, 0.6))
    assert hypothesis.times in (None, ((0.5, 0.8), (1.0, 1.5))) or name == "whisper.cpp"


def test_values_that_are_no_confidences(tmp_path: Path) -> None:
    """Zeros alone mean that a service did not set them; scores outside 0 to 1 are no probabilities."""
    for values in ((0.0, 0.0), (-1.5, -2.5), ("x", None), (0.9, 1.5)):
        row = {"text": "a cat", "words": words("word", "confidence", values)}
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            [[hypothesis]] = ls.read_nbest(written_json(tmp_path, row))
        assert hypothesis.confidences is None
        assert hypothesis.times is not None
        messages = [str(warning.message) for warning in caught]
        is_told = any("the confidences of words are not read: 'words'" in message for message in messages)
        assert is_told == (values not in ((0.0, 0.0), ("x", None)))


def test_rounded_confidences_and_sounds(tmp_path: Path) -> None:
    row = {"text": "a cat", "result": words("word", "conf", (1.000003, 0.5))}
    assert ls.read_nbest(written_json(tmp_path, row))[0][0].confidences == (1.0, 0.5)
    sound = {"text": "(laughs)", "start": 2.0, "end": 3.0, "type": "audio_event"}
    for text, confidences in (("a cat (laughs)", (0.9, 0.6, 1.0)), ("a cat", (0.9, 0.6))):
        row = {"text": text, "words": [*words("text", "confidence"), sound]}
        [[hypothesis]] = ls.read_nbest(written_json(tmp_path, row))
        assert hypothesis.confidences == confidences
        assert hypothesis.times is not None


def test_numbers_of_segments_are_no_ids(tmp_path: Path) -> None:
    segments = [{"id": 1, "seek": 0, "text": text, "avg_logprob": -0.5, "words": PLAIN} for text in ("a cat", "A cat")]
    assert [len(entries) for entries in ls.read_nbest(written_json(tmp_path, segments))] == [1, 1]


def test_tokens_of_several_words() -> None:
    """A token of several words is right if all are; punctuation counts only on its own."""
    listed = [ListedWord("twenty", confidence=0.9), ListedWord("-"), ListedWord("two", confidence=0.5)]
    assert confidences_of(["twenty-two"], listed) == (0.45,)
    assert confidences_of(["twenty", "-", "two"], listed) == (0.9, 1.0, 0.5)
    assert confidences_of(["Twenty,", "two", "!"], listed) == (0.9, 0.5, 1.0)
    assert confidences_of(["twelve"], listed) is None
    assert repr(confidences_of(["twenty", "two"], [*listed[:2], ListedWord("two")])) == "(0.9, nan)"


def test_lattices_and_ctm_have_confidences(tmp_path: Path) -> None:
    """The feature `posterior` holds the logs; those of a single hypothesis become its words' confidences in CTM."""
    [[hypothesis]] = ls.read_nbest(written_json(tmp_path, ROWS["vosk"]))
    lattice = ls.Lattice.from_nbest([hypothesis])
    is_word = lattice.olabels > 0
    assert lattice.features["posterior"][is_word].tolist() == pytest.approx([math.log(0.9), math.log(0.6)])
    assert lattice.features["posterior"][~is_word].tolist() == [0.0]
    for decide in ("best", "consensus"):
        assert [word.confidence for word in ls.timed_words(lattice, decide)] == pytest.approx([0.9, 0.6])
    assert [path.confidences for path in ls.nbest(lattice, 1)] == [pytest.approx((0.9, 0.6))]
    ls.write(lattice, tmp_path / "x.slf")
    assert ls.shortest_path(ls.read(tmp_path / "x.slf")).confidences == pytest.approx((0.9, 0.6))
    several = ls.Lattice.from_nbest([hypothesis, Hypothesis(("a", "hat"), 0.0, times=hypothesis.times)])
    assert "posterior" not in several.features
    assert [word.confidence for word in ls.timed_words(several)] == pytest.approx([1.0, 0.5])


def test_a_word_without_a_confidence_is_unknown(tmp_path: Path) -> None:
    """It is NaN in hypotheses, null in JSON, and has no field in SLF and CTM; the other words keep theirs."""
    row = {"segments": [{"text": " 19 a cat", "words": [{"word": "19"}, *words("word", "score")]}]}
    [[hypothesis]] = ls.read_nbest(written_json(tmp_path, row))
    assert repr(hypothesis.confidences) == "(nan, 0.9, 0.6)"
    ls.write_nbest([(0, [hypothesis])], tmp_path / "y.jsonl")
    assert '"confidences": [null, 0.9, 0.6]' in (tmp_path / "y.jsonl").read_text()
    [[again]] = ls.read_nbest(tmp_path / "y.jsonl")
    lattice = ls.Lattice.from_nbest([again])
    ls.write(lattice, tmp_path / "x.slf")
    ls.write(lattice, tmp_path / "x.plf")
    assert ls.nbest(lattice)[0].features["posterior"] == pytest.approx(math.log(0.9 * 0.6))
    for read in (lattice, ls.read(tmp_path / "x.slf"), ls.read(tmp_path / "x.plf")):
        assert ls.shortest_path(read).confidences == pytest.approx((math.nan, 0.9, 0.6), nan_ok=True)
    rows = ctm_fields(ls.timed_words(lattice))
    assert rows == ["0.500 0.000 19", "0.500 0.300 a 0.9000", "1.000 0.500 cat 0.6000"]


def test_a_segment_without_words_shares_its_time(tmp_path: Path) -> None:
    """WhisperX writes no words where it fails to align a segment; the other words keep their times and confidences."""
    segments = [{"text": " 19 20", "start": 0.0, "end": 0.4}, {"text": " a cat", "words": words("word", "score")}]
    [[hypothesis]] = ls.read_nbest(written_json(tmp_path, {"segments": segments}))
    assert repr(hypothesis.confidences) == "(nan, nan, 0.9, 0.6)"
    assert hypothesis.times == ((0.0, 0.2), (0.2, 0.4), (0.5, 0.8), (1.0, 1.5))


def test_prefixes_with_other_confidences_stay_apart() -> None:
    """Each hypothesis keeps its confidences, without times as well; an empty one has none."""
    entries = [
        Hypothesis(("a", "cat"), 1.0, confidences=(0.9, 0.6)),
        Hypothesis(("a", "hat"), 2.0, confidences=(0.5, 0.4)),
        Hypothesis((), 3.0, confidences=()),
    ]
    paths = ls.nbest(ls.Lattice.from_nbest(entries), 3)
    assert [path.confidences for path in paths] == [pytest.approx(entry.confidences) for entry in entries]
    assert [path.times for path in paths] == [None] * 3


def test_pieces_and_marks(tmp_path: Path) -> None:
    entry = {"tokens": ["<s>", "▁a", "▁c", "at."], "confidences": [1, 0.9, 0.8, 0.75], "score": -1}
    path = written_json(tmp_path, {"hypotheses": [entry]})
    [[hypothesis]] = ls.read_nbest(path, pieces="sentencepiece", ignore=["<s>"])
    assert (hypothesis.text, hypothesis.confidences) == ("a cat.", pytest.approx((0.9, 0.6)))


@pytest.mark.parametrize("shares", [[0.5], [0.5, 1.5], [0.5, "x"], "x", [0.5, -0.1]])
def test_broken_confidences(tmp_path: Path, shares: object) -> None:
    with pytest.raises(FormatError, match=r"x.json:1: confidences that are not numbers from 0 to 1"):
        ls.read_nbest(written_json(tmp_path, {"hypotheses": [{"text": "a cat", "score": -1, "confidences": shares}]}))


def test_empty_hypotheses_with_times_and_confidences(tmp_path: Path) -> None:
    empty = {"text": "", "score": -1, "times": [], "confidences": []}
    [[hypothesis]] = ls.read_nbest(written_json(tmp_path, {"hypotheses": [empty]}))
    assert (hypothesis.times, hypothesis.confidences) == ((), ())
