"""Marks the clauses that stay together instead of becoming sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from lattice_simp.grammars.hindi.verbs import CONJUNCTIVE, IMPERFECTIVE, ROOT
from lattice_simp.systems.hindi.clause import ClauseType
from lattice_simp.systems.hindi.sentence import CONJUNCTION, NON_FINITE, PUNCTUATION, Sentence
from lattice_simp.systems.hindi.simplify.clause_tree import (
    CONNECTIVE_TAGS,
    Node,
    is_joining,
    is_participial,
    items,
    own_ranges,
    tokens_of,
    verb_chunk,
)
from lattice_simp.systems.hindi.simplify.meaning import (
    Context,
    asking_words,
    first_leading,
    may_be_said,
    reason_to_stay,
)
from lattice_simp.systems.hindi.simplify.tables import connectives, kept_participles, relatives, word_of, words_of
from lattice_simp.systems.hindi.simplify.verb_groups import verb_group


def keep_together(
    sentence: Sentence, root: Node, refused: dict[str, str], *, every_clause: bool = False
) -> dict[str, str]:
    """Marks the clauses that are not split off, including refused splits; returns the reason for each."""
    reasons = {}
    asking = asking_words(sentence)
    for parent in root.walk():
        context = Context(asking, first_leading(sentence, parent)) if parent.children else Context(asking, None)
        for position, node in enumerate(parent.children):
            reason, side = _reason(sentence, parent, position)
            if not (reason or every_clause or _is_participle(sentence, node)):
                reason, side = reason_to_stay(sentence, parent, position, context), -1
            if not (reason or every_clause) and _is_participle(sentence, node) and _has_finite(sentence, node):
                reason = "a participle with a clause"
            if node.name in refused:
                reason = refused[node.name]
            if reason:
                node.is_kept, node.side = True, side
                reasons[node.name] = reason
    if not every_clause:
        reasons |= dict(_followers(sentence, root)) | dict(_nested(sentence, root))
    for parent in root.walk():
        reasons |= dict(_neighbours(sentence, parent))
        reasons |= dict(_participles_of_conditions(sentence, parent))
    return reasons | ({} if every_clause else dict(_nested(sentence, root)))


def _is_participle(sentence: Sentence, node: Node) -> bool:
    return is_participial(sentence, node) or node.kind == ClauseType.NON_FINITE


def _has_finite(sentence: Sentence, node: Node) -> bool:
    return verb_chunk(sentence, range(node.start, node.end)) is not None


def _followers(sentence: Sentence, root: Node) -> Iterator[tuple[str, str]]:
    """Keeps and yields the clauses that may belong to a kept complement before them."""
    for parent in root.walk():
        for position in range(1, len(parent.children)):
            node = parent.children[position]
            if not node.is_kept and may_be_said(sentence, parent, position):
                node.is_kept, node.side = True, -1
                yield node.name, "may belong to the complement before it"


def _nested(sentence: Sentence, root: Node) -> Iterator[tuple[str, str]]:
    """Keeps and yields the clauses inside kept finite clauses."""
    waiting = [(root, False)]
    while waiting:
        node, is_inside = waiting.pop()
        if is_inside and not node.is_kept:
            node.is_kept = True
            yield node.name, "part of a clause that stays"
        is_inside = is_inside or (node.is_kept and not _is_participle(sentence, node))
        waiting += ((child, is_inside) for child in reversed(node.children))


def _reason(sentence: Sentence, parent: Node, position: int) -> tuple[str, int]:
    """Returns why a clause stays and with which neighbour; the reason is "" if it can be split off."""
    node = parent.children[position]
    if _is_participle(sentence, node):
        return _participle_reason(sentence, node), 1
    action, side = _joining_action(sentence, parent, position)
    if action:
        return action, side
    tokens = tokens_of(items(node))
    if any(sentence.tokens[index].form in words_of("concession") for index in tokens):
        return "a concession", 1
    if node.kind == ClauseType.RELATIVE and _is_indefinite(sentence, tokens):
        return "an indefinite relative clause", 1
    return "", 1


def _is_indefinite(sentence: Sentence, tokens: Sequence[int]) -> bool:
    """Returns whether a relative clause begins with words such as `jo bhii`."""
    forms = [sentence.tokens[position].form for position in tokens[:3]]
    return bool(forms) and forms[0] in relatives() and not set(words_of("indefinite")).isdisjoint(forms[1:])


def _joining_action(sentence: Sentence, parent: Node, position: int) -> tuple[str, int]:
    """Returns why the words at a clause's start or between clauses keep it, and the neighbour."""
    node = parent.children[position]
    first = range(node.start, min(node.end, node.start + 2))
    before = _between(parent, position - 1) if position else list(range(parent.start, node.start))
    after = _between(parent, position) if position + 1 < len(parent.children) else []
    for index in [*before[-2:], *first]:
        token = sentence.tokens[index]
        action = connectives().get(token.form)
        if token.tag not in CONNECTIVE_TAGS or (index in before and token.tag != CONJUNCTION):
            continue
        if action == "join_next" or (action == "join_adverbial" and node.kind == ClauseType.ADVERBIAL):
            return f"{token.form}: a condition or comparison", 1
        if action == "join_previous":
            return f"{token.form}: a purpose or comparison", -1
        if action == "join_both":
            return f"{token.form}: alternatives", -1
    for index in after:
        form = sentence.tokens[index].form
        if sentence.tokens[index].tag != CONJUNCTION:
            continue
        if connectives().get(form) == "join_both":
            return f"{form}: alternatives", 1
        if form in words_of("condition") and node.kind == ClauseType.ADVERBIAL:
            return f"{form}: a condition", 1
    return "", 1


