"""A file of annotations with a few sentences, and a clock under the test's control."""

from __future__ import annotations

from lattice_simp.systems.annotation import AnnotationSettings, AnnotationStore, Sentence


class Clock:
    def __init__(self):
        self.now = 1_000_000.0

    def __call__(self):
        return self.now


def sentences(count, length=4):
    words = "the old mill by that river was sold again last week".split()
    return [Sentence(f"talk.{number}", number, tuple(words[:length])) for number in range(count)]


def make_store(path, count=3, clock=None, length=4, **settings):
    store = AnnotationStore(path, create=True, **({"clock": clock} if clock else {}))
    store.settings = AnnotationSettings(**settings)
    store.add(sentences(count, length))
    return store
