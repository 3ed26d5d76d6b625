"""Which words go with a verb: by the dependency tree where there is one, else by chunks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from lattice_simp.grammars.hindi.symbols import classes_of
from lattice_simp.grammars.hindi.verbs import IMPERATIVE, INFINITIVE, POLITE, takes_ne
from lattice_simp.systems.hindi.clause import ClauseType
from lattice_simp.systems.hindi.from_tree import AGENTS
from lattice_simp.systems.hindi.sentence import CONJUNCTION, NON_FINITE, PUNCTUATION, VERBS, Sentence, Token
from lattice_simp.systems.hindi.simplify.model import Part
from lattice_simp.systems.hindi.simplify.nominal_cases import is_agentive, is_dative
from lattice_simp.systems.hindi.simplify.tables import word_of, words_of
from lattice_simp.systems.hindi.simplify.verb_groups import VerbGroup, verb_group

GENITIVE_AGENTS = ("r6-k1", "k1")
OBJECTS = ("k2", "k2p", "k2g")
PREDICATE_NOUN = "pof"
_HEADS = ("NN", "NNP", "NNPC", "NNC", "PRP", "QC", "QF")


def tokens_below(sentence: Sentence, chunk: int) -> set[int]:
    """Returns the tokens of a chunk and of all that depends on it."""
    return {index for one in sentence.subtree(chunk) for index in sentence.chunks[one].positions}


def agent_of(sentence: Sentence, verb: int, tokens: Sequence[int]) -> tuple[int, ...]:
    """Returns the agent of a verb among some tokens; none if it has none there."""
    own = set(tokens)
    if not sentence.has_tree:
        return _agent_by_chunks(sentence, verb, own)
    # An agent that is among a verb's words may hang on one of its participles.
    below = sentence.children[verb]
    participles = [one for one in below if sentence.chunks[one].tag == NON_FINITE]
    for child in [*below, *(other for one in participles for other in sentence.children[one])]:
        chunk = sentence.chunks[child]
        if chunk.relation in AGENTS and chunk.tag == "NP" and not chunk.is_empty:
            if own.issuperset(chunk.positions):
                return _block(sentence, child, own)
        elif chunk.relation in AGENTS and chunk.tag == "CCP" and own.issuperset(tokens_below(sentence, child)):
            joined = tokens_below(sentence, child)
            holds_verb = any(sentence.tokens[position].tag in VERBS for position in joined)
            if joined == set(range(min(joined), max(joined) + 1)) and not holds_verb:
                return tuple(sorted(joined))
    return ()


def _block(sentence: Sentence, chunk: int, own: set[int]) -> tuple[int, ...]:
    """Returns a phrase with what depends on it, as far as it is one piece around the chunk and without a mark in it."""
    found = tokens_below(sentence, chunk) & own
    start, end = sentence.chunks[chunk].start, sentence.chunks[chunk].end
    verbal = {position for one in sentence.chunks if one.is_verbal for position in one.positions}
    while start - 1 in found and start - 1 not in verbal:
        start -= 1
    while end in found:
        end += 1
    block = list(range(start, end))
    while block and sentence.tokens[block[-1]].tag == PUNCTUATION:
        block.pop()
    while block and sentence.tokens[block[0]].tag in (PUNCTUATION, CONJUNCTION):
        block.pop(0)
    return tuple(block)


def _agent_by_chunks(sentence: Sentence, verb: int, own: set[int]) -> tuple[int, ...]:
    """Returns the phrase with `ne`, or else the first one without a postposition, if it is not the object."""
    before = [position for position in nominal_chunks(sentence, own) if position < verb]
    for position in before:
        if has_ne(sentence, position):
            return with_modifiers(sentence, position, own)
    bare = [position for position in before if is_bare(sentence, position) and not _is_joined(sentence, position)]
    bare = [position for position in bare if "adverbial pronoun" not in _classes(sentence, position)]
    bare = [position for position in bare if "time" not in _classes(sentence, position)] or bare
    if not bare:
        return ()
    named = sentence.head_of(sentence.chunks[bare[0]]).tag in ("NNP", "PRP", "NNPC")
    # The only noun of an intransitive verb is its agent, if it is not the place that is right before the verb.
    intransitive = not takes_ne(sentence.head_of(sentence.chunks[verb]).root) and bare[0] == before[0] < verb - 1
    return with_modifiers(sentence, bare[0], own) if named or len(bare) > 1 or intransitive else ()


def _classes(sentence: Sentence, chunk: int) -> frozenset[str]:
    """Returns the grammar's classes of a phrase's head, such as `time`."""
    return classes_of(sentence.head_of(sentence.chunks[chunk]).form)


def _is_joined(sentence: Sentence, chunk: int) -> bool:
    """Returns whether a conjunction joins a phrase to the next one, which then stands for both."""
    return chunk + 1 < len(sentence.chunks) and sentence.chunks[chunk + 1].tag == "CCP"


def nominal_chunks(sentence: Sentence, own: Iterable[int]) -> list[int]:
    """Returns the noun phrases that lie among tokens."""
    tokens = set(own)
    return [
        position
        for position, chunk in enumerate(sentence.chunks)
        if chunk.tag == "NP" and tokens.issuperset(chunk.positions) and not chunk.is_empty
    ]


def has_ne(sentence: Sentence, chunk: int) -> bool:
    """Returns whether a phrase has `ne`."""
    own = sentence.chunks[chunk]
    return word_of("ergative") in sentence.postpositions(own) or is_agentive(sentence.head_of(own))


def is_bare(sentence: Sentence, chunk: int) -> bool:
    """Returns whether a phrase has no case marker."""
    own = sentence.chunks[chunk]
    head = sentence.head_of(own)
    if head.tag not in _HEADS or sentence.postpositions(own):
        return False
    return not (head.tag == "PRP" and (is_agentive(head) or (head.case == "o" and head.vibhakti not in ("", "0"))))


def with_modifiers(sentence: Sentence, chunk: int, own: set[int]) -> tuple[int, ...]:
    """Returns a phrase with the genitives before it, and with the phrase that it is joined to."""
    start = chunk
    while start > 0 and own.issuperset(sentence.chunks[start - 1].positions):
        previous = sentence.chunks[start - 1]
        last = sentence.tokens[previous.end - 1].form
        joins = previous.tag == "CCP" and start > 1 and is_bare(sentence, start - 2)
        if not (previous.tag == "NP" and last in words_of("genitive")) and not joins:
            break
        start -= 2 if joins else 1
    return tuple(range(sentence.chunks[start].start, sentence.chunks[chunk].end))


def object_of(sentence: Sentence, verb: int, tokens: Sequence[int], agent: Sequence[int]) -> int | None:
    """Returns the chunk that a verb with an agent in `ne` agrees with: a bare object, or a compound verb's noun."""
    own = set(tokens) - set(agent)
    bare = [position for position in nominal_chunks(sentence, own) if is_bare(sentence, position)]
    if sentence.has_tree:
        for relations in (OBJECTS, (PREDICATE_NOUN,)):
            for position in bare:
                chunk = sentence.chunks[position]
                joined = sentence.chunks[chunk.head] if chunk.head >= 0 else chunk
                if (chunk.head == verb and chunk.relation in relations) or (
                    chunk.relation == "ccof" and joined.head == verb and joined.relation in relations
                ):
                    return _last_joined(sentence, position, bare)
        return None
    before = [position for position in bare if position < verb]
    return before[-1] if before else None


