"""The words that the simplification asks for by what they do."""

from __future__ import annotations

from pathlib import Path

import pytest

from lattice_simp.errors import FormatError
from lattice_simp.hindi.simplify import words
from lattice_simp.hindi.simplify.words import Role, word_of, words_of
from lattice_simp.hindi.tables import hindi_path


def test_every_role_has_its_words():
    assert all(words_of(role) and word_of(role) == words_of(role)[0] for role in Role)
    assert {word_of(Role.DIRECT_GENITIVE), word_of(Role.OBLIQUE_GENITIVE)} < set(words_of(Role.GENITIVE))
    assert set(words_of(Role.CONJUNCTIVE)) < set(words_of(Role.PARTICIPIAL))
    marks = [set(words_of(role)) for role in (Role.STATEMENT, Role.QUESTION, Role.CLOSING)]
    assert len(set.union(*marks)) == sum(map(len, marks))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda lines: [*lines, "nosuch\tx"], "no role"),
        (lambda lines: [*lines, "be\tx"], "twice"),
        (lambda lines: [*lines[:-1], lines[-1].partition("\t")[0]], "no words"),
        (lambda lines: lines[:-1], "nothing for"),
        (lambda lines: [line.replace("। . |", "।") for line in lines], "one mark"),
    ],
)
def test_a_broken_table_is_an_error(change, message: str, tmp_path: Path, monkeypatch):
    lines = hindi_path(words.TABLE).read_text(encoding="utf-8").splitlines()
    (tmp_path / words.TABLE).write_text("\n".join(change(lines)) + "\n", encoding="utf-8")
    monkeypatch.setattr(words, "hindi_path", lambda name: tmp_path / name)
    with pytest.raises(FormatError, match=message) as caught:
        words._roles.__wrapped__()
    assert caught.value.path == tmp_path / words.TABLE
    assert caught.value.remedy
