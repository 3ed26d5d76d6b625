"""Operations do not change the symbol tables of their arguments; new words are in a table of the result."""

from __future__ import annotations

import threading

import pytest

from lattice_simp import (
    EditCosts,
    Hypothesis,
    Lattice,
    SymbolTable,
    combine,
    compose_gappy,
    gappy_acceptor,
    mbr,
    nbest,
    oracle,
    replace,
    union,
    word_confidences,
)
from lattice_simp.core.lattice import share_symbols
from lattice_simp.ops.recombine import recombine
from lattice_simp.ops.term_acceptor import term_acceptor


def strings(lattice):
    return sorted((path.text, round(path.cost, 9)) for path in nbest(lattice, 99))


def full():
    return Lattice.from_strings([("a small cat sat", 1.0), ("a cat sat", 1.5), ("the GAP sat", 2.0)])


EDITS = EditCosts(1.0, 2.0, 3.0)

OPERATIONS = {
    "union": lambda lattice, other: union(lattice, other),
    "replace": lambda lattice, other: replace(lattice, {"GAP": other}),
    "compose": lambda lattice, other: compose_gappy(lattice, gappy_acceptor([("cat", 0.0), ("new", 1.0)]), edits=EDITS),
    "compose of a lattice": lambda lattice, other: compose_gappy(lattice, union(other, lattice)),
    "gappy acceptor": lambda lattice, other: gappy_acceptor(["new word"], symbols=lattice.symbols).acceptor,
    "gappy acceptor of a lattice": lambda lattice, other: gappy_acceptor(other, symbols=lattice.symbols).acceptor,
    "term acceptor": lambda lattice, other: term_acceptor(["new", "words"], lattice.symbols).acceptor,
    "recombine": lambda lattice, other: recombine(["new words", "old words"], lattice.symbols),
    "combine": lambda lattice, other: combine([lattice, other]),
    "with_symbols": lambda lattice, other: lattice.with_symbols(other.symbols),
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_no_operation_grows_a_table_of_its_arguments(name):
    lattice, other = full(), Lattice.from_strings([("another new word", 0.5), ("a word", 1.0)])
    tables = [list(lattice.symbols), list(other.symbols)]
    result = OPERATIONS[name](lattice, other)
    assert [list(lattice.symbols), list(other.symbols)] == tables
    result.validate()
    known = [list(table) for table in (lattice.symbols, other.symbols) if table is not result.symbols]
    assert len(known) == 2, "the result needs words that neither table has"


def test_operations_that_only_read_grow_no_table():
    lattice = full()
    before = list(lattice.symbols)
    word_confidences(lattice, "quite another string")
    oracle(lattice, ["quite another string"])
    mbr(lattice)
    assert list(lattice.symbols) == before


def test_shared_symbols_keep_the_numbers_of_the_first_table():
    lattice, other = full(), Lattice.from_strings("cat sat down")
    shared, moved = share_symbols([lattice, other])
    assert shared.symbols is moved.symbols
    assert shared.olabels is lattice.olabels
    assert strings(shared) == strings(lattice)
    assert strings(moved) == strings(other)
    assert list(shared.symbols)[: len(lattice.symbols)] == list(lattice.symbols)


def test_a_table_that_holds_all_words_is_shared_as_it_is():
    table = SymbolTable("a cat sat down")
    first, second = Lattice.from_strings("a cat", table), Lattice.from_strings("cat sat down")
    assert [lattice.symbols is table for lattice in share_symbols([first, second])] == [True, True]


def test_threads_that_share_a_lattice_do_not_disturb_one_another():
    lattice = full()
    before = list(lattice.symbols)
    others = [
        Lattice.from_nbest([Hypothesis((f"word{number}", "sat", f"{number}"), 0.5), Hypothesis(("a", "cat"), 1.0)])
        for number in range(64)
    ]

    def worked(other):
        both = union(lattice, other)
        return strings(both), strings(compose_gappy(both, gappy_acceptor(other, symbols=lattice.symbols)))

    expected = [worked(other) for other in others]
    actual = [None] * len(others)

    def work(first):
        for number in range(first, len(others), 8):
            actual[number] = worked(others[number])

    threads = [threading.Thread(target=work, args=(first,)) for first in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert actual == expected
    assert list(lattice.symbols) == before
