"""The symbols of the grammar, which consist of a lexeme's key and a spelling, and the transducers that spell them.

Both sides of the grammar are strings of symbols `key#spelling`; a lexeme has the same key on both sides::

    d.plan#the n.plan#plan  aux.s#was  v.pass_proposal#passed  .#.
    d.plan#der n.plan#plan  aux.s#wurde v.pass_proposal#angenommen .#.

so the word alignment of a sentence pair is known, no matter how far words move. In a spelling, `_` stands for a blank
inside of a piece, and `|` divides a lexeme into pieces; when both sides have equally many pieces, the first
translates the first, and so on (`to|close`, `zu|schließen`); otherwise all words translate all words.

Symbols without `#` have no counterpart: commas, which spell themselves, and the marks of gaps, which spell nothing.
A `Vocabulary` gives an `Fst` for a pair of symbol strings, pynini's `cross` with a symbol table that grows.
"""

from __future__ import annotations

from collections.abc import Iterable

import pynini
import pywrapfst

KEY_MARK = "#"
PIECE_MARK = "|"
BLANK_MARK = "_"

CLAUSE = "clause"
ADVERBIAL = "adverbial"
FRONTED = "fronted"
GAP_KINDS = (CLAUSE, ADVERBIAL, FRONTED)
"""The kinds of gaps: a modifier of a noun or an infinitive clause; adverbials; an adverbial before the subject."""

OPEN = {kind: f"<{kind}>" for kind in GAP_KINDS}
CLOSE = {kind: f"</{kind}>" for kind in GAP_KINDS}
MARKS = frozenset(OPEN.values()) | frozenset(CLOSE.values())


def lexeme(key: str, spelling: str) -> str:
    """Returns the symbol of a lexeme.

    >>> lexeme("t.week", "last week")
    't.week#last_week'
    """
    return f"{key}{KEY_MARK}{spelling.replace(' ', BLANK_MARK)}"


def key_of(symbol: str) -> str | None:
    """Returns the key of a lexeme's symbol, None for commas and marks."""
    key, mark, _ = symbol.partition(KEY_MARK)
    return key if mark else None


def pieces(symbol: str) -> list[list[str]]:
    """Returns the words of a symbol, piece by piece; a mark has none.

    >>> pieces("t.town_hall#in_the|town_hall"), pieces(","), pieces("<clause>")
    ([['in', 'the'], ['town', 'hall']], [[',']], [])
    """
    if symbol in MARKS:
        return []
    spelling = symbol.partition(KEY_MARK)[2] or symbol
    return [piece.split(BLANK_MARK) for piece in spelling.split(PIECE_MARK)]


def words(symbol: str) -> list[str]:
    """Returns the words that spell a symbol."""
    return [word for piece in pieces(symbol) for word in piece]


def choice(*fsts: pynini.Fst) -> pynini.Fst:
    """Returns the union in which a random path takes each member with the same probability."""
    # pynini's `union` adds the other members to the arcs of the first one's start state, so each of those arcs would
    # be as probable as a whole other member; an epsilon transition before the first member prevents this.
    return pynini.union(pynini.accep("") + fsts[0], *fsts[1:])


class Vocabulary:
    """A growing symbol table, and the small transducers over it.

    >>> vocabulary = Vocabulary()
    >>> moved = vocabulary.pair(["v#passed"], []) + vocabulary.pair(["t#today"], ["t#heute"])
    >>> moved += vocabulary.pair([], ["v#angenommen"])
    >>> vocabulary.decode(pynini.project(moved, "output"))
    ['t#heute', 'v#angenommen']
    """

    def __init__(self, excluded: frozenset[str] = frozenset()) -> None:
        """Makes an empty table; a pair with an excluded symbol is a transducer that accepts nothing."""
        self.excluded = excluded
        self.table = pywrapfst.SymbolTable()
        self.table.add_symbol("<epsilon>")
        self.symbols: set[str] = set()

    def add(self, symbols: Iterable[str]) -> None:
        """Adds symbols that are new."""
        for symbol in symbols:
            self.table.add_symbol(symbol)
            self.symbols.add(symbol)

    def accep(self, symbols: Iterable[str]) -> pynini.Fst:
        """Returns the acceptor of one string of symbols."""
        string = list(symbols)
        self.add(string)
        return pynini.accep(" ".join(string), token_type=self.table)

    def pair(self, english: Iterable[str], german: Iterable[str]) -> pynini.Fst:
        """Returns the transducer of one pair of strings, either of which may be empty."""
        source, target = list(english), list(german)
        if self.excluded.isdisjoint(source):
            return pynini.cross(self.accep(source), self.accep(target))
        nothing = pynini.Fst()
        nothing.set_start(nothing.add_state())
        return nothing

    def lexeme(self, key: str, english: str, german: str) -> pynini.Fst:
        """Returns the transducer of a lexeme that does not move."""
        return self.pair([lexeme(key, english)], [lexeme(key, german)])

    def decode(self, fst: pynini.Fst) -> list[str]:
        """Returns the symbols of an acceptor of one string."""
        return [self.table.find(label) for label in fst.paths().olabels() if label]

    def spelling(self, symbols: Iterable[str]) -> pynini.Fst:
        """Returns the transducer from strings of symbols to strings of words; marks spell themselves."""
        lines = [(symbol, " ".join(words(symbol)) or symbol) for symbol in sorted(symbols)]
        self.add(word for _, spelled in lines for word in spelled.split())
        return pynini.string_map(lines, input_token_type=self.table, output_token_type=self.table).closure()
