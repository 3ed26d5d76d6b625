"""Terms of sentences, with their forms."""

from __future__ import annotations

import pytest

import lattice_simp as ls


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("", []),
        ("a\n", [[["a"]]]),
        ("a b|c \t d\r\n\ne", [[["a b", "c"], ["d"]], [], [["e"]]]),
        ("  \n", [[]]),
        ("a\\|b|c\n", [[["a|b", "c"]]]),
    ],
)
def test_a_line_holds_the_terms_of_a_sentence(tmp_path, text, terms):
    (tmp_path / "terms").write_text(text)
    assert ls.read_terms(tmp_path / "terms") == terms


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("a||b", "terms:2: term 1 has an empty form: 'a||b'"),
        ("a\t|", "terms:2: term 2 has an empty form: '|'"),
        ("a\t\tb", "terms:2: term 2 is empty"),
        ("a\t", "terms:2: term 2 is empty"),
    ],
)
def test_empty_terms_and_forms(tmp_path, line, message):
    (tmp_path / "terms").write_text(f"x\n{line}\n")
    with pytest.raises(ls.FormatError) as raised:
        ls.read_terms(tmp_path / "terms")
    assert message in str(raised.value)
    assert "write one tab between terms and one | between forms" in str(raised.value)
