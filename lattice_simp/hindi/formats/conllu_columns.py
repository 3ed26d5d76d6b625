r"""One word of CoNLL-U: its ten columns.

In MISC, `\s`, `\p`, `\t`, `\n`, `\r` and `\\` stand for a blank, `|`, a tabulator, a line's end, a carriage return and
`\`, and in the other columns no value has one of them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from lattice_simp.hindi.formats.conllu_chunks import Word
from lattice_simp.hindi.formats.conllu_values import (
    differing,
    lemma,
    token_of_columns,
    universal_features,
    universal_part,
)
from lattice_simp.hindi.sentence import Token

NONE = "_"
"""Stands in empty columns."""

_ESCAPES = {"\\": "\\\\", " ": "\\s", "|": "\\p", "\t": "\\t", "\n": "\\n", "\r": "\\r"}
_PLAIN = {escape[1]: plain for plain, escape in _ESCAPES.items()}
_ESCAPED = re.compile(r"\\(.)")
_BREAKING = frozenset("\t\n\r")


def fits(value: str) -> bool:
    """Says whether a value can stand in a column: it has no tabulator and no line's end."""
    return not _BREAKING & set(value)


def word_of_columns(columns: Sequence[str]) -> Word:
    """Reads a word from its ten columns."""
    form, own_lemma, part, tag, features, head, relation, _, misc = columns[1:]
    known = _pairs(features)
    extra = {name: _unescaped(value) for name, value in _pairs(misc).items()}
    own_lemma = "" if own_lemma == NONE and form != NONE else own_lemma
    token = token_of_columns(form, own_lemma, _given(part), _given(tag), known, relation, extra)
    place = -1 if head in ("0", NONE) else int(head) - 1
    return Word(token, _given(part), known, place, _given(relation), extra)


def _given(column: str) -> str:
    return "" if column == NONE else column


def _pairs(column: str) -> dict[str, str]:
    """Reads `Case=Nom|Gender=Masc`."""
    if column == NONE:
        return {}
    return {name: value for name, equals, value in (one.partition("=") for one in column.split("|")) if equals}


def _unescaped(value: str) -> str:
    return _ESCAPED.sub(lambda match: _PLAIN.get(match[1], match[0]), value) if "\\" in value else value


def columns_of_token(token: Token, number: int, head: str, relation: str, misc: Mapping[str, str]) -> list[str]:
    """Writes a token into ten columns.

    Args:
        token: with a form that fits.
        number: from 1.
        head: the column HEAD.
        relation: the column DEPREL.
        misc: what MISC says beside the token's own values.
    """
    own = {name: value for name, value in (("Vib", token.vibhakti), ("Tam", token.tam)) if value}
    columns = [
        str(number),
        token.form,
        _column(lemma(token)),
        universal_part(token.tag),
        _column(token.tag),
        _joined(universal_features(token)),
        head,
        relation,
        NONE,
    ]
    read = word_of_columns([*columns, _joined({**own, **misc})]).token
    return [*columns, _joined({**own, **differing(token, read), **misc})]


def _column(value: str) -> str:
    return value if value and fits(value) else NONE


def _joined(pairs: Mapping[str, str]) -> str:
    return "|".join(f"{name}={_escaped(value)}" for name, value in pairs.items()) or NONE


def _escaped(value: str) -> str:
    return "".join(_ESCAPES.get(letter, letter) for letter in value)
