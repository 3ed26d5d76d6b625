"""Reports move before their statements: "It rained, said Ann Lee" becomes "Ann Lee said that it rained".

So do reports whose verb precedes its subject behind a quotation: '"It rained," said Ann Lee' becomes 'Ann Lee said: "It
rained."'.
`According to` becomes a verb: "According to Ann Lee, it rained" becomes "Ann Lee says that it rained".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lattice_simp.grammars.english.lexicon import word_group, word_set
from lattice_simp.systems.simplify.clauses import auxiliaries, child, finite_word, pairs, subject
from lattice_simp.systems.simplify.inflection import inflected
from lattice_simp.systems.simplify.noun_phrase import is_plural, natural
from lattice_simp.systems.simplify.sentence import DASHES, Token
from lattice_simp.systems.simplify.split import Split, SplitKind
from lattice_simp.text.english.parse import Parse
from lattice_simp.text.english.punctuation import mark_kind, mark_pairs

LONGEST_SPEAKER, LONGEST_TIME = 10, 6
"""The most words that name a speaker, and that follow speaker and verb."""


_NO_START = frozenset({"CC", "LS", "UH", "WRB", "WP", "WDT", "VB", "MD", "WP$"})
"""Tags of first words of what is no plain statement."""

_TIMES = frozenset({"npadvmod", "prep", "advmod", "punct"})
_MARKS = DASHES | {":", ";", "...", "…", "?", "!", "(", "["}
_CLAUSES = frozenset({"relcl", "appos", "punct", "advcl", "ccomp"})


def fronted_reports(parse: Parse) -> Iterator[Split]:
    """Yields the report of a sentence as one that precedes its statement.

    >>> tokens = tuple("It rained , said Ann Lee .".split())
    >>> labels = ("nsubj", "ccomp", "punct", "ROOT", "compound", "nsubj", "punct")
    >>> tags = ("PRP", "VBD", ",", "VBD", "NNP", "NNP", ".")
    >>> parts = ("PRON", "VERB", "PUNCT", "VERB", "PROPN", "PROPN", "PUNCT")
    >>> lemmas = ("it", "rain", ",", "say", "Ann", "Lee", ".")
    >>> parse = Parse(tokens, (1, 3, 3, -1, 5, 3, 3), labels, parts, tags, lemmas)
    >>> [" ".join(token.text for token in split.front) for split in fronted_reports(parse)]
    ['Ann Lee said that']
    """
    quotations = [pair for pair in mark_pairs(parse.tokens) if mark_kind(parse.tokens[pair[0]]) == "quote"]
    quoted = {position for first, last in quotations for position in range(first, last + 1)}
    plain = [token for position, token in enumerate(parse.tokens) if position not in quoted]
    is_plain = parse.tokens[-1] == "." and _MARKS.isdisjoint(plain) and len(parse.roots) == 1
    if not is_plain or any(mark_kind(token) == "quote" for token in plain):
        return
    if quotations:
        if len(quotations) == 1 and quotations[0][0] == 0:
            yield from _quoted(parse, parse.roots[0], quotations[0][1])
        return
    lowered = [token.lower() for token in parse.tokens]
    if "according" in lowered:
        yield from _according(parse, lowered.index("according"))
    else:
        yield from _said(parse, parse.roots[0])


def _said(parse: Parse, verb: int) -> Iterator[Split]:
    """Yields the report that ends a sentence."""
    noun, statement = subject(parse, verb), child(parse, verb, {"ccomp"})
    if noun is None or statement is None or parse.lemmas[verb].lower() not in word_set("saying_verbs"):
        return
    comma = max(parse.subtree(statement)) + 1
    if (
        parse.tokens[comma : comma + 1] != (",",)
        or not _is_statement(parse, statement, comma)
        or auxiliaries(parse, verb)
    ):
        return
    speaker, report = parse.subtree(noun), range(comma + 1, len(parse) - 1)
    after = [position for position in report if position not in speaker and position != verb]
    if not _refers_to_name(parse, speaker, comma) and _is_report(parse, verb, speaker, after, report):
        words = (*speaker, verb, *after)
        front = (*(natural(parse, position, copied=False) for position in words), Token("that"))
        yield _fronted(parse, tuple(report), (comma,), front)


def _refers_to_name(parse: Parse, speaker: Sequence[int], comma: int) -> bool:
    """Returns whether the owner of a speaker may be named in the statement ("Ann is ill, her lawyer said")."""
    has_owner = any(parse.tags[position] == "PRP$" for position in speaker)
    return has_owner and any(parse.parts[position] == "PROPN" for position in range(comma))


def _quoted(parse: Parse, verb: int, last: int) -> Iterator[Split]:
    """Yields the report behind a quotation that ends at `last`, if its verb precedes its subject."""
    noun = subject(parse, verb)
    is_inverted = verb == last + 1 and noun is not None and noun > verb and not auxiliaries(parse, verb)
    if not is_inverted or noun is None or parse.lemmas[verb].lower() not in word_set("saying_verbs"):
        return
    speaker, report = parse.subtree(noun), range(verb, len(parse) - 1)
    after = [position for position in report if position not in speaker and position != verb]
    if parse.tokens[last - 1] in (",", "!", "?") and _is_report(parse, verb, speaker, after, report):
        front = (*(natural(parse, position, copied=False) for position in (*speaker, verb, *after)), Token(":"))
        changes = ((last - 1, "."),) if parse.tokens[last - 1] == "," else ()
        yield Split(SplitKind.REPORT, (*report, len(parse) - 1), (), (), changes=changes, front=front)


def _fronted(parse: Parse, clause: tuple[int, ...], dropped: tuple[int, ...], front: tuple[Token, ...]) -> Split:
    changes = ((0, natural(parse, 0).text),) if 0 not in (*clause, *dropped) else ()
    return Split(SplitKind.REPORT, clause, dropped, (), changes=changes, front=front)


def _is_statement(parse: Parse, verb: int, comma: int) -> bool:
    """Returns whether the words before a comma are one statement without direct speech."""
    words = {token.lower() for token in parse.tokens[:comma]}
    first = parse.tokens[0]
    is_listed = first[-1] in ".)" or first.lower() == "that"  # "A. He sang", "said that that is"
    begins = parse.tags[0] not in _NO_START and parse.tokens[1] != "," and not is_listed
    joined = child(parse, verb, {"conj"})
    is_single = joined is None or subject(parse, joined) is None
    is_finite = finite_word(parse, verb) is not None and subject(parse, verb) is not None
    return parse.subtree(verb)[0] == 0 and begins and is_single and is_finite and words.isdisjoint(word_group("speech"))


def _is_report(parse: Parse, verb: int, speaker: Sequence[int], after: Sequence[int], report: range) -> bool:
    """Returns whether the words of a report are a short speaker, the verb, and a time."""
    below = [position for position in parse.children[verb] if position in after]
    is_time = all(parse.labels[position] in _TIMES and position > verb for position in below)
    is_whole = set(speaker) <= set(report) and speaker[-1] - speaker[0] + 1 == len(speaker) <= LONGEST_SPEAKER
    has_clause = any(
        parse.tags[position] in ("VBG", "VBN", "IN") and parse.labels[position] != "prep" for position in after
    )
    is_short = len(after) <= LONGEST_TIME and "," not in [parse.tokens[position] for position in report]
    return is_whole and is_time and is_short and not has_clause


def _according(parse: Parse, first: int) -> Iterator[Split]:
    """Yields the report of `according to` at the beginning or the end of a sentence."""
    verb, noun = parse.roots[0], child(parse, min(first + 1, len(parse) - 1), {"pobj"})
    is_clause = finite_word(parse, verb) is not None and subject(parse, verb) is not None
    if noun is None or not is_clause or verb in parse.subtree(noun) or not _is_source(parse, noun):
        return
    source = parse.subtree(noun)
    after = source[-1] + 1
    is_whole = source == tuple(range(first + 2, after))
    if first == 0 and parse.tokens[after : after + 1] == (",",) and _begins_statement(parse, after + 1):
        dropped = (0, 1, after)
    elif first > 1 and after == len(parse) - 1 and parse.tokens[first - 1] == "," and _is_statement(parse, verb, first):
        dropped = (first - 1, first, first + 1)
    else:
        return
    if is_whole:
        yield _fronted(parse, source, dropped, (*_as_subject(parse, source), _verb(parse, noun), Token("that")))


def _as_subject(parse: Parse, source: Sequence[int]) -> tuple[Token, ...]:
    """Returns the words of a source, with a pronoun in the form of a subject ("according to her": she)."""
    if len(source) == 1 and parse.tags[source[0]] == "PRP":
        return (Token(pairs("subject_pronouns")[parse.tokens[source[0]].lower()], source[0]),)
    return tuple(natural(parse, position, copied=False) for position in source)


def _verb(parse: Parse, noun: int) -> Token:
    """Returns what a source does: it says something, or shows it."""
    verb = "show" if parse.lemmas[noun].lower() in word_set("evidence") else "say"
    return Token(inflected(verb, "VBP" if is_plural(parse, noun) else "VBZ"))


def _begins_statement(parse: Parse, first: int) -> bool:
    """Returns whether a statement begins with a word, its subject or an adverbial."""
    noun = subject(parse, parse.roots[0])
    phrase = () if noun is None else parse.subtree(noun)
    is_subject = first in phrase[:1] and "," not in [parse.tokens[position] for position in phrase]
    return is_subject or (parse.tags[first] == "IN" and parse.tokens[first + 1] != ",")


def _is_source(parse: Parse, noun: int) -> bool:
    """Returns whether a noun phrase briefly names who or what can say or show something."""
    source, known = parse.subtree(noun), word_set("sources") | word_set("evidence")
    is_plain = all(parse.labels[position] not in _CLAUSES for position in source) and len(source) <= LONGEST_SPEAKER
    is_joined = any(parse.labels[position] in ("conj", "cc") for position in source)
    is_name = parse.parts[noun] == "PROPN" and parse.tokens[noun][:1].isupper()
    is_person = len(source) == 1 and parse.tokens[noun].lower() in word_group("persons")
    has_owner = any(parse.tags[position] == "PRP$" for position in source)  # "its report says that the firm"
    return (
        is_plain and not is_joined and not has_owner and (is_name or is_person or parse.lemmas[noun].lower() in known)
    )
