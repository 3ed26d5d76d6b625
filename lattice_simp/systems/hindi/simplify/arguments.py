"""Finds the agents and objects of verbs, by the dependency tree if there is one, otherwise by chunks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from lattice_simp.grammars.hindi.symbols import classes_of
from lattice_simp.grammars.hindi.verbs import IMPERATIVE, INFINITIVE, POLITE, takes_ne
from lattice_simp.systems.hindi.clause import ClauseType
from lattice_simp.systems.hindi.from_tree import AGENTS
from lattice_simp.systems.hindi.sentence import CCP, CONJUNCTION, NON_FINITE, NP, PUNCTUATION, VERBS, Sentence, Token
from lattice_simp.systems.hindi.simplify.model import Part
from lattice_simp.systems.hindi.simplify.nominal_cases import has_case_marker, is_agentive
from lattice_simp.systems.hindi.simplify.tables import word_of, words_of
from lattice_simp.systems.hindi.simplify.verb_groups import VerbGroup, verb_group

GENITIVE_AGENTS = ("r6-k1", "k1")
OBJECTS = ("k2", "k2p", "k2g")
PREDICATE_NOUN = "pof"
_HEADS = ("NN", "NNP", "NNPC", "NNC", "PRP", "QC", "QF")


def tokens_below(sentence: Sentence, chunk: int) -> set[int]:
    """Returns the tokens of a chunk and its descendants."""
    return {index for descendant in sentence.subtree(chunk) for index in sentence.chunks[descendant].positions}


def agent_of(sentence: Sentence, verb: int, tokens: Sequence[int]) -> tuple[int, ...]:
    """Returns the agent of a verb among some tokens; empty if there is none."""
    allowed = set(tokens)
    if not sentence.has_tree:
        return _agent_by_chunks(sentence, verb, allowed)
    # An agent among a verb's words may depend on one of its participles.
    below = sentence.children[verb]
    participles = [participle for participle in below if sentence.chunks[participle].tag == NON_FINITE]
    for child in [*below, *(grandchild for participle in participles for grandchild in sentence.children[participle])]:
        chunk = sentence.chunks[child]
        if chunk.relation in AGENTS and chunk.tag == NP and not chunk.is_empty:
            if allowed.issuperset(chunk.positions):
                return _block(sentence, child, allowed)
        elif chunk.relation in AGENTS and chunk.tag == CCP and allowed.issuperset(tokens_below(sentence, child)):
            joined = tokens_below(sentence, child)
            holds_verb = any(sentence.tokens[position].tag in VERBS for position in joined)
            if joined == set(range(min(joined), max(joined) + 1)) and not holds_verb:
                return tuple(sorted(joined))
    return ()


def _block(sentence: Sentence, chunk: int, allowed: set[int]) -> tuple[int, ...]:
    """Returns the contiguous part of a phrase's subtree around the chunk, without punctuation at its ends."""
    below = tokens_below(sentence, chunk) & allowed
    start, end = sentence.chunks[chunk].start, sentence.chunks[chunk].end
    while start - 1 in below and not sentence.chunks[sentence.chunk_of[start - 1]].is_verbal:
        start -= 1
    while end in below:
        end += 1
    block = list(range(start, end))
    while block and sentence.tokens[block[-1]].tag == PUNCTUATION:
        block.pop()
    while block and sentence.tokens[block[0]].tag in (PUNCTUATION, CONJUNCTION):
        block.pop(0)
    return tuple(block)


def _agent_by_chunks(sentence: Sentence, verb: int, allowed: set[int]) -> tuple[int, ...]:
    """Returns the phrase with `ne`, otherwise the first one without a postposition unless it is the object."""
    before = [position for position in nominal_chunks(sentence, allowed) if position < verb]
    for position in before:
        if has_ne(sentence, position):
            return with_modifiers(sentence, position, allowed)
    bare = [position for position in before if is_bare(sentence, position) and not _is_joined(sentence, position)]
    bare = [position for position in bare if "adverbial pronoun" not in _classes(sentence, position)]
    bare = [position for position in bare if "time" not in _classes(sentence, position)] or bare
    if not bare:
        return ()
    named = sentence.head_of(sentence.chunks[bare[0]]).tag in ("NNP", "PRP", "NNPC")
    # The only noun of an intransitive verb is its agent, unless it is a place right before the verb.
    intransitive = not takes_ne(sentence.head_of(sentence.chunks[verb]).root) and bare[0] == before[0] < verb - 1
    return with_modifiers(sentence, bare[0], allowed) if named or len(bare) > 1 or intransitive else ()


