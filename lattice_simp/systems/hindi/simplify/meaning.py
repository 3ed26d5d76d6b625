"""Finds the clauses that cannot become sentences: those that would not stand alone or would not say the same.

Without a dependency tree the agents of participles and the objects that they agree with are guesses, so that only the
plainest patterns are split.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import NamedTuple

from lattice_simp.grammars.hindi.verbs import FUTURE, INFINITIVE
from lattice_simp.systems.hindi.clause import ClauseType
from lattice_simp.systems.hindi.sentence import CONJUNCTION, FINITE, NP, PUNCTUATION, VERBS, Sentence, Token
from lattice_simp.systems.hindi.simplify.antecedents import disagrees, is_ambiguous, says_where
from lattice_simp.systems.hindi.simplify.arguments import follows_conjunction, has_ne, is_bare, nominal_chunks
from lattice_simp.systems.hindi.simplify.clause_tree import (
    CONNECTIVE_TAGS,
    Node,
    is_consequence,
    is_joining,
    own_ranges,
    verb_chunk,
)
from lattice_simp.systems.hindi.simplify.tables import (
    connectives,
    joining_connectives,
    relatives,
    reports,
    word_of,
    words_of,
)
from lattice_simp.systems.hindi.simplify.verb_groups import VerbGroup, verb_group

_QUESTION_WORD, _NEGATION, _PARTICLE = "WQ", "NEG", "RP"
_CONDITIONS = ("join_next", "join_previous")


class Context(NamedTuple):
    """The question words of a statement, in order, and the first subordinate clause before others (`first_leading`)."""

    asking: Sequence[int]
    leading: int | None


def asking_words(sentence: Sentence) -> list[int]:
    """Returns the question words of a sentence; none if it is a question."""
    if not sentence.forms.isdisjoint(words_of("question")):
        return []
    return [index for index, token in enumerate(sentence.tokens) if is_asking(token)]


def reason_to_stay(sentence: Sentence, parent: Node, position: int, context: Context) -> str:
    """Returns why a finite clause nested in `parent` stays; "" if the meaning survives a split."""
    node = parent.children[position]
    if not parent.name and node.kind == ClauseType.MAIN and position == 0:
        return ""
    words = _content(sentence, chain.from_iterable(own_ranges(node)))
    if not _states(sentence, node):
        return "no statement"
    if any(_is_condition(sentence, index) for index in words):
        return "a condition, time or comparison"
    asking = bisect_left(context.asking, parent.start)
    if asking < len(context.asking) and context.asking[asking] < node.end:
        return "a question in a statement"
    first = next((index for index in range(node.start, node.end) if sentence.tokens[index].tag != PUNCTUATION), None)
    if first is None:
        return ""
    if node.kind == ClauseType.COMPLEMENT or sentence.tokens[first].form == word_of("complementiser"):
        return _complement(sentence, parent, node)
    if node.kind == ClauseType.RELATIVE or (node.kind is None and sentence.tokens[first].form in relatives()):
        return _relative(sentence, parent, position)
    if any(sentence.tokens[index].form in relatives() for index in (first, *words)):
        return "a relative pronoun"
    return _coordinate(sentence, parent, position, context.leading)


def is_asking(token: Token) -> bool:
    """Returns whether a token is a question word, by its tag or its form."""
    return token.tag == _QUESTION_WORD or token.form in words_of("interrogative")


def _content(sentence: Sentence, tokens: Iterable[int]) -> list[int]:
    """Returns the tokens other than punctuation."""
    return [index for index in tokens if sentence.tokens[index].tag != PUNCTUATION]


def _states(sentence: Sentence, node: Node) -> bool:
    """Returns whether the finite verbs of a clause and of those coordinated in it are in the indicative."""
    waiting = [node]
    while waiting:
        clause = waiting.pop()
        ranges = [tokens for tokens in own_ranges(clause) if tokens]
        positions = set(chain.from_iterable(ranges))
        for chunk in chain.from_iterable(sentence.chunks_between(tokens.start, tokens.stop) for tokens in ranges):
            group = verb_group(sentence, chunk) if sentence.chunks[chunk].tag == FINITE else None
            if group is not None and positions.issuperset(group.positions) and not group.is_statement:
                return False
        waiting += (child for child in clause.children if child.kind == ClauseType.COORDINATE)
    return True


def _is_condition(sentence: Sentence, index: int) -> bool:
    """Returns whether a token makes its clause a condition or the like, wherever it stands in it."""
    token = sentence.tokens[index]
    return token.tag in CONNECTIVE_TAGS and connectives().get(token.form) in _CONDITIONS


def _complement(sentence: Sentence, parent: Node, node: Node) -> str:
    """Returns why a complement stays: it does not report speech, or its speaker is omitted."""
    before = [index for tokens in own_ranges(parent) for index in tokens if index < node.start]
    while before and is_joining(sentence, before[-1]):
        before = before[:-1]
    words = _content(sentence, before)
    chunk = sentence.chunk_of[words[-1]] if words and sentence.chunks else None
    group = verb_group(sentence, chunk)
    if chunk is None or group is None or sentence.chunks[chunk].tag != FINITE:
        return "what is said stands first"
    if not is_report(sentence, group, words):
        return "no verb of saying"
    forms = [sentence.tokens[index].form for index in words]
    if not set(words_of("correlative")).isdisjoint(forms):
        return "a correlative word"
    if forms[0] in words_of("example"):
        return "a comparison"
    if any(is_asking(sentence.tokens[index]) for index in (*words, *range(node.start, node.end))):
        return "a question"
    is_marked = sentence.tokens[node.start].form == word_of("complementiser") or is_joining(sentence, node.start - 1)
    return "" if is_marked and _has_speaker(sentence, group, words) else "nobody says it"


def is_report(sentence: Sentence, group: VerbGroup, words: Sequence[int]) -> bool:
    """Returns whether a verb group states that something is said."""
    before = [index for index in words if index < group.positions[0] and sentence.tokens[index].tag != _PARTICLE]
    noun = sentence.tokens[before[-1]].form if before else ""
    states = group.is_statement and not (group.is_modal or group.verbs[0].tam == INFINITIVE)
    negated = group.negated or any(sentence.tokens[index].tag == _NEGATION for index in before[-2:])
    future = any(verb.tam == FUTURE for verb in group.verbs)
    return states and not negated and not future and not reports().isdisjoint([(group.root, ""), (group.root, noun)])


def _has_speaker(sentence: Sentence, group: VerbGroup, words: Sequence[int]) -> bool:
    """Returns whether a clause says who says something, by `ne`, a bare noun or `kaa` before `kahnaa`, or where."""
    verb = group.positions[0]
    phrases = [phrase for phrase in nominal_chunks(sentence, words) if sentence.chunks[phrase].end <= verb]
    if group.root in words_of("be"):
        return any(sentence.tokens[index].form in words_of("genitive") for index in words)
    if group.is_passive:
        return group.is_perfective and any(
            word_of("locative") in sentence.postpositions(sentence.chunks[phrase]) for phrase in phrases
        )
    if group.takes_agent_with_ne:
        return any(has_ne(sentence, phrase) for phrase in phrases)
    return any(is_bare(sentence, phrase) for phrase in phrases)


def _relative(sentence: Sentence, parent: Node, position: int) -> str:
    """Returns why a relative clause stays: it says which one is meant, or comes before it."""
    node = parent.children[position]
    words = _content(sentence, range(node.start, node.end))
    pronoun, following = words[0], sentence.tokens[words[1]] if len(words) > 1 else None
    if sentence.tokens[pronoun].form not in relatives() or following is None:
        return "no pronoun that a demonstrative can replace"
    if following.tag in (CONJUNCTION, _PARTICLE) or (
        sentence.tokens[pronoun].form in words_of("bare_relative") and following.tag not in ("PSP", "NST")
    ):
        return "an indefinite relative clause or one with its noun"
    if any(sentence.tokens[index].form in relatives() for index in words[1:]) or _has_others(parent, node):
        return "several relative clauses"
    return _restriction(sentence, parent, position)


def _has_others(parent: Node, node: Node) -> bool:
    """Returns whether a clause has further relative clauses, to whose sentences a pronoun might refer."""
    return bool(parent.name) and any(
        child.kind == ClauseType.RELATIVE and child is not node for child in parent.children
    )


def _restriction(sentence: Sentence, parent: Node, position: int) -> str:
    """Returns why a relative clause is needed to identify its noun."""
    node = parent.children[position]
    previous = parent.children[position - 1].start if position and not parent.name else parent.start
    before = _content(sentence, range(previous, node.start))
    after = next((index for index in range(node.end, parent.end) if not is_joining(sentence, index)), None)
    if not before:
        return "a relative clause before what it describes"
    if not parent.name and position and _content(sentence, range(parent.children[position - 1].end, node.start)):
        return "what it describes has no verb"
    inside = _inside_before(parent, position)
    main = [index for index in before if index not in inside]
    if parent.name and verb_chunk(sentence, list(chain.from_iterable(own_ranges(parent)))) is None:
        return "what it describes has no verb"
    described = [sentence.tokens[index] for index in main]
    forms = {token.form for token in described}
    if not forms.isdisjoint((*words_of("correlative"), *words_of("demonstrative"), *words_of("any"))):
        return "a relative clause that says which one"
    if not (forms.isdisjoint(words_of("superlative")) or is_joining(sentence, node.start - 1)):
        return "a relative clause that says which one"
    if any(token.tag in (_NEGATION, _QUESTION_WORD) for token in described):
        return "a relative clause of a negation or question"
    if after is not None and (reason := _inside_main(sentence, node, before[-1], after)):
        return reason
    clause = _content(sentence, range(node.start, node.end))
    if sentence.tokens[clause[0]].form in words_of("singular_relative") and _is_plural(sentence, before[-1]):
        return "a pronoun in another number than the noun before it"
    if disagrees(sentence, main, clause):
        return "a pronoun in another number than the verb before it"
    if not is_joining(sentence, node.start - 1) and says_where(sentence, main, clause):
        return "a relative clause that says which one"
    if after is None and is_ambiguous(sentence, main, clause):
        return "a pronoun that may stand for several nouns"
    return ""


def _inside_main(sentence: Sentence, node: Node, last: int, following: int) -> str:
    """Returns why a relative clause between two tokens of its main clause stays."""
    if not is_joining(sentence, node.start - 1) and sentence.tokens[last].tag != "NNP":
        return "a relative clause that says which one"
    if sentence.tokens[following].tag == "PRP" or sentence.tokens[following].form in words_of("demonstrative"):
        return "a relative clause taken up again"
    return "" if _is_subject(sentence, last, following) else "a relative clause that does not describe the subject"


def _is_subject(sentence: Sentence, last: int, following: int) -> bool:
    """Returns whether the noun before a relative clause may be the subject: a case marker would be on either side."""
    marker = sentence.tokens[following]
    return sentence.tokens[last].tag != "PSP" and (marker.tag != "PSP" or marker.form == word_of("ergative"))


def _is_plural(sentence: Sentence, last: int) -> bool:
    """Returns whether the last noun phrase up to a token is in the plural, or joined to the one before it."""
    before = reversed(range(sentence.chunk_of[last] + 1))
    phrase = next((position for position in before if sentence.chunks[position].tag == NP), None)
    if phrase is None:
        return False
    return follows_conjunction(sentence, phrase) or sentence.head_of(sentence.chunks[phrase]).number == "pl"


def _inside_before(parent: Node, position: int) -> set[int]:
    """Returns the tokens of a named clause's nested clauses before a position."""
    if not parent.name:
        return set()
    return {index for child in parent.children[:position] for index in range(child.start, child.end)}