def _last_joined(sentence: Sentence, position: int, bare: list[int]) -> int:
    """Returns of joined objects the last one: the verb agrees with the nearest."""
    if sentence.chunks[position].relation != "ccof":
        return position
    return max(one for one in bare if sentence.chunks[one].head == sentence.chunks[position].head)


def share_agents(sentence: Sentence, parts: Sequence[Part]) -> list[Part]:
    """Finds each part's agent, and for those without one that of the verb that they depend on or are joined to."""
    parts = [_with_agent(sentence, part) for part in parts]
    givers = [_giver(sentence, parts, position) for position in range(len(parts))]
    agents: dict[int | None, tuple[int, ...]] = {part.verb: part.agent for part in parts if part.agent}
    for part, giver in zip(parts, givers, strict=True):
        if part.kind == "finite" and giver in agents:
            agents[part.verb] = agents[giver]
    return [replace(part, copied=agents.get(giver, ())) for part, giver in zip(parts, givers, strict=True)]


def _with_agent(sentence: Sentence, part: Part) -> Part:
    # Without a tree, nothing tells the agent of a participle from its object, and few have one.
    unknown = part.kind != "finite" and not sentence.has_tree
    if part.agent or part.verb is None or unknown:
        return part
    return replace(part, agent=agent_of(sentence, part.verb, part.tokens))


