"""The rules on brackets as acceptors: counts, costs, and cheapest bracketings."""

from __future__ import annotations

import random

import pynini
import pytest

from lattice_simp.errors import FormatError
from lattice_simp.grammars.hindi import bracket_rules as module
from lattice_simp.grammars.hindi.bracket_rules import bracket_rules, breaches, cheapest_well_formed
from lattice_simp.grammars.hindi.pattern import compile_pattern
from lattice_simp.grammars.hindi.rewriting import alphabet, any_string, classes
from lattice_simp.support.tables import grammar_table

CASES = [(row["input"], row["breaches"]) for row in grammar_table("hindi/cases/bracket_rules.tsv")]

PAPER = ("1a", "1b", "1c", "2a", "2b", "3a")


@pytest.mark.parametrize(("string", "wanted"), CASES)
def test_breaches(string, wanted):
    result = breaches(string.split())
    assert ", ".join(name + (f"*{count}" if count > 1 else "") for name, count in result.items()) == wanted


def test_every_rule_is_broken_in_a_case_and_those_of_the_paper_are_there():
    names = {rule.name for rule in bracket_rules()}
    assert {word.partition("*")[0] for _, wanted in CASES for word in wanted.split(", ") if word} == names
    assert all(any(name.split()[0] == number for name in names) for number in PAPER)


def random_string(rng):
    common = ["[main", "[comp", "[coord", "]", "]", "{", "}", "NP", "NE", "FIN", "SAY", "KI", "AND", "KAR", "COMMA"]
    return rng.choices(common, k=rng.randint(0, 9))


def matches(pattern, names):
    return pynini.compose(alphabet().string(names), pattern).num_states() > 0


def test_a_breach_is_a_place_between_what_a_rule_says():
    """Each place counts separately: one pattern matches the text before it, another one the text after it."""
    rng = random.Random(1)
    patterns = {}
    for rule in bracket_rules():
        before, after = (compile_pattern(text, alphabet(), classes()) for text in (rule.before, rule.after))
        patterns[rule.name] = (any_string() + before).optimize(), (after + any_string()).optimize()
    seen = set()
    for _ in range(60):
        names = random_string(rng)
        whole = ["BOS", *names, "EOS"]
        wanted = {
            name: sum(
                matches(first, whole[:place]) and matches(second, whole[place:]) for place in range(len(whole) + 1)
            )
            for name, (first, second) in patterns.items()
        }
        assert breaches(names) == {name: count for name, count in wanted.items() if count}, names
        seen |= set(breaches(names))
    assert len(seen) > len(patterns) / 2


def test_a_path_costs_what_its_breaches_cost():
    rng = random.Random(2)
    costs = {rule.name: float(number) for number, rule in enumerate(bracket_rules())}
    good = 0
    for _ in range(300):
        names = random_string(rng)
        result = cheapest_well_formed(alphabet().string(["BOS", *names, "EOS"]), costs=costs)
        if result.num_states():
            good += 1
            total = float(pynini.shortestdistance(result, reverse=True)[result.start()])
            assert total == sum(costs[name] * count for name, count in breaches(names).items()), names
            limited = cheapest_well_formed(alphabet().string(["BOS", *names, "EOS"]), most=total - 0.5, costs=costs)
            assert not limited.num_states()
    assert good > 10


def test_the_balanced_string_that_breaks_least_is_taken():
    strings = [
        "[main NE SAY ] [comp KI NP FIN ]",
        "[main NE SAY [comp KI NP FIN ] ]",
        "[main NE SAY [comp KI NP FIN ]",
        "[main NE SAY [comp KI NP FIN ] NP ]",
    ]
    arguments = pynini.union(*(alphabet().string(["BOS", *string.split(), "EOS"]) for string in strings))
    result = cheapest_well_formed(arguments, costs={"1a verb": 1.0, "1a end": 2.0})
    assert result.project("output").rmepsilon().string(token_type=alphabet().table) == f"BOS {strings[1]} EOS"
    every = cheapest_well_formed(arguments, 5).project("output").rmepsilon()
    assert len(list(every.paths(output_token_type=alphabet().table).ostrings())) == 3, "one is not balanced"


@pytest.mark.parametrize(
    "line", ["1b\t(NP\t\t1\t", "1b\tNOSUCH\t\t1\t", "1b\tNP\t\t-1\t", "1b\tNP\t\tmuch\t", "one\tNP\t\t1\t"]
)
def test_broken_rows_name_their_line(line, request):
    alphabet()
    classes()
    path = request.getfixturevalue("grammar_folder") / "hindi" / "bracket_rules.tsv"
    path.write_text(f"rule\tbefore\tafter\tcost\tnote\none\tNP\t\t1\t\n{line}\n", encoding="utf-8")
    with pytest.raises(FormatError, match=r"bracket_rules\.tsv:3:"):
        module.bracket_rules.__wrapped__()