def _classes(sentence: Sentence, chunk: int) -> frozenset[str]:
    """Returns the grammar's classes of a phrase's head, such as `time`."""
    return classes_of(sentence.head_of(sentence.chunks[chunk]).form)


def _is_joined(sentence: Sentence, chunk: int) -> bool:
    """Returns whether a conjunction joins a phrase to the next one."""
    return chunk + 1 < len(sentence.chunks) and sentence.chunks[chunk + 1].tag == CCP


def follows_conjunction(sentence: Sentence, chunk: int) -> bool:
    """Returns whether a conjunction joins a phrase to the one before it."""
    return chunk > 0 and sentence.chunks[chunk - 1].tag == CCP


def nominal_chunks(sentence: Sentence, positions: Iterable[int]) -> list[int]:
    """Returns the noun phrases whose tokens are all among these positions."""
    return [position for position in whole_chunks(sentence, positions, NP) if not sentence.chunks[position].is_empty]


def whole_chunks(sentence: Sentence, positions: Iterable[int], tag: str) -> list[int]:
    """Returns the phrases with a tag whose tokens are all among these positions."""
    tokens = set(positions)
    near = ((position, sentence.chunks[position]) for position in sentence.chunks_around(tokens))
    return [position for position, chunk in near if chunk.tag == tag and tokens.issuperset(chunk.positions)]


def has_ne(sentence: Sentence, chunk: int) -> bool:
    """Returns whether a phrase has `ne`."""
    phrase = sentence.chunks[chunk]
    return word_of("ergative") in sentence.postpositions(phrase) or is_agentive(sentence.head_of(phrase))


def is_bare(sentence: Sentence, chunk: int) -> bool:
    """Returns whether a phrase has no case marker."""
    phrase = sentence.chunks[chunk]
    head = sentence.head_of(phrase)
    if head.tag not in _HEADS or sentence.postpositions(phrase):
        return False
    return not (head.tag == "PRP" and (is_agentive(head) or (head.case == "o" and head.vibhakti not in ("", "0"))))


def with_modifiers(sentence: Sentence, chunk: int, allowed: set[int]) -> tuple[int, ...]:
    """Returns a phrase with the genitives before it and the phrase that it is joined to."""
    start = chunk
    while start > 0 and allowed.issuperset(sentence.chunks[start - 1].positions):
        previous = sentence.chunks[start - 1]
        last = sentence.tokens[previous.end - 1].form
        joins = previous.tag == CCP and start > 1 and is_bare(sentence, start - 2)
        if not (previous.tag == NP and last in words_of("genitive")) and not joins:
            break
        start -= 2 if joins else 1
    return tuple(range(sentence.chunks[start].start, sentence.chunks[chunk].end))


def object_of(sentence: Sentence, verb: int, tokens: Sequence[int], agent: Sequence[int]) -> int | None:
    """Returns the chunk that a verb with an agent in `ne` agrees with: a bare object or the noun of a compound verb."""
    allowed = set(tokens) - set(agent)
    bare = [position for position in nominal_chunks(sentence, allowed) if is_bare(sentence, position)]
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
    """Returns the last of joined objects, as the verb agrees with the nearest."""
    if sentence.chunks[position].relation != "ccof":
        return position
    return max(candidate for candidate in bare if sentence.chunks[candidate].head == sentence.chunks[position].head)


