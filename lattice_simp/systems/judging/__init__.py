"""Studies in which people judge the outputs of systems: assignment, storage and analysis.

Raters are assigned by Latin squares, as in Narayan and Gardent (2014, section 4.4), which also has the analysis of
variance with Tukey's test.

    from lattice_simp.systems.judging import JudgingStore, analyse, read_study

    study = read_study("study.yaml")
    with JudgingStore("study.db", study) as store:
        screen = store.screen("Ada")
        store.answer("Ada", screen.position, {"fluency": 4})
        tables = analyse(study, store.judgements())
"""

from __future__ import annotations

from lattice_simp.systems.judging.analysis import analyse
from lattice_simp.systems.judging.design import Role, Trial, latin_square, plan
from lattice_simp.systems.judging.export import write_csv
from lattice_simp.systems.judging.questions import AnswerError, Choice, Errors, Preference, Rating
from lattice_simp.systems.judging.sheet import sheet_lines, store_sheet
from lattice_simp.systems.judging.statistics import (
    Anova,
    Difference,
    Estimate,
    anova,
    bradley_terry,
    clustered_mean,
    share,
    sign_test,
    tukey,
)
from lattice_simp.systems.judging.store import Judgement, JudgingError, JudgingStore, Screen, Standing
from lattice_simp.systems.judging.study import Design, Example, Item, Labels, Study
from lattice_simp.systems.judging.study_file import StudyFile, read_study

__all__ = [
    "Anova",
    "AnswerError",
    "Choice",
    "Design",
    "Difference",
    "Errors",
    "Estimate",
    "Example",
    "Item",
    "Judgement",
    "JudgingError",
    "JudgingStore",
    "Labels",
    "Preference",
    "Rating",
    "Role",
    "Screen",
    "Standing",
    "Study",
    "StudyFile",
    "Trial",
    "analyse",
    "anova",
    "bradley_terry",
    "clustered_mean",
    "latin_square",
    "plan",
    "read_study",
    "share",
    "sheet_lines",
    "sign_test",
    "store_sheet",
    "tukey",
    "write_csv",
]
