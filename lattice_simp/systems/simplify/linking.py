"""Adverbs inside of a sentence that link it to the one before become a conjunction at its beginning.

"The town, however, is old" becomes "But the town is old", "they therefore left" becomes "so they left", and "is it
therefore old?" becomes "so is it old?".
"""

from __future__ import annotations

from collections.abc import Iterator

from lattice_simp.systems.simplify.clauses import FINITE, SUBJECTS, finite_word, pairs, subject
from lattice_simp.systems.simplify.noun_phrase import natural
from lattice_simp.systems.simplify.sentence import Token
from lattice_simp.systems.simplify.split import Split, SplitKind
from lattice_simp.text.english.parse import Parse
from lattice_simp.text.english.punctuation import mark_kind

_BEFORE = frozenset({"nsubj", "nsubjpass", "expl", "aux", "auxpass", "neg", "prep", "npadvmod", "advmod", "punct"})
"""The labels of what may stand before such an adverb in a single statement."""

_ASKED_FOR = frozenset({"dobj", "attr"})
"""The labels of words at the beginning of a question besides those ("what does it show")."""

_QUESTION_START = frozenset({"WP", "WDT", "WRB", "VB", "MD"})
_NO_START = frozenset({"CC", "UH", "LS", "RBR"})
"""Tags of words that begin a question, and of those that begin neither a question nor a plain statement."""


def linking_adverbs(parse: Parse) -> Iterator[Split]:
    """Yields the move of a linking adverb to the beginning of its sentence, as a conjunction.

    >>> tokens = tuple("They therefore left .".split())
    >>> parse = Parse(tokens, (2, 2, -1, 2), ("nsubj", "advmod", "ROOT", "punct"), ("PRON", "ADV", "VERB", "PUNCT"),
    ...               ("PRP", "RB", "VBD", "."), ("they", "therefore", "leave", "."))
    >>> [split.front[0].text for split in linking_adverbs(parse)]
    ['So']
    """
    openings = pairs("linking_adverbs")
    places = [position for position, token in enumerate(parse.tokens) if token.lower() in openings]
    if len(places) != 1 or not _is_plain(parse) or not _links(parse, places[0]):
        return
    place = places[0]
    opening = openings[parse.tokens[place].lower()]
    if opening.lower() not in [token.lower() for token in parse.tokens]:
        yield Split(
            SplitKind.LINK,
            (place,),
            (),
            (),
            changes=((0, natural(parse, 0).text),),
            kept_commas=_kept_commas(parse, place),
            front=(Token(opening),),
        )


def _is_plain(parse: Parse) -> bool:
    """Returns whether a sentence is a single statement or question without quotations and insertions."""
    marks = {token for token in parse.tokens[:-1] if mark_kind(token) is not None}
    is_sure_name = parse.tags[0] != "NN" or parse.labels[0] != "nsubj"  # parsers take rare names for nouns
    is_whole = _asks(parse) or (parse.tokens[-1] == "." and parse.tags[0] not in _QUESTION_START)
    begins = parse.tags[0] not in _NO_START and is_sure_name
    return len(parse.roots) == 1 and is_whole and marks <= {","} and begins


def _asks(parse: Parse) -> bool:
    return parse.tokens[-1] == "?"


def _links(parse: Parse, place: int) -> bool:
    """Returns whether an adverb modifies the main verb, between the beginning and the rest of its statement."""
    verb = parse.heads[place]
    if place == 0 or verb not in parse.roots or parse.tags[place] != "RB" or parse.labels[place] != "advmod":
        return False
    noun = subject(parse, verb)
    if noun is None or finite_word(parse, verb) is None or subject(parse, verb) == place:
        return False
    before = [below for below in parse.children[verb] if below < place]
    expected = _BEFORE | _ASKED_FOR if _asks(parse) else _BEFORE
    is_single = all(parse.labels[below] in expected or below == place for below in before)
    return is_single and _is_set_off(parse, place)


def _is_set_off(parse: Parse, place: int) -> bool:
    """Returns whether commas enclose an adverb, or none is beside it ("she therefore left")."""
    around = [parse.tokens[place - 1], parse.tokens[place + 1]]
    if around == [",", ","]:
        return place < parse.heads[place] or not _begins_clause(parse, place + 2)
    follows_verb = parse.tags[place - 1] in FINITE or parse.tags[place + 1].startswith(("VB", "MD", "RB"))
    follows_subject = _asks(parse) and _ends_subject(parse, place - 1)
    return "," not in around and (follows_verb or follows_subject)


def _ends_subject(parse: Parse, last: int) -> bool:
    noun = subject(parse, parse.roots[0])
    return noun is not None and parse.subtree(noun)[-1] == last


def _begins_clause(parse: Parse, first: int) -> bool:
    """Returns whether a subject begins here ("he sang, however, the others left")."""
    return any(label in SUBJECTS and parse.subtree(noun)[0] == first for noun, label in enumerate(parse.labels))


def _kept_commas(parse: Parse, place: int) -> tuple[int, ...]:
    """Returns the comma behind an adverbial at the beginning ("in May, however, it rained")."""
    verb = parse.heads[place]
    noun = subject(parse, verb)
    begins_question = _asks(parse) and parse.tags[0] in _QUESTION_START | FINITE
    is_fronted = noun is not None and noun > place and not begins_question
    return (place - 1,) if is_fronted and parse.tokens[place - 1] == "," else ()
