"""Tables of tab-separated values, well-formed and not."""

from __future__ import annotations

import pytest

from lattice_simp.errors import FormatError, LatticeSimpError
from lattice_simp.support.tables import grammar_path, read_table


def test_comments_and_missing_cells(tmp_path):
    path = tmp_path / "a.tsv"
    path.write_text("# about\n\nword\tkind\tnote\nको\tcase\n# more\n %\t\tper cent\n", encoding="utf-8")
    rows = list(read_table(path, ("word", "kind")))
    assert [dict(row.cells) for row in rows] == [
        {"word": "को", "kind": "case", "note": ""},
        {"word": "%", "kind": "", "note": "per cent"},
    ]
    assert [(row.path, row.line) for row in rows] == [(path, 4), (path, 6)]


def test_a_cell_that_is_none_of_its_values_names_the_row_and_the_values(tmp_path):
    path = tmp_path / "a.tsv"
    path.write_text("word\tkind\nको\tcase\nऔर\tlink\n", encoding="utf-8")
    first, second = read_table(path)
    assert first.one_of("kind", ("case", "verb")) == "case"
    with pytest.raises(FormatError, match=r"a\.tsv:3: unknown kind 'link'.*write one of case, verb"):
        second.one_of("kind", ("case", "verb"))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", 1),
        ("# only\n", 1),
        ("word\n", 1),
        ("# x\nkind\tword\n", 2),
        ("word\tkind\na\n", 2),
        ("word\tkind\na\tb\tc\n", 2),
    ],
)
def test_broken_tables_name_the_line(tmp_path, text, line):
    (tmp_path / "a.tsv").write_text(text)
    with pytest.raises(FormatError, match=f"a.tsv:{line}: ") as caught:
        list(read_table(tmp_path / "a.tsv", ("word", "kind"), full=True))
    assert caught.value.remedy


def test_a_file_that_is_not_there_says_where_it_was_looked_for():
    with pytest.raises(LatticeSimpError, match=r"no file 'hindi/nothing\.tsv'; expected .*grammars.hindi.nothing"):
        grammar_path("hindi/nothing.tsv")
