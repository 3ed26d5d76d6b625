"""The agent that two verbs share, for the one that has none of its own (Mishra et al. 2014, section 4.1.4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from lattice_simp.hindi.clause import ClauseType
from lattice_simp.hindi.sentence import Sentence
from lattice_simp.hindi.simplify.arguments import agent_of, children, has_tree, is_bare, nominal_chunks
from lattice_simp.hindi.simplify.model import Part, PartKind
from lattice_simp.hindi.simplify.nominal_cases import is_dative
from lattice_simp.hindi.simplify.verb_features import IMPERATIVE, INFINITIVE, POLITE
from lattice_simp.hindi.simplify.verb_groups import verb_group
from lattice_simp.hindi.simplify.words import Role, words_of


@dataclass(frozen=True)
class Shared:
    """A part, and the tokens of the agent that is copied to it; none if it needs none.

    Attributes:
        part: with its own agent, if it has one.
        copied: from another part.
        giver: the verb chunk that the agent belongs to.
    """

    part: Part
    copied: tuple[int, ...] = ()
    giver: int | None = None


def share_agents(sentence: Sentence, parts: Sequence[Part]) -> list[Shared]:
    """Finds each part's agent, and for those without one that of the verb that they depend on or are joined to."""
    own = [_with_agent(sentence, part) for part in parts]
    found: list[Shared] = []
    agents: dict[int, tuple[int, ...]] = {part.verb: part.agent for part in own if part.verb is not None and part.agent}
    for place, part in enumerate(own):
        if part.agent or part.verb is None:
            found.append(Shared(part))
        elif part.kind != PartKind.FINITE and part.governor is not None:
            group = verb_group(sentence, part.verb)
            passive = group is not None and group.is_passive
            found.append(Shared(part) if passive else _copied(part, part.governor, agents))
        else:
            giver = _joined(sentence, own, place)
            if giver is None:
                giver = _of_participle(own, part)
            found.append(_copied(part, giver, agents))
            if giver is not None and giver in agents:
                agents[part.verb] = agents[giver]
    return [_later(one, agents) for one in found]


def _with_agent(sentence: Sentence, part: Part) -> Part:
    # Without a tree, nothing tells the agent of a participle from its object, and few have one.
    unknown = part.kind != PartKind.FINITE and not has_tree(sentence)
    if part.agent or part.verb is None or unknown:
        return part
    return replace(part, agent=agent_of(sentence, part.verb, part.tokens))


def _copied(part: Part, giver: int | None, agents: dict[int, tuple[int, ...]]) -> Shared:
    copied = agents.get(giver, ()) if giver is not None else ()
    return Shared(part, copied, giver)


def _later(one: Shared, agents: dict[int, tuple[int, ...]]) -> Shared:
    """A participle before a verb that itself has its agent from elsewhere."""
    if one.part.kind == PartKind.FINITE or one.part.agent or one.copied or one.giver is None:
        return one
    return replace(one, copied=agents.get(one.giver, ()))


def _joined(sentence: Sentence, parts: Sequence[Part], place: int) -> int | None:
    """The verb of the coordinate clause before, whose agent a clause without one shares."""
    part = parts[place]
    if part.clause_kind != ClauseType.COORDINATE or part.verb is None or not _lacks_agent(sentence, part):
        return None
    for other in reversed(parts[:place]):
        if other.kind == PartKind.FINITE and other.verb is not None:
            group = verb_group(sentence, other.verb)
            fits = other.clause_kind == ClauseType.COORDINATE and group is not None and not group.is_passive
            if not fits or not _same_case(sentence, other, part) or not _is_topic(sentence, other):
                return None
            return other.verb if _agrees(sentence, other, part) else None
    return None


def _lacks_agent(sentence: Sentence, part: Part) -> bool:
    """Whether an active clause has nothing that could be its agent."""
    group = verb_group(sentence, part.verb) if part.verb is not None else None
    if group is None or group.is_passive or group.tense is None or part.verb is None:
        return False
    if group.tense[0] in (IMPERATIVE, POLITE):
        return False
    if has_tree(sentence):
        # Experiencers, and clauses as subjects, stand in for an agent.
        return not any(
            sentence.chunks[child].relation in ("k1", "pk1", "k4a") for child in children(sentence, part.verb)
        )
    bare = [one for one in nominal_chunks(sentence, part.tokens) if is_bare(sentence, one)]
    return not bare or (group.takes_agent_with_ne and len(bare) == 1)


def _of_participle(parts: Sequence[Part], part: Part) -> int | None:
    """The participle of a verb without an agent that has one: both share it."""
    for other in parts:
        if other.kind == PartKind.PARTICIPLE and other.governor == part.verb and other.agent:
            return other.verb
    return None


def _is_topic(sentence: Sentence, giver: Part) -> bool:
    """Whether what a clause says is about its agent: `hai` may also just tell that something exists."""
    group = verb_group(sentence, giver.verb) if giver.verb is not None else None
    if group is None or group.root not in words_of(Role.BE) or not giver.agent:
        return True
    return giver.agent[0] == giver.tokens[0]


def _same_case(sentence: Sentence, giver: Part, taker: Part) -> bool:
    """Whether an agent in the dative is needed in both clauses, as with obligations."""
    phrase = [(at, sentence.tokens[at]) for at in giver.agent]
    if not phrase or not is_dative(phrase):
        return True
    groups = [verb_group(sentence, part.verb) for part in (giver, taker) if part.verb is not None]
    return all(group is not None and group.verbs[0].tam == INFINITIVE for group in groups)


def _agrees(sentence: Sentence, giver: Part, taker: Part) -> bool:
    """Whether the verb without an agent agrees with that of the verb before, as far as forms tell."""
    one, other = (verb_group(sentence, part.verb) for part in (giver, taker) if part.verb is not None)
    if one is None or other is None or other.takes_agent_with_ne:
        return True
    if one.takes_agent_with_ne:
        last = sentence.tokens[giver.agent[-1]] if giver.agent else None
        nouns = [sentence.tokens[at] for at in giver.agent if sentence.tokens[at].tag.startswith(("NN", "PRP"))]
        gender = (nouns[-1].gender if nouns else last.gender if last else "") or "any"
        return gender not in ("m", "f") or gender == other.agreement.gender
    return one.agreement.gender == other.agreement.gender and one.agreement.number == other.agreement.number