def _coordinate(sentence: Sentence, parent: Node, position: int, leading: int | None) -> str:
    """Returns why a coordinate or adverbial clause stays."""
    node = parent.children[position]
    if node.kind == ClauseType.ADVERBIAL and (reason := _adverbial(sentence, parent, node)):
        return reason
    links = _links(sentence, parent, position)
    if not joining_connectives().isdisjoint(sentence.tokens[index].form for index in links):
        return "a conjunction that needs both clauses"
    is_last = position + 1 == len(parent.children)
    if leading is not None and leading < position + (not is_last):
        return "a subordinate clause may belong to the next one"
    start = _content(sentence, range(node.start, node.end))[:1]
    if any(sentence.tokens[index].form in words_of("pair") for index in (*links, *start)):
        return "one of a pair"
    if position and node.kind != ClauseType.ADVERBIAL:
        return _after(sentence, parent.children[position - 1], node, is_linked=bool(links))
    return ""


def _adverbial(sentence: Sentence, parent: Node, node: Node) -> str:
    """Returns why an adverbial clause stays."""
    first = next(index for index in range(node.start, node.end) if sentence.tokens[index].tag != PUNCTUATION)
    before = [index for index in range(parent.start, node.start) if not is_joining(sentence, index)]
    if not before or connectives().get(sentence.tokens[first].form) != "keep":
        return "an adverbial clause without a conjunction, or before its main clause"
    if any(sentence.tokens[index].form in words_of("correlative") for index in before):
        return "a correlative word"
    return "the clause around it is subordinate" if _leads_on(sentence, range(parent.start, node.start)) else ""


