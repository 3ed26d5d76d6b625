"""Which clauses stay together, since apart they would say something else: conditions, alternatives, attributes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lattice_simp.hindi.clause import ClauseType
from lattice_simp.hindi.sentence import NON_FINITE, Sentence
from lattice_simp.hindi.simplify.clause_tree import Node, is_joining, is_participial, items, tokens_of, verb_chunk
from lattice_simp.hindi.simplify.complexity import CONJUNCTION
from lattice_simp.hindi.simplify.tables import Action, connectives, kept_participles, relatives
from lattice_simp.hindi.simplify.verb_features import CONJUNCTIVE, IMPERFECTIVE, ROOT
from lattice_simp.hindi.simplify.verb_groups import verb_group
from lattice_simp.hindi.simplify.words import Role, words_of


def keep_together(sentence: Sentence, root: Node, refused: dict[str, str]) -> dict[str, str]:
    """Marks clauses that are not split off.

    Args:
        sentence: in Devanagari.
        root: of its clauses; changed.
        refused: splits that cannot be made, with reasons.

    Returns:
        The reason for each clause that stays.
    """
    reasons = {}
    for parent in root.walk():
        for place, node in enumerate(parent.children):
            reason, side = _reason(sentence, parent, place)
            if node.name in refused:
                reason = refused[node.name]
            if reason:
                node.is_kept, node.side = True, side
                reasons[node.name] = reason
    for parent in root.walk():
        reasons |= dict(_neighbours(sentence, parent))
        reasons |= dict(_participles_of_conditions(sentence, parent))
    return reasons


def _reason(sentence: Sentence, parent: Node, place: int) -> tuple[str, int]:
    """Says why a clause stays, and with which neighbour; "" if it may go."""
    node = parent.children[place]
    if is_participial(sentence, node) or node.kind == ClauseType.NON_FINITE:
        return _participle_reason(sentence, node), 1
    action, side = _joining_action(sentence, parent, place)
    if action:
        return action, side
    own = tokens_of(items(node))
    if any(sentence.tokens[at].form in words_of(Role.CONCESSION) for at in own):
        return "a concession", 1
    if node.kind == ClauseType.RELATIVE and _is_indefinite(sentence, own):
        return "an indefinite relative clause", 1
    return "", 1


def _is_indefinite(sentence: Sentence, own: Sequence[int]) -> bool:
    """Whether a relative clause begins like `jo bhii`."""
    forms = [sentence.tokens[at].form for at in own[:3]]
    return bool(forms) and forms[0] in relatives() and not set(words_of(Role.INDEFINITE)).isdisjoint(forms[1:])


def _joining_action(sentence: Sentence, parent: Node, place: int) -> tuple[str, int]:
    """Looks at a clause's first words, and at the words between it and its neighbours."""
    node = parent.children[place]
    first = range(node.start, min(node.end, node.start + 2))
    before = _between(parent, place - 1) if place else list(range(parent.start, node.start))
    behind = _between(parent, place) if place + 1 < len(parent.children) else []
    for at in [*before[-2:], *first]:
        token = sentence.tokens[at]
        action = connectives().get(token.form)
        if token.tag not in ("CC", "PRP", "RB", "NST", "RP") or (at in before and token.tag != "CC"):
            continue
        if action == Action.JOIN_NEXT or (action == Action.JOIN_ADVERBIAL and node.kind == ClauseType.ADVERBIAL):
            return f"{token.form}: a condition or comparison", 1
        if action == Action.JOIN_PREVIOUS:
            return f"{token.form}: a purpose or comparison", -1
        if action == Action.JOIN_BOTH:
            return f"{token.form}: alternatives", -1
    for at in behind:
        form = sentence.tokens[at].form
        if sentence.tokens[at].tag != CONJUNCTION:
            continue
        if connectives().get(form) == Action.JOIN_BOTH:
            return f"{form}: alternatives", 1
        if form in words_of(Role.CONDITION) and node.kind == ClauseType.ADVERBIAL:
            return f"{form}: a condition", 1
    return "", 1


def _between(parent: Node, place: int) -> list[int]:
    """The tokens between a child and the next one."""
    return list(range(parent.children[place].end, parent.children[place + 1].start))


def _participle_reason(sentence: Sentence, node: Node) -> str:
    own = tokens_of(items(node))
    chunk = verb_chunk(sentence, own, NON_FINITE)
    group = None if chunk is None else verb_group(sentence, chunk)
    if chunk is None or group is None:
        return "no participle"
    if sentence.chunks[chunk].relation.startswith("nmod"):
        return "a participle that describes a noun"
    tokens = [sentence.tokens[at] for at in range(sentence.chunks[chunk].start, sentence.chunks[chunk].end)]
    # `utthaa`, `kar`: the conjunctive without its ending.
    conjunctive = group.verbs[-1].tam in (CONJUNCTIVE, ROOT)
    # `-te hue`: at the same time; `-ta huaa` describes a noun, and `-te hii` says when.
    second = group.verbs[1].form if len(group.verbs) == 2 else ""
    simultaneous = group.verbs[0].tam == IMPERFECTIVE and second in words_of(Role.SIMULTANEOUS)
    if not (conjunctive or simultaneous):
        return "a participle that is no action of its own"
    if any(token.tag in ("RP", "NEG") for token in tokens):
        return "a participle with a particle"
    if any(token.tag in ("SYM", "VMC") for token in tokens):
        return "a participle of several verbs"
    if node.end < len(sentence) and sentence.tokens[node.end].tag == "RP":
        return "a participle with a particle"
    before = [at for at in own if at < group.places[0]]
    if not any(not is_joining(sentence, at) for at in before):
        return "a participle without arguments: an adverb"
    previous = sentence.tokens[before[-1]].form
    forms = {(group.verbs[0].form, previous), (group.verbs[0].form, "")}
    return "a participle used as a postposition or adverb" if forms & kept_participles() else ""


def _participles_of_conditions(sentence: Sentence, parent: Node) -> Iterator[tuple[str, str]]:
    """Participles stay where a condition does: what they tell holds under it."""
    conditional = any(node.is_kept and node.kind == ClauseType.ADVERBIAL for node in parent.children)
    for node in parent.children:
        if conditional and not node.is_kept and is_participial(sentence, node):
            node.is_kept = True
            yield node.name, "holds under a condition"


def _neighbours(sentence: Sentence, parent: Node) -> Iterator[tuple[str, str]]:
    """Where the clause around has no verb, a kept clause takes its neighbour along, so that the two stay together."""
    if (
        verb_chunk(sentence, tokens_of([at for at in range(parent.start, parent.end) if not _inside(parent, at)]))
        is not None
    ):
        return
    for place, node in enumerate(parent.children):
        if node.is_kept and not is_participial(sentence, node):
            other = place + node.side
            if not 0 <= other < len(parent.children):
                other = place - node.side
            if 0 <= other < len(parent.children) and not parent.children[other].is_kept:
                parent.children[other].is_kept = True
                parent.children[other].side = place - other
                yield parent.children[other].name, "stays with its neighbour"


def _inside(parent: Node, place: int) -> bool:
    return any(child.start <= place < child.end for child in parent.children)