def share_agents(sentence: Sentence, parts: Sequence[Part]) -> list[Part]:
    """Returns the parts with their agents; parts without one share that of their governing or preceding verb."""
    parts = [_with_agent(sentence, part) for part in parts]
    participles = {part.governor: part.verb for part in reversed(parts) if part.kind == "participle" and part.agent}
    givers = [_giver(sentence, parts, position, participles) for position in range(len(parts))]
    agents: dict[int | None, tuple[int, ...]] = {part.verb: part.agent for part in parts if part.agent}
    for part, giver in zip(parts, givers, strict=True):
        if part.kind == "finite" and giver in agents:
            agents[part.verb] = agents[giver]
    return [replace(part, copied=agents.get(giver, ())) for part, giver in zip(parts, givers, strict=True)]


def _with_agent(sentence: Sentence, part: Part) -> Part:
    # Without a tree, the agent of a participle looks like its object, and few participles have one.
    unknown = part.kind != "finite" and not sentence.has_tree
    if part.agent or part.verb is None or unknown:
        return part
    return replace(part, agent=agent_of(sentence, part.verb, part.tokens))


def _giver(
    sentence: Sentence, parts: Sequence[Part], position: int, participles: Mapping[int | None, int | None]
) -> int | None:
    """Returns the verb whose agent a part without an agent shares, such as that of a participle which depends on it."""
    part = parts[position]
    if part.agent or part.verb is None:
        return None
    if part.kind != "finite" and part.governor is not None:
        group = verb_group(sentence, part.verb)
        return None if group is not None and group.is_passive else part.governor
    giver = _joined(sentence, parts, position)
    return participles.get(part.verb) if giver is None else giver


def _joined(sentence: Sentence, parts: Sequence[Part], position: int) -> int | None:
    """Returns the verb of the preceding coordinate clause if a clause without an agent shares its agent."""
    taker = parts[position]
    taker_group = verb_group(sentence, taker.verb)
    if (
        taker.clause_kind != ClauseType.COORDINATE
        or taker_group is None
        or not _lacks_agent(sentence, taker, taker_group)
    ):
        return None
    before = (parts[earlier] for earlier in reversed(range(position)))
    giver = next((part for part in before if part.kind == "finite" and part.verb is not None), None)
    group = verb_group(sentence, giver.verb) if giver else None
    if giver is None or group is None or giver.clause_kind != ClauseType.COORDINATE or group.is_passive:
        return None
    # `hai` may just state existence, and both clauses must require an agent in the dative.
    phrase = [(index, sentence.tokens[index]) for index in giver.agent]
    is_topic = group.root not in words_of("be") or not phrase or giver.agent[0] == giver.tokens[0]
    same_case = (
        not phrase or not has_case_marker(phrase) or group.verbs[0].tam == taker_group.verbs[0].tam == INFINITIVE
    )
    return giver.verb if is_topic and same_case and _agree([token for _, token in phrase], group, taker_group) else None


def _lacks_agent(sentence: Sentence, part: Part, group: VerbGroup) -> bool:
    """Returns whether an active clause has no possible agent."""
    if group.is_passive or group.tense is None or part.verb is None or group.tense[0] in (IMPERATIVE, POLITE):
        return False
    if sentence.has_tree:
        # Experiencers and subject clauses take the place of an agent.
        below = (sentence.chunks[child] for child in sentence.children[part.verb])
        return not any(chunk.relation in ("k1", "pk1", "k4a") for chunk in below)
    bare = [phrase for phrase in nominal_chunks(sentence, part.tokens) if is_bare(sentence, phrase)]
    return not bare or (group.takes_agent_with_ne and len(bare) == 1)


def _agree(agent: Sequence[Token], giver: VerbGroup, taker: VerbGroup) -> bool:
    """Returns whether the verb without an agent can agree with the agent of the preceding verb."""
    if taker.takes_agent_with_ne:
        return True
    giver_agreement, taker_agreement = giver.agreement, taker.agreement
    if giver.takes_agent_with_ne:
        nouns = [token for token in agent if token.tag.startswith(("NN", "PRP"))] or agent
        return not nouns or nouns[-1].gender not in ("m", "f") or nouns[-1].gender == taker_agreement.gender
    return giver_agreement.gender == taker_agreement.gender and giver_agreement.number == taker_agreement.number
