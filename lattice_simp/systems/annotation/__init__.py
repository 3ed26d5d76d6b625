"""Annotation of skeletons: a queue of sentences for several annotators, their agreement, and aggregation.

The tasks follow Hasler et al. (2016, section 3.1): shortening sentences by deletion, and marking bad ones among the
shortened sentences of other annotators.

    from lattice_simp.systems.annotation import AnnotationStore, Sentence, Task, aggregate, assign

    with AnnotationStore("talk.db", create=True) as store:
        store.add([Sentence("talk.0", 0, ("please", "stop", "now"))])
        task = assign(store, "Ada", Task.SHORTEN)
        store.shorten("Ada", task.sentence.id, "010")
        print(aggregate(store.judgements(), store.verdicts()).skeletons())
"""

from __future__ import annotations

from lattice_simp.support.database import LockedError, StorageError
from lattice_simp.systems.annotation.aggregation import Aggregation, aggregate
from lattice_simp.systems.annotation.agreement import pairwise_f1, token_alpha, verdict_agreement
from lattice_simp.systems.annotation.files import (
    EXPORTS,
    aggregated_records,
    export,
    judgement_records,
    judgements_of,
    read_sentences,
)
from lattice_simp.systems.annotation.judgements import (
    AnnotationError,
    AnnotationSettings,
    Assignment,
    Judgement,
    Sentence,
    Task,
    Verdict,
)
from lattice_simp.systems.annotation.progress import Progress, progress
from lattice_simp.systems.annotation.queue import Tally, assign, tally
from lattice_simp.systems.annotation.store import AnnotationStore

__all__ = [
    "EXPORTS",
    "Aggregation",
    "AnnotationError",
    "AnnotationSettings",
    "AnnotationStore",
    "Assignment",
    "Judgement",
    "LockedError",
    "Progress",
    "Sentence",
    "StorageError",
    "Tally",
    "Task",
    "Verdict",
    "aggregate",
    "aggregated_records",
    "assign",
    "export",
    "judgement_records",
    "judgements_of",
    "pairwise_f1",
    "progress",
    "read_sentences",
    "tally",
    "token_alpha",
    "verdict_agreement",
]