def _between(parent: Node, position: int) -> list[int]:
    """Returns the tokens between a child and the next one."""
    return list(range(parent.children[position].end, parent.children[position + 1].start))


def _participle_reason(sentence: Sentence, node: Node) -> str:
    words = tokens_of(items(node))
    chunk = verb_chunk(sentence, words, NON_FINITE)
    group = verb_group(sentence, chunk)
    if chunk is None or group is None:
        return "no participle"
    if sentence.chunks[chunk].relation.startswith("nmod"):
        return "a participle that describes a noun"
    tokens = [sentence.tokens[index] for index in sentence.chunks[chunk].positions]
    # `utthaa`, `kar`: the conjunctive without its ending.
    conjunctive = group.verbs[-1].tam in (CONJUNCTIVE, ROOT)
    # `-te hue`: at the same time; `-ta huaa` describes a noun, and `-te hii` says when.
    second = group.verbs[1].form if len(group.verbs) == 2 else ""
    simultaneous = group.verbs[0].tam == IMPERFECTIVE and second in words_of("simultaneous")
    if not (conjunctive or simultaneous):
        return "a participle that is not a separate action"
    if any(token.tag in ("RP", "NEG") for token in tokens):
        return "a participle with a particle"
    if any(token.tag in (PUNCTUATION, "VMC") for token in tokens):
        return "a participle of several verbs"
    if node.end < len(sentence) and sentence.tokens[node.end].tag == "RP":
        return "a participle with a particle"
    before = [position for position in words if position < group.positions[0] and not is_joining(sentence, position)]
    if not before:
        return "a participle without arguments: an adverb"
    previous = sentence.tokens[before[-1]].form
    repeated = len(group.verbs) > 1 and group.verbs[1].root == group.root
    if previous == group.root or repeated or any(token.tag == "RDP" for token in tokens):
        return "a repeated verb: an adverb"
    # `khul kar` is `khulkar`.
    in_two = len(group.verbs) == 2 and group.verbs[1].form in words_of("conjunctive")
    forms = (group.verbs[0].form, group.root + word_of("conjunctive") if in_two else "")
    if kept_participles().isdisjoint((form, word) for form in forms for word in (previous, "")):
        return ""
    return "a participle used as a postposition or adverb"


def _participles_of_conditions(sentence: Sentence, parent: Node) -> Iterator[tuple[str, str]]:
    """Keeps participles next to a kept condition, which also applies to them."""
    conditional = any(node.is_kept and node.kind == ClauseType.ADVERBIAL for node in parent.children)
    for node in parent.children:
        if conditional and not node.is_kept and is_participial(sentence, node):
            node.is_kept = True
            yield node.name, "holds under a condition"


def _neighbours(sentence: Sentence, parent: Node) -> Iterator[tuple[str, str]]:
    """Keeps and yields the neighbours of kept clauses if the clause around has no verb."""
    if verb_chunk(sentence, list(chain.from_iterable(own_ranges(parent)))) is not None:
        return
    for position, node in enumerate(parent.children):
        if node.is_kept and not is_participial(sentence, node):
            neighbour = position + node.side
            if not 0 <= neighbour < len(parent.children):
                neighbour = position - node.side
            if 0 <= neighbour < len(parent.children) and not parent.children[neighbour].is_kept:
                parent.children[neighbour].is_kept = True
                parent.children[neighbour].side = position - neighbour
                yield parent.children[neighbour].name, "stays with its neighbour"
