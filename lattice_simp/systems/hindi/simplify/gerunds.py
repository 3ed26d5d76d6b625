"""Splits off gerunds with their arguments as sentences: `X karne ke baad Y` to `X karne` and `iske baad Y`."""

from __future__ import annotations

from dataclasses import replace

from lattice_simp.grammars.hindi.verbs import second_verbs, takes_ne
from lattice_simp.systems.hindi.from_tree import AGENTS
from lattice_simp.systems.hindi.sentence import GERUND, NP, PUNCTUATION, Sentence
from lattice_simp.systems.hindi.simplify.arguments import (
    GENITIVE_AGENTS,
    agent_of,
    has_ne,
    is_bare,
    tokens_below,
    whole_chunks,
    with_modifiers,
)
from lattice_simp.systems.hindi.simplify.model import Part, Word, without
from lattice_simp.systems.hindi.simplify.tables import Postposition, postpositions, words_of
from lattice_simp.systems.hindi.simplify.verb_groups import VerbGroup, verb_group

_MARKERS = ("PSP", "NST", "RP", PUNCTUATION)


def split_gerunds(sentence: Sentence, parts: list[Part], refused: dict[str, str]) -> list[Part]:
    """Splits gerunds off finite clauses, except for refused splits."""
    split_parts: list[Part] = []
    for part in parts:
        main = part
        if part.kind == "finite" and part.verb is not None:
            for chunk in whole_chunks(sentence, part.tokens, GERUND):
                name = f"gerund {chunk}"
                if name in refused:
                    continue
                pair = _split(sentence, main, chunk, name)
                if pair is not None:
                    gerund, main = pair
                    split_parts.append(gerund)
        split_parts.append(main)
    return split_parts


def _split(sentence: Sentence, part: Part, chunk: int, name: str) -> tuple[Part, Part] | None:
    """Splits a part in two; None if the gerund should stay."""
    group, main = verb_group(sentence, chunk), verb_group(sentence, part.verb)
    markers = None if group is None else _markers(sentence, chunk, group.positions[-1])
    if group is None or main is None or markers is None or group.negated or main.negated or main.tense is None:
        return None
    positions, postposition = markers
    # The gerund of `honaa` mostly denotes a state, which the main verb's tense would turn into an event.
    if postposition.perfective and (not main.is_perfective or group.root in words_of("copula")):
        return None
    agent = gerund_agent(sentence, chunk, part)
    arguments = [position for position in _arguments(sentence, part, chunk) if position not in agent]
    if not arguments and not agent and not agent_of(sentence, part.verb or 0, part.tokens):
        return None
    if main.is_passive and not agent and not group.is_passive:
        return None
    tokens = tuple(sorted({*agent, *arguments, *group.positions}))
    left = without(part.tokens, (*tokens, *positions))
    lead = _lead(sentence, postposition, positions)
    # A connective at the beginning stays at the beginning of the first sentence.
    gerund = Part(name, "gerund", None, tokens, chunk, part.verb, part.lead, agent=agent)
    return gerund, replace(part, tokens=left, lead=lead)


def _markers(sentence: Sentence, chunk: int, verb: int) -> tuple[tuple[int, ...], Postposition] | None:
    """Returns the positions of the postposition after a gerund, and its entry; None if it is not listed."""
    positions = tuple(
        position
        for position in range(verb + 1, sentence.chunks[chunk].end)
        if sentence.tokens[position].tag in _MARKERS
    )
    if len(positions) != sentence.chunks[chunk].end - verb - 1:
        return None
    forms = tuple(sentence.tokens[position].form for position in positions)
    postposition = postpositions().get(forms)
    while postposition is None and forms and sentence.tokens[positions[len(forms) - 1]].tag == PUNCTUATION:
        forms = forms[:-1]
        postposition = postpositions().get(forms)
    return None if postposition is None else (positions, postposition)


def _lead(sentence: Sentence, postposition: Postposition, positions: tuple[int, ...]) -> tuple[Word, ...]:
    """Turns `ke baad` into `iske baad`: the first word absorbs the pronoun."""
    pairs = enumerate(zip(positions, postposition.instead, strict=False))
    return tuple(Word(form, (at,), "" if index else "stands for the sentence before") for index, (at, form) in pairs)


def gerund_agent(sentence: Sentence, chunk: int, part: Part) -> tuple[int, ...]:
    """Returns the agent of a gerund, mostly a genitive."""
    allowed = set(part.tokens)
    if sentence.has_tree:
        group = verb_group(sentence, chunk)
        # The treebank labels the agent of an intransitive gerund as its object (`jang thamne`).
        intransitive = group is not None and _has_no_object(group)
        relations = {*GENITIVE_AGENTS, *AGENTS, *(("k2",) if intransitive else ())}
        for child in sentence.children[chunk]:
            phrase = sentence.chunks[child]
            if phrase.relation in relations and allowed.issuperset(phrase.positions):
                tokens = tokens_below(sentence, child) & allowed
                if not phrase.is_empty and tokens == set(range(min(tokens), max(tokens) + 1)):
                    return tuple(sorted(tokens))
        return ()
    if chunk == 0:
        return ()
    before = sentence.chunks[chunk - 1]
    is_genitive = before.tag == NP and sentence.tokens[before.end - 1].form in words_of("genitive")
    if is_genitive and allowed.issuperset(range(before.start, before.end)):
        return with_modifiers(sentence, chunk - 1, allowed)
    return ()


def _has_no_object(group: VerbGroup) -> bool:
    """Returns whether a verb takes neither an object nor, as verbs of motion do, a place that looks like one."""
    moves = group.root in second_verbs() and group.root not in words_of("copula")
    return not takes_ne(group.root) and not group.is_passive and not moves


def _arguments(sentence: Sentence, part: Part, chunk: int) -> list[int]:
    """Returns the tokens of a gerund's arguments; without a tree at most one bare noun and no agent with `ne`."""
    allowed = set(part.tokens)
    if sentence.has_tree:
        below = (tokens_below(sentence, chunk) & allowed).difference(sentence.chunks[chunk].positions)
        return sorted(position for position in below if sentence.tokens[position].tag != PUNCTUATION)
    arguments: list[int] = []
    bare = False
    for position in range(chunk - 1, -1, -1):
        phrase = sentence.chunks[position]
        tokens = phrase.positions
        if not allowed.issuperset(tokens) or phrase.tag not in (NP, "JJP", "RBP") or has_ne(sentence, position):
            break
        if phrase.tag == NP and is_bare(sentence, position):
            if bare or sentence.head_of(phrase).tag in ("NNP", "PRP"):
                break
            bare = True
        arguments[:0] = tokens
    return arguments
