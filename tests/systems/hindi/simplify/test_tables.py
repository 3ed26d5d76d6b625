"""The word lists of simplification, by the function of words."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from lattice_simp.errors import FormatError
from lattice_simp.support.tables import grammar_path
from lattice_simp.systems.hindi.simplify import tables
from lattice_simp.systems.hindi.simplify.tables import Role, word_of, words_of


def test_every_role_has_its_words():
    assert all(words_of(role) and word_of(role) == words_of(role)[0] for role in get_args(Role))
    assert {word_of("direct_genitive"), word_of("oblique_genitive")} < set(words_of("genitive"))
    assert set(words_of("conjunctive")) < set(words_of("participial"))
    marks = [set(words_of(role)) for role in ("statement", "question", "closing")]
    assert len(set.union(*marks)) == sum(map(len, marks))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda lines: [*lines, "nosuch\tx"], "unknown role"),
        (lambda lines: [*lines, "be\tx"], "repeated role"),
        (lambda lines: [*lines[:-1], lines[-1].partition("\t")[0]], "no words"),
        (lambda lines: lines[:-1], "no words for"),
        (lambda lines: [line.replace("। . |", "।") for line in lines], "one mark"),
    ],
)
def test_a_broken_table_is_an_error(change, message: str, request):
    lines = grammar_path("hindi/simplify_words.tsv").read_text(encoding="utf-8").splitlines()
    path: Path = request.getfixturevalue("grammar_folder") / "hindi" / "simplify_words.tsv"
    path.write_text("\n".join(change(lines)) + "\n", encoding="utf-8")
    with pytest.raises(FormatError, match=message) as caught:
        tables._roles.__wrapped__()
    assert caught.value.path == path
    assert caught.value.remedy
