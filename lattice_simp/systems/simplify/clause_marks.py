"""Semicolons, colons, dashes, and commas before `so` between two complete statements, which become full stops.

Both sides need a clause in the parse of the whole sentence, whose subject stands first on the right side; that they are
complete is left to the parses of the new sentences (`soundness.py`).
"""

from __future__ import annotations

from collections.abc import Iterator

from lattice_simp.grammars.english.lexicon import word_group, word_set
from lattice_simp.systems.simplify.clauses import auxiliaries, child, finite_word, subject
from lattice_simp.systems.simplify.noun_phrase import natural
from lattice_simp.systems.simplify.sentence import DASHES, Token
from lattice_simp.systems.simplify.split import Split, SplitKind, keeps_whole
from lattice_simp.text.english.parse import Parse
from lattice_simp.text.english.punctuation import mark_kind, mark_pairs

_AFTER_DASH = frozenset({"PRP", "DT", "EX", "CC"})
"""Tags of words after a dash that begin a clause; a hyphen may join other words ("pro - government")."""

_OPEN_ENDS = frozenset({"VERB", "AUX", "ADP", "SCONJ", "CCONJ", "DET", "PUNCT"})
"""Parts of speech before a colon that introduces the rest of a clause ("he said :")."""


_DEPENDENT = frozenset({"relcl", "advcl", "acl", "csubj", "csubjpass", "pcomp", "xcomp"})
"""The labels of clauses that are no statements."""

_ASKING = frozenset({"WRB", "WP", "WDT", "WP$", "IN", "CD", "VB", "LS"})
"""Tags of words that begin no statement on their own."""


def mark_splits(parse: Parse) -> Iterator[Split]:
    """Yields the split at each mark between what may be two statements.

    >>> tokens = tuple("It is cold : they skate there .".split())
    >>> labels = ("nsubj", "ccomp", "acomp", "punct", "nsubj", "ROOT", "advmod", "punct")
    >>> tags = ("PRP", "VBZ", "JJ", ":", "PRP", "VBP", "RB", ".")
    >>> parts = ("PRON", "AUX", "ADJ", "PUNCT", "PRON", "VERB", "ADV", "PUNCT")
    >>> parse = Parse(tokens, (1, 5, 1, 5, 5, -1, 5, 5), labels, parts, tags, tokens)
    >>> [" ".join(token.text for token in split.sentence) for split in mark_splits(parse)]
    ['they skate there']
    """
    last = max((place for place, token in enumerate(parse.tokens) if mark_kind(token) is None), default=0)
    is_plain = parse.tokens.count(".") == 1 and all(mark_kind(token) != "quote" for token in parse.tokens)
    if parse.tokens[-1] != "." or not is_plain:
        return
    for place, token in enumerate(parse.tokens):
        is_alone = parse.tokens.count(token) == 1 and token in DASHES | {";", ":"}
        is_so = token == "," and parse.tokens[place + 1].lower() == "so" and _tells_result(parse, place, last)
        if (is_alone or is_so) and 0 < place < last and not _is_bracketed(parse, place) and _may_end(parse, place):
            yield from _split(parse, place, last)


def _tells_result(parse: Parse, place: int, last: int) -> bool:
    """Returns whether `so` behind a comma tells a result ("it rained, so he left"), not a purpose ("so he can go")."""
    side = range(place + 2, last + 1)
    verbs = [verb for verb in side if parse.parts[verb] in ("VERB", "AUX") and _is_statement(parse, verb, side)]
    if not verbs or parse.labels[0] == "mark" or parse.tags[0] in _ASKING - {"IN"} or parse.tokens.count("so") > 1:
        return False
    helping = [parse.tags[position] for position in auxiliaries(parse, verbs[0])]
    return "MD" not in helping or child(parse, verbs[0], {"neg"}) is not None


def _is_bracketed(parse: Parse, place: int) -> bool:
    return any(first < place < last for first, last in mark_pairs(parse.tokens))


