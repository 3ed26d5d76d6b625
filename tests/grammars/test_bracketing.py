"""Each rule file by its cases, and invariants of every input."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from lattice_simp.errors import FormatError
from lattice_simp.grammars.hindi import rewriting, symbols
from lattice_simp.grammars.hindi.bracketing import MAX_DEPTH, SIGNS, STAGES, bracketing, through, well_formed
from lattice_simp.grammars.hindi.rewriting import alphabet, stage
from lattice_simp.support.tables import grammar_path, grammar_table
from lattice_simp.systems.hindi.clause import ClauseType, are_nested
from lattice_simp.systems.hindi.rules import Unit, clauses_of_brackets, rule_clauses
from lattice_simp.systems.hindi.sentence import Chunk, Sentence, Token


def stage_cases() -> list:
    return [
        pytest.param(name, row["input"], row["output"], id=f"{name} {row['input']}")
        for name in dict.fromkeys(STAGES)
        for row in grammar_table(f"hindi/cases/{name}.tsv", ("input", "output"))
    ]


@pytest.mark.parametrize(("name", "symbols_in", "symbols_out"), stage_cases())
def test_stage(name, symbols_in, symbols_out):
    assert " ".join(through(symbols_in.split(), [name])) == symbols_out


def test_every_stage_has_cases():
    folder = grammar_path("hindi/cases/ends.tsv").parent
    assert {path.stem for path in folder.glob("*.tsv")} >= set(STAGES)


def is_well_formed(names: list[str], *, types: bool) -> bool:
    """Applies the definition, with a stack."""
    stack: list[tuple[str, bool]] = []
    for name in names:
        if name[0] in "[{":
            if len(stack) == MAX_DEPTH or (name[0] == "[" and any(opened[0] == "{" for opened, _ in stack)):
                return False
            if types and name != "{" and name[1:] not in list(ClauseType):
                return False
            stack.append((name, False))
        elif name in "]}":
            if not stack or stack[-1][0][0] != {"]": "[", "}": "{"}[name] or not stack[-1][1]:
                return False
            stack.pop()
            stack = [(opened, True) for opened, _ in stack]
        elif name not in SIGNS:
            stack = [(opened, True) for opened, _ in stack]
    return not stack


def test_acceptor_agrees_with_the_definition():
    import pynini

    rng = random.Random(1)
    counts = {True: 0, False: 0}
    for _ in range(3000):
        names = rng.choices(["[", "]", "{", "}", "NP", "FIN", "COMMA"], [3, 3, 1, 1, 3, 1, 1], k=rng.randint(0, 9))
        accepted = pynini.compose(alphabet().string(names), well_formed()).num_states() > 0
        assert accepted == is_well_formed(names, types=False), names
        counts[accepted] += 1
    assert min(counts.values()) > 100


def test_any_input_comes_out_well_formed_and_whole():
    rng = random.Random(2)
    common = ["NP", "FIN", "SAY", "KI", "AND", "REL", "IF", "TO", "COMMA", "KAR", "PART"]
    for _ in range(250):
        names = rng.choices([*symbols.symbols(), *common * 3], k=rng.randint(0, 25))
        results = list(bracketing(tuple(names)))
        assert [name for name in results if name[0] not in "[]{}"] == names
        assert is_well_formed(results, types=True), (names, results)
        units = [Unit(name, position, position + 1) for position, name in enumerate(names)]
        clauses = clauses_of_brackets(results, units)
        assert are_nested(clauses)
        assert all(clause.end > clause.start for clause in clauses)


def test_finite_verbs_have_clauses():
    rng = random.Random(3)
    for _ in range(100):
        names = rng.choices(["NP", "KO", "FIN", "SAY", "AND", "COMMA", "KI", "KAR"], k=rng.randint(1, 15))
        result = bracketing(tuple(names))
        depth = 0
        for name in result:
            depth += (name[0] == "[") - (name == "]")
            assert depth or name not in ("FIN", "SAY"), result


@pytest.mark.parametrize("depth", [1, 3, 5])
def test_ki_in_ki(depth):
    names = ["NE", "SAY", *["KI", "NE", "SAY"] * (depth - 1), "KI", "NP", "FIN"]
    result = bracketing(tuple(names))
    assert result.count("[comp") == depth
    assert result[-depth - 1 :] == ("]",) * (depth + 1)


def test_deeper_than_the_bound_still_gives_clauses():
    names = ["NE", "SAY", *["KI", "NE", "SAY"] * 12, "KI", "NP", "FIN"]
    assert is_well_formed(list(bracketing(tuple(names))), types=True)


def test_sentences_without_words_or_chunks():
    assert rule_clauses(Sentence(())) == []
    assert rule_clauses(Sentence((Token(".", "SYM"),), (Chunk("BLK", 0, 1),))) == []
    assert rule_clauses(Sentence((Token("raam", "NNP"),))) == []


def test_unknown_tags_are_words():
    clauses = rule_clauses(Sentence((Token("x", "XX"), Token("y", "YY")), (Chunk("ZZ", 0, 2),)))
    assert [(clause.start, clause.end, clause.kind) for clause in clauses] == [(0, 2, ClauseType.MAIN)]


@pytest.mark.parametrize(
    "line", ["\t[\tNP(\t", "\t[\tNOSUCH\t", "\t[\t$NOSUCH\t", "\t[\t* NP\t", "\t[\tNP )\t", "\t[\tNP\t\tmuch"]
)
def test_broken_rules_name_their_line(line, request):
    alphabet()
    rewriting.classes()
    folder: Path = request.getfixturevalue("grammar_folder") / "hindi"
    (folder / "rule_broken.tsv").write_text("\t".join(rewriting.COLUMNS) + "\n# a comment\n" + line + "\n")
    with pytest.raises(FormatError, match=r"rule_broken\.tsv") as caught:
        stage.__wrapped__("broken")
    assert caught.value.line == 3


@pytest.mark.parametrize("pattern", ["$LOOP", "NP | $OTHER", "(NP", "NOSUCH"])
def test_broken_classes_name_their_line(pattern, request):
    text = f"name\tpattern\tnote\nPLAIN\tNP\t\n# a comment\nLOOP\t{pattern}\t\nOTHER\t$LOOP?\t\n"
    alphabet()
    (request.getfixturevalue("grammar_folder") / "hindi" / "rule_classes.tsv").write_text(text)
    with pytest.raises(FormatError, match=r"rule_classes\.tsv:4:"):
        rewriting.classes.__wrapped__()


def test_a_table_of_symbols_that_fits_not_all_names_its_last_line(request):
    text = "symbol\tchunk\ttag\tclass\tmeaning\n# a comment\n\nNP\tNP\t*\t-\ta phrase\n"
    symbols.classes_of("a")
    (request.getfixturevalue("grammar_folder") / "hindi" / "rule_symbols.tsv").write_text(text)
    with pytest.raises(FormatError, match=r"nothing fits every chunk") as caught:
        symbols._rows.__wrapped__()
    assert caught.value.line == 4