def _giver(sentence: Sentence, parts: Sequence[Part], position: int) -> int | None:
    """Returns the verb whose agent a part without one shares."""
    part = parts[position]
    if part.agent or part.verb is None:
        return None
    if part.kind != "finite" and part.governor is not None:
        group = verb_group(sentence, part.verb)
        return None if group is not None and group.is_passive else part.governor
    giver = _joined(sentence, parts, position)
    return _of_participle(parts, part) if giver is None else giver


def _joined(sentence: Sentence, parts: Sequence[Part], position: int) -> int | None:
    """Returns the verb of the coordinate clause before, whose agent a clause without one shares."""
    taker = parts[position]
    own = verb_group(sentence, taker.verb)
    if taker.clause_kind != ClauseType.COORDINATE or own is None or not _lacks_agent(sentence, taker, own):
        return None
    giver = next((one for one in reversed(parts[:position]) if one.kind == "finite" and one.verb is not None), None)
    group = verb_group(sentence, giver.verb) if giver else None
    if giver is None or group is None or giver.clause_kind != ClauseType.COORDINATE or group.is_passive:
        return None
    # `hai` may also just tell that something exists, and an agent in the dative must be needed in both clauses.
    phrase = [(index, sentence.tokens[index]) for index in giver.agent]
    is_topic = group.root not in words_of("be") or not phrase or giver.agent[0] == giver.tokens[0]
    same_case = not phrase or not is_dative(phrase) or group.verbs[0].tam == own.verbs[0].tam == INFINITIVE
    return giver.verb if is_topic and same_case and _agree([token for _, token in phrase], group, own) else None


def _lacks_agent(sentence: Sentence, part: Part, group: VerbGroup) -> bool:
    """Returns whether an active clause has nothing that could be its agent."""
    if group.is_passive or group.tense is None or part.verb is None or group.tense[0] in (IMPERATIVE, POLITE):
        return False
    if sentence.has_tree:
        # Experiencers, and clauses as subjects, stand in for an agent.
        below = (sentence.chunks[child] for child in sentence.children[part.verb])
        return not any(chunk.relation in ("k1", "pk1", "k4a") for chunk in below)
    bare = [one for one in nominal_chunks(sentence, part.tokens) if is_bare(sentence, one)]
    return not bare or (group.takes_agent_with_ne and len(bare) == 1)


def _agree(agent: Sequence[Token], giver: VerbGroup, taker: VerbGroup) -> bool:
    """Returns whether the verb without an agent agrees with that of the verb before, as far as forms tell."""
    if taker.takes_agent_with_ne:
        return True
    one, other = giver.agreement, taker.agreement
    if giver.takes_agent_with_ne:
        nouns = [token for token in agent if token.tag.startswith(("NN", "PRP"))] or agent
        return not nouns or nouns[-1].gender not in ("m", "f") or nouns[-1].gender == other.gender
    return one.gender == other.gender and one.number == other.number


def _of_participle(parts: Sequence[Part], part: Part) -> int | None:
    """Returns the participle of a verb without an agent that has one: both share it."""
    for other in parts:
        if other.kind == "participle" and other.governor == part.verb and other.agent:
            return other.verb
    return None
