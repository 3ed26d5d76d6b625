"""The word lists of English: each that the code names exists, and each group of words is in use."""

from __future__ import annotations

import ast
from pathlib import Path

from lattice_simp.grammars.english.lexicon import word_set
from lattice_simp.support.tables import grammar_table

ROOT = Path(__file__).parents[2]
SOURCES = [path.read_text("utf-8") for folder in ("lattice_simp", "grammars") for path in (ROOT / folder).rglob("*.py")]


def names(function):
    """Returns the arguments with which the code calls a function."""
    return {
        node.args[0].value
        for text in SOURCES
        if f"{function}(" in text
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == function
        if node.args and isinstance(node.args[0], ast.Constant)
    }


def test_every_group_is_used():
    assert names("word_group") == {row["group"] for row in grammar_table("english/word_groups.tsv")}


def test_every_named_list_has_words():
    named = names("word_set")
    assert "negations" in named
    assert all(word_set(name) for name in named)
