"""A result of the first version of Gladia, with times and confidences."""

from __future__ import annotations

GLADIA_1 = {
    "prediction": [
        {
            "words": [
                {"word": " A", "time_begin": 0.5, "time_end": 0.8, "confidence": 0.9},
                {"word": " cat.", "time_begin": 1.0, "time_end": 1.5, "confidence": 0.6},
            ],
            "language": "en",
            "transcription": "A cat.",
            "confidence": 0.5,
            "time_begin": 0.5,
            "time_end": 1.5,
            "speaker": 0,
        }
    ],
    "prediction_raw": {"metadata": {}, "transcription": []},
}
