"""Puts participles and gerunds in the tense, aspect and mood of their governor (Mishra et al. 2014, 4.1.5)."""

from __future__ import annotations

from dataclasses import replace

from lattice_simp.grammars.hindi.verbs import IMPERFECTIVE, INFINITIVE, PERFECTIVE, Agreement, perception_verbs
from lattice_simp.systems.hindi.clause import ClauseType
from lattice_simp.systems.hindi.sentence import PUNCTUATION, Sentence, Token
from lattice_simp.systems.hindi.simplify.arguments import has_ne, nominal_chunks, object_of
from lattice_simp.systems.hindi.simplify.model import Part, Refusal, Word
from lattice_simp.systems.hindi.simplify.nominal_cases import agent_words, has_case_marker
from lattice_simp.systems.hindi.simplify.tables import relatives, words_of
from lattice_simp.systems.hindi.simplify.verb_groups import (
    VerbGroup,
    agent_with_ne,
    agreement_of,
    conjugated,
    verb_group,
)

_COPIED = "shared with another sentence"
_TENSE = "the tense of the main verb"


def conjugate(sentence: Sentence, part: Part) -> Part | Refusal:
    """Returns a part with a finite verb and its agent in the required case, or a refusal."""
    if part.verb is None:
        return part
    group = verb_group(sentence, part.verb)
    if group is None:
        return Refusal(part.name, "no verb")
    if part.kind == "finite":
        return _with_subject(sentence, part, with_ne=group.takes_agent_with_ne)
    main = verb_group(sentence, part.governor)
    if main is None or main.tense is None:
        return Refusal(part.name, "the main verb has no tense that another verb can take")
    if main.negated:
        return Refusal(part.name, "the main verb is negated")
    if main.is_passive and part.kind == "participle":
        return Refusal(part.name, "the main verb is passive")
    if part.kind == "participle" and main.root in perception_verbs() and group.verbs[0].tam == IMPERFECTIVE:
        return Refusal(part.name, "the object of seeing or hearing")
    if part.kind == "gerund" and not (group.is_passive or part.agent or part.copied):
        return Refusal(part.name, "no agent")
    return _finite(sentence, part, group, main)


def _finite(sentence: Sentence, part: Part, group: VerbGroup, main: VerbGroup) -> Part | Refusal:
    tense = main.tense
    assert tense is not None
    kept, root = _kept_verbs(group)
    first = kept[0].root if kept else root
    vector = root if kept and not group.is_passive else ""
    with_ne = not group.is_passive and agent_with_ne(first, tense, vector)
    agreement = _agreement(sentence, part, main, with_ne=with_ne or group.is_passive or tense[0] == INFINITIVE)
    forms = conjugated(root, tense, agreement)
    if forms is None:
        return Refusal(part.name, f"{root} has no form in this tense")
    if group.is_passive:
        forms = [*(conjugated(group.root, (PERFECTIVE, ()), agreement) or [group.verbs[0].form]), *forms]
        kept = ()
    words = [Word(token.form, (position,)) for position, token in zip(group.positions, kept, strict=False)]
    words += [Word(form, (), _TENSE, is_verb=True) for form in forms]
    words[-1] = replace(words[-1], sources=group.positions[len(kept) :])
    instead = {**part.instead, group.positions[0]: tuple(words)} | dict.fromkeys(group.positions[1:], ())
    return _with_subject(sentence, replace(part, instead=instead), with_ne=with_ne)


def _kept_verbs(group: VerbGroup) -> tuple[tuple[Token, ...], str]:
    """Returns the unchanged verbs, and the root of the one that takes the tense: in `kar dene` the second verb."""
    verbs = [token for token in group.verbs if token.root]
    while len(verbs) > 1 and verbs[-1].form in words_of("participial"):
        verbs.pop()
    return tuple(verbs[:-1]), verbs[-1].root


def _agreement(sentence: Sentence, part: Part, main: VerbGroup, *, with_ne: bool) -> Agreement:
    """Returns the agreement of the new verb: with the object if the agent takes `ne`, otherwise with the agent."""
    if with_ne:
        chunk = object_of(sentence, part.verb or 0, part.tokens, part.agent)
        return Agreement() if chunk is None else agreement_of(sentence.head_of(sentence.chunks[chunk]))
    agent = part.copied or part.agent
    if agent and (part.agent or main.takes_agent_with_ne or main.is_passive):
        heads = [
            sentence.tokens[position]
            for position in agent
            if sentence.tokens[position].tag not in ("PSP", "RP", PUNCTUATION)
        ]
        return agreement_of(heads[-1])
    if main.takes_agent_with_ne or main.is_passive:
        return Agreement()
    return main.agreement


def _with_subject(sentence: Sentence, part: Part, *, with_ne: bool) -> Part:
    phrase = [(position, sentence.tokens[position]) for position in part.copied or part.agent]
    if part.copied:
        if has_case_marker(phrase):
            # The verb has the same obligation or experience, and so does the agent.
            return replace(part, subject=tuple(Word(token.form, (position,), _COPIED) for position, token in phrase))
        return replace(part, subject=agent_words(phrase, with_ne=with_ne, reason=_COPIED))
    if part.agent and part.kind != "finite":
        words = agent_words(phrase, with_ne=with_ne)
        # All of it at the agent's first position.
        instead = {**part.instead, part.agent[0]: words} | dict.fromkeys(part.agent[1:], ())
        return replace(part, instead=instead)
    return part


_TAGS = ("PRP", "DEM")
_REASON = "a relative pronoun in a separate sentence"


def without_relatives(sentence: Sentence, part: Part, *, careful: bool = False) -> Part:
    """Replaces the relative pronoun of a clause that became a sentence; if careful, of no clause with another type."""
    if careful and part.clause_kind not in (ClauseType.RELATIVE, None):
        return part
    if part.kind != "finite" or not part.name or part.verb is None:
        return part
    if part.clause_kind not in (ClauseType.RELATIVE, ClauseType.COORDINATE, ClauseType.ADVERBIAL, None):
        return part
    group = verb_group(sentence, part.verb)
    with_ne = group is not None and group.takes_agent_with_ne
    with_ne = with_ne and any(has_ne(sentence, phrase) for phrase in nominal_chunks(sentence, part.tokens))
    plural = group is not None and group.agreement.number == "pl" and not with_ne
    for position in part.tokens:
        token = sentence.tokens[position]
        if token.tag in _TAGS and token.form in relatives():
            word = Word(relatives()[token.form][plural], (position,), _REASON)
            part = replace(part, instead={**part.instead, position: (word,)})
            break
    forms = {relative: instead[plural] for relative, instead in relatives().items()}
    return replace(part, subject=tuple(replace(word, form=forms.get(word.form, word.form)) for word in part.subject))