def _may_end(parse: Parse, place: int) -> bool:
    """Returns whether a statement may end before a mark."""
    if parse.tokens[place] == ";":
        return _has_clause(parse, range(place))
    before = place - 1
    is_open = parse.parts[before] in _OPEN_ENDS or parse.tokens[before].lower() in word_group("introducing")
    is_reported = any(parse.lemmas[position].lower() in word_set("reporting_verbs") for position in range(place))
    is_broken = parse.tokens[place] in DASHES and _breaks_off(parse, place)
    return not is_open and not is_reported and not is_broken and _has_clause(parse, range(place))


def _breaks_off(parse: Parse, place: int) -> bool:
    """Returns whether a speaker breaks off before a dash ("I left it, and the next morning -- you may know that")."""
    leaving = [position for position in range(place) if parse.heads[position] > place and _is_word(parse, position)]
    joining = [position for position in range(place) if parse.tags[position] == "CC" and _joins_verbs(parse, position)]
    verbs = {position for position in range(place) if parse.parts[position] in ("VERB", "AUX")}
    return len(leaving) > 1 or any(verbs.isdisjoint(range(position, place)) for position in joining)


def _is_word(parse: Parse, position: int) -> bool:
    return mark_kind(parse.tokens[position]) is None


def _joins_verbs(parse: Parse, conjunction: int) -> bool:
    return parse.parts[parse.heads[conjunction]] in ("VERB", "AUX")


def _has_clause(parse: Parse, side: range) -> bool:
    """Returns whether a side has a clause that may be a statement."""
    return any(_is_statement(parse, position, side) for position in side if parse.parts[position] in ("VERB", "AUX"))


def _begins_with_clause(parse: Parse, side: range) -> bool:
    """Returns whether a statement begins with the first word of a side, or behind an adverb with a comma."""
    skipped = 2 if parse.tokens[side[0] + 1] == "," else 0
    starts = {side[0], side[skipped]}
    return any(
        _is_statement(parse, verb, side) and min(set(parse.subtree(verb)) & set(side)) in starts
        for verb in side
        if parse.parts[verb] in ("VERB", "AUX")
    )


def _is_statement(parse: Parse, verb: int, side: range) -> bool:
    noun = subject(parse, verb)
    finite = finite_word(parse, verb)
    return noun in side and finite in side and parse.labels[verb] not in _DEPENDENT


def _split(parse: Parse, place: int, last: int) -> Iterator[Split]:
    """Yields the split after a mark, with `but` as the opening of the new sentence, and without `and` behind a dash."""
    clause = tuple(range(place + 1, last + 1))
    opening: tuple[Token, ...] = ()
    dropped: tuple[int, ...] = (place,)
    word = parse.tokens[clause[0]].lower()
    if word == "but" or (word == "and" and parse.tokens[place] in DASHES):
        opening = (Token("But"),) if word == "but" else ()
        dropped, clause = (place, clause[0]), clause[1:]
    elif parse.tokens[place] == ",":
        opening, dropped, clause = (Token("So"),), (place, clause[0]), clause[1:]
    if not clause or not _may_begin(parse, place, clause):
        return
    sentence = (*opening, *(natural(parse, position, copied=False) for position in clause))
    if keeps_whole(parse.tokens, {*clause, *dropped}, sentence):
        yield Split(SplitKind.COORDINATION, clause, dropped, sentence)


def _may_begin(parse: Parse, place: int, clause: tuple[int, ...]) -> bool:
    """Returns whether a statement begins after a mark."""
    first, token = clause[0], parse.tokens[clause[0]]
    if parse.tags[first] in _ASKING or token.lower() in word_group("continuing"):
        return False
    if parse.tokens[place] in DASHES and (parse.tags[place + 1] not in _AFTER_DASH or token[:1].isupper()):
        return False
    return _begins_with_clause(parse, range(first, clause[-1] + 1))