def _after(sentence: Sentence, previous: Node, node: Node, *, is_linked: bool) -> str:
    """Returns why a coordinate clause stays with the one before it."""
    ending = [at for at in range(previous.start, previous.end) if not is_joining(sentence, at)][-1:]
    if not any(sentence.tokens[at].tag in (*VERBS, _NEGATION, _PARTICLE) for at in ending):
        return "no verb at the end of the clause before it"
    if not is_linked and any(sentence.tokens[at].form in relatives() for at in range(previous.start, previous.end)):
        return "a relative clause may belong to the next one"
    if not is_linked and _thinks(sentence, previous):
        return "what somebody thinks or asks"
    gap = range(previous.end - 1, node.start + 1)
    marks = (sentence.tokens[index] for index in gap if is_joining(sentence, index))
    is_apart = any(mark.tag != PUNCTUATION or mark.form in words_of("separator") for mark in marks)
    if not is_apart and not is_consequence(sentence.tokens[_content(sentence, range(node.start, node.end))[0]]):
        return "no conjunction or mark before it"
    return ""


def _thinks(sentence: Sentence, node: Node) -> bool:
    """Returns whether a clause ends with a verb of thinking or asking, whose complement may be the next clause."""
    ending = [index for index in range(node.start, node.end) if not is_joining(sentence, index)][-1]
    group = verb_group(sentence, sentence.chunk_of[ending] if sentence.chunks else None)
    return group is not None and group.root in words_of("thinking")


