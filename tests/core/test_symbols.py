"""Symbol tables: valid words, and threads that add words concurrently."""

from __future__ import annotations

import copy
import pickle
import sys
import threading

import pytest

from lattice_simp import InvalidLatticeError, SymbolTable


def test_threads_give_each_word_one_id_and_each_id_one_word():
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for attempt in range(5):
            table, start, results = SymbolTable(), threading.Barrier(8), []

            def grow(number, table=table, start=start, results=results):
                words = [f"w{(place * (number + 1)) % 3000}" for place in range(3000)]
                start.wait()
                ids = [table.add(word) for word in words[:1500]] + table.encode(words[1500:]).tolist()
                results.append(dict(zip(words, ids, strict=True)))

            threads = [threading.Thread(target=grow, args=(number,)) for number in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert len(results) == 8
            for result in results:
                for word, label in result.items():
                    assert (table[label], table.find(word)) == (word, label), attempt
            assert len(set(table.words)) == len(table), attempt
    finally:
        sys.setswitchinterval(interval)


@pytest.mark.parametrize("add", [SymbolTable.add, lambda table, word: table.encode(["a", word]), SymbolTable])
def test_what_is_no_word_is_refused_before_anything_is_added(add):
    def attempt(word, error, message):
        table = SymbolTable(["x"])
        with pytest.raises(error, match=message):
            add([word]) if add is SymbolTable else add(table, word)
        assert table.words == ["<epsilon>", "x"]

    attempt("", InvalidLatticeError, "empty string")
    for broken in ("\ud800", "x\udce4", "\udfffy", "é\ud83d"):
        attempt(broken, InvalidLatticeError, "UTF-8 cannot encode")
    for broken in (5, b"a", None):
        attempt(broken, TypeError, "str")


def test_words_of_any_characters_are_added():
    words = ["é", "\U0001f600", "\0", " ", "\u2028", "a" * 10_000]
    table = SymbolTable(words)
    assert table.encode(words).tolist() == [1, 2, 3, 4, 5, 6]
    assert table.encode([]).tolist() == []


def test_copies_grow_on_their_own():
    table = SymbolTable(["a"])
    for result in (copy.copy(table), copy.deepcopy(table), pickle.loads(pickle.dumps(table)), table.copy()):
        assert result == table
        assert result.add("b") == 2
    assert len(table) == 2