def first_leading(sentence: Sentence, parent: Node) -> int | None:
    """Returns the first subordinate clause before others, other than one that only `and` joins to the last one."""
    *others, last = range(len(parent.children))
    for position in others:
        gap = range(parent.children[position].end, parent.children[position + 1].start)
        is_joined = position + 1 == last and any(sentence.tokens[index].tag == CONJUNCTION for index in gap)
        if not is_joined and _is_subordinate(sentence, parent, position):
            return position
    return None


def _is_subordinate(sentence: Sentence, parent: Node, position: int) -> bool:
    """Returns whether a clause begins with a word such as `although`, and no comma, which would make it `however`."""
    node = parent.children[position]
    start = parent.children[position - 1].end if position else parent.start
    return _leads_on(sentence, range(max(start, node.start - 1), node.end))


def _leads_on(sentence: Sentence, tokens: range) -> bool:
    for index in _content(sentence, tokens):
        if sentence.tokens[index].form in words_of("subordinator"):
            return sentence.tokens[index + 1].tag != PUNCTUATION
        if sentence.tokens[index].tag != CONJUNCTION:
            return False
    return False


def _links(sentence: Sentence, parent: Node, position: int) -> list[int]:
    """Returns the conjunctions between a clause and its neighbours, at the start of either."""
    node = parent.children[position]
    start = parent.children[position - 1].end if position else parent.start
    spans = [range(start, min(node.start + 1, node.end))]
    if position + 1 < len(parent.children):
        spans.append(range(node.end, parent.children[position + 1].start + 1))
    else:
        spans.append(range(node.end, min(node.end + 1, parent.end)))
    return [index for span in spans for index in span if sentence.tokens[index].tag in (CONJUNCTION, _PARTICLE)]


def may_be_said(sentence: Sentence, parent: Node, position: int) -> bool:
    """Returns whether a clause may still belong to the kept complement that ends the one before it."""
    previous, node = parent.children[position - 1], parent.children[position]
    return (
        any(
            clause.is_kept and clause.end >= previous.end and _begins_complement(sentence, clause)
            for clause in previous.walk()
            if clause is not previous
        )
        and node.kind == ClauseType.COORDINATE
    )


def _begins_complement(sentence: Sentence, node: Node) -> bool:
    return node.kind == ClauseType.COMPLEMENT or sentence.tokens[node.start].form == word_of("complementiser")
