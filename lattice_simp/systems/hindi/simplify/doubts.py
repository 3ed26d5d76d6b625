"""Refuses splits whose sentences would have a guessed subject, object or verb form."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from lattice_simp.grammars.hindi.verbs import IMPERFECTIVE, PERFECTIVE, analyse, second_verbs, takes_ne
from lattice_simp.systems.hindi.clause import ClauseType
from lattice_simp.systems.hindi.sentence import CONJUNCTION, GERUND, PUNCTUATION, VERBS, Sentence
from lattice_simp.systems.hindi.simplify.arguments import has_ne, is_bare, nominal_chunks
from lattice_simp.systems.hindi.simplify.clause_tree import verb_chunks
from lattice_simp.systems.hindi.simplify.model import Part, Refusal, Word
from lattice_simp.systems.hindi.simplify.nominal_cases import NOUNS, is_agentive
from lattice_simp.systems.hindi.simplify.subjects import first_verb, has_subject, is_adverb, is_dative, may_have_subject
from lattice_simp.systems.hindi.simplify.tables import connectives, pronouns, relatives, reports, word_of, words_of
from lattice_simp.systems.hindi.simplify.verb_groups import VerbGroup, verb_group


def doubtful(sentence: Sentence, parts: Sequence[Part]) -> list[Refusal]:
    """Returns the splits whose sentences would lack a subject or get one that may be wrong.

    With the dependency tree of a treebank the subjects of participles and gerunds are known; those that a parser finds
    must fit the plainest patterns, too.
    """
    if len(parts) < 2:
        return []
    first = min(part.tokens[0] for part in parts if part.tokens)
    governors = {part.verb: part for part in reversed(parts) if part.kind == "finite"}
    refusals = []
    for part in parts:
        group = verb_group(sentence, part.verb)
        if part.verb is None or group is None or not part.tokens:
            continue
        reason = _mistaken(sentence, part, part.verb, group)
        if not reason and part.kind == "finite":
            reason = _incomplete(sentence, part, part.verb, group, is_first=part.tokens[0] == first)
        elif not reason and not sentence.has_certain_tree:
            reason = _guessed(sentence, part, group, governors.get(part.governor))
        if reason:
            refusals.append(Refusal(part.name, reason))
    return [*refusals, *(refusal for part in parts for refusal in _torn_links(sentence, parts, part))]


def _mistaken(sentence: Sentence, part: Part, verb: int, group: VerbGroup) -> str:
    """Returns why a clause may have another verb or other bounds; "" if nothing suggests it."""
    if _is_marker(sentence, verb, group):
        return "a case marker taken for a verb"
    if len(group.root) == 1 and not analyse(group.verbs[0].form):
        return "another word taken for a verb"
    if part.kind == "finite" and _lacks_auxiliary(group):
        return "the auxiliary may be that of the next clause"
    if part.kind == "finite" and _is_participle(sentence, part, group):
        return "a participle taken for a finite verb"
    if part.clause_kind == ClauseType.RELATIVE and _goes_on(sentence, part):
        return "the main clause may go on in it"
    return ""


def _incomplete(sentence: Sentence, part: Part, verb: int, group: VerbGroup, *, is_first: bool) -> str:
    """Returns why a finite clause may lack its main clause, its subject or its object; "" if it does not."""
    if _leads_on(sentence, part):
        return "a subordinate clause may belong to the next one"
    if is_first:
        return _agentless(sentence, part, verb, group)
    return _subjectless(sentence, part, verb, group) or _objectless(sentence, part, verb, group)


def _torn_links(sentence: Sentence, parts: Sequence[Part], part: Part) -> Iterator[Refusal]:
    """Refuses the clauses whose split would join the text before them to a clause or a conjunction after them."""
    finite = [sentence.chunks[position] for position in verb_chunks(sentence, part.tokens)]
    for before, after in pairwise(part.tokens):
        joins = bool(finite) and finite[0].end <= before + 1 and finite[-1].start >= after
        if after - before > 1 and (joins or sentence.tokens[after].tag == CONJUNCTION):
            inside = (inner for inner in parts if inner.tokens and before < inner.tokens[0] < after)
            yield from (Refusal(inner.name, "what is after it may belong to it") for inner in inside)


def _is_marker(sentence: Sentence, verb: int, group: VerbGroup) -> bool:
    """Returns whether a verb alone, such as `kii`, may be a case marker: no word that it can belong to is before it."""
    start = sentence.chunks[verb].start
    is_alone = len(group.verbs) == 1 and group.verbs[0].form in words_of("genitive")
    return is_alone and (not start or sentence.tokens[start - 1].tag in (PUNCTUATION, "PSP"))


def without_needless(sentence: Sentence, parts: Sequence[Part]) -> list[Part]:
    """Returns the parts without shared subjects where a clause certainly has its own."""
    return [replace(part, copied=()) if part.copied and _owns_subject(sentence, part) else part for part in parts]


def _owns_subject(sentence: Sentence, part: Part) -> bool:
    return (
        part.kind == "finite"
        and part.verb is not None
        and has_subject(sentence, part, first_verb(sentence, part, part.verb))
    )


def unbalanced(names: Sequence[str], sentences: Sequence[Sequence[Word]]) -> list[Refusal]:
    """Returns the splits that tear quotation marks or brackets apart."""
    return [
        Refusal(name, "would tear a quotation or brackets apart")
        for name, words in zip(names, sentences, strict=True)
        if not _is_balanced(words)
    ]


def torn(sentence: Sentence, names: Sequence[str], sentences: Sequence[Sequence[Word]]) -> list[Refusal]:
    """Returns the splits that leave a sentence that does not end, or begin, as a sentence does."""
    ends = [index for index, token in enumerate(sentence.tokens) if token.tag != PUNCTUATION and not token.is_empty]
    refusals = []
    for number, (name, words) in enumerate(zip(names, sentences, strict=True)):
        spoken = [word for word in words if word.sources and sentence.tokens[word.sources[0]].tag != PUNCTUATION]
        last = spoken[-1] if spoken else None
        if last is None or not (last.sources[0] == ends[-1] or _may_end(sentence, last)):
            refusals.append(Refusal(name, "would leave a sentence that does not end with a verb"))
        elif number and _begins_apart(sentence, spoken[0]):
            refusals.append(Refusal(name, "would leave a relative clause or examples alone"))
        elif _has_stray_marker(sentence, words):
            refusals.append(Refusal(name, "would leave a case marker without its noun"))
    return refusals


def _may_end(sentence: Sentence, word: Word) -> bool:
    tag = sentence.tokens[word.sources[0]].tag
    if word.is_verb or tag in VERBS:
        return not word.form.endswith(words_of("converb"))
    return tag in ("NEG", "RP")


def _begins_apart(sentence: Sentence, word: Word) -> bool:
    is_pronoun = sentence.tokens[word.sources[0]].tag in ("PRP", "DEM")
    return word.form in words_of("example") or (is_pronoun and word.form in relatives())


def _has_stray_marker(sentence: Sentence, words: Sequence[Word]) -> bool:
    """Returns whether a case marker that forms a phrase by itself stands behind a comma."""
    return any(
        bool(word.sources) and previous.form in words_of("separator") and _is_stray(sentence, word.sources[0])
        for previous, word in pairwise(words)
    )


def _is_stray(sentence: Sentence, position: int) -> bool:
    """Returns whether a token is a case marker that begins a phrase."""
    begins = bool(sentence.chunks) and sentence.chunks[sentence.chunk_of[position]].start == position
    return begins and sentence.tokens[position].tag == "PSP"


def _is_balanced(words: Sequence[Word]) -> bool:
    counts = Counter(word.form for word in words)
    pairs = all(counts[left] == counts[right] for left, right in ("()", "[]", "“”", "‘’", "«»"))
    return pairs and all(counts[mark] % 2 == 0 for mark in ('"', "'", "''"))


def _subjectless(sentence: Sentence, part: Part, verb: int, group: VerbGroup) -> str:
    """Returns why a clause has no certain subject, its own or a shared one; "" if it has one."""
    if part.clause_kind == ClauseType.RELATIVE:
        return ""
    first = first_verb(sentence, part, verb)
    if not has_subject(sentence, part, first) and (not part.copied or first != verb):
        return "no subject"
    if not part.copied:
        return ""
    if any(has_ne(sentence, at) or _is_pronoun(sentence, at) for at in nominal_chunks(sentence, part.tokens)):
        return "a subject of its own"
    before = sentence.tokens[part.copied[0] - 1] if part.copied[0] else None
    inside = {sentence.tokens[at].tag for at in part.copied[:-1]}
    ends = {sentence.tokens[part.copied[-1]].tag, "" if before is None else before.tag}
    if PUNCTUATION in inside | ends or CONJUNCTION in ends:
        return "the shared subject may be part of a list"
    if sentence.tokens[part.copied[0]].form in words_of("as"):
        return "the shared subject is no subject"
    if not set(words_of("unknown")).isdisjoint(sentence.tokens[at].form for at in part.copied):
        return "a copy of the shared subject may be something else"
    if not _is_whole(sentence, part.copied) or sentence.tokens[part.copied[0]].form in words_of("name_part"):
        return "the shared subject may be part of a name"
    head = next(
        (sentence.tokens[at] for at in reversed(part.copied) if sentence.tokens[at].tag in (*NOUNS, "PRP")), None
    )
    if head is None:
        return "the shared subject has no noun"
    if group.takes_agent_with_ne or group.is_passive:
        return ""
    if any(verb.tam == PERFECTIVE and _demands_ne(verb.root) for verb in group.verbs):
        return "the verb may require ne"
    agreement = group.agreement
    is_plural = head.number == "pl" or head.form in words_of("plural")
    fits = head.gender in ("", "any", agreement.gender) and not (is_plural and agreement.number == "sg")
    return "" if fits else "the shared subject does not agree with the verb"


def _lacks_auxiliary(group: VerbGroup) -> bool:
    """Returns whether a verb such as `bolte` may share the auxiliary of a verb after it (`bolte aur likhte hain`)."""
    return group.verbs[-1].tam == IMPERFECTIVE and not group.negated


def _is_participle(sentence: Sentence, part: Part, group: VerbGroup) -> bool:
    """Returns whether a perfective verb that is no passive has an agent with `dvaaraa`: `raam dvaaraa likhe`."""
    has_agent = any(sentence.tokens[index].form in words_of("passive_agent") for index in part.tokens)
    return has_agent and group.takes_agent_with_ne and len(group.verbs) == 1


def _goes_on(sentence: Sentence, part: Part) -> bool:
    """Returns whether a clause with several verbs contains a comma before a conjunction."""
    if part.verb is None or first_verb(sentence, part, part.verb) == part.verb:
        return False
    pairs = pairwise(sentence.tokens[index] for index in part.tokens)
    return any(mark.tag == PUNCTUATION and word.tag == CONJUNCTION for mark, word in pairs)


def _leads_on(sentence: Sentence, part: Part) -> bool:
    """Returns whether a comma and another clause follow a clause that begins with a conjunction such as `while`."""
    if part.verb is None or not any(word.form in words_of("subordinator") for word in part.lead):
        return False
    end = sentence.chunks[first_verb(sentence, part, part.verb)].end
    following = [index for index in part.tokens if index >= end]
    marks = [sentence.tokens[index].tag == PUNCTUATION for index in (end - 1, *following[:1])]
    rest = [index for index in following if sentence.tokens[index].tag != PUNCTUATION]
    coordinators = [word for word, action in connectives().items() if action == "drop"]
    joined = (*relatives(), *coordinators, *words_of("ergative"))
    return bool(rest) and any(marks) and sentence.tokens[rest[0]].form not in joined


def _agentless(sentence: Sentence, part: Part, verb: int, group: VerbGroup) -> str:
    """Returns why the first clause of a sentence has no subject; "" if it may have one."""
    is_report = (group.root, "") in reports()
    if part.copied or (is_report and not group.takes_agent_with_ne):
        return ""
    if not (group.takes_agent_with_ne or group.is_passive):
        return "" if may_have_subject(sentence, part, verb) else "no subject"
    tokens = [sentence.tokens[index] for index in part.tokens]
    has_agent = any(token.form in words_of("ergative") or is_agentive(token) for token in tokens)
    if not has_agent and not (group.is_passive and has_subject(sentence, part, verb)):
        return "no subject"
    phrases = [at for at in nominal_chunks(sentence, part.tokens) if at < verb and not has_ne(sentence, at)]
    may_lack = group.is_passive or is_report or sentence.chunks[verb - 1].tag in ("JJP", GERUND)
    return "" if phrases or may_lack or part.tokens[-1] >= sentence.chunks[verb].end else "no object"


def _objectless(sentence: Sentence, part: Part, verb: int, group: VerbGroup) -> str:
    """Returns why a clause with a shared subject may also share the object of the clause before it."""
    if not part.copied or not group.takes_agent_with_ne or (group.root, "") in reports():
        return ""
    phrases = [phrase for phrase in nominal_chunks(sentence, part.tokens) if phrase < verb]
    is_light = group.root in words_of("light") and phrases == [verb - 1] and is_bare(sentence, verb - 1)
    return "the object may be that of the clause before it" if is_light or not phrases else ""


def _is_pronoun(sentence: Sentence, phrase: int) -> bool:
    """Returns whether a phrase is a pronoun without a case marker, such as `vah`, but no adverb or possessor."""
    form = sentence.head_of(sentence.chunks[phrase]).form
    return any(form == pronoun.direct for pronoun in pronouns()) and is_bare(sentence, phrase)


def _demands_ne(root: str) -> bool:
    second = second_verbs().get(root)
    return takes_ne(root) and not (second is not None and second.bars_agent)


def _is_whole(sentence: Sentence, phrase: Sequence[int]) -> bool:
    """Returns whether a phrase without a case marker is not followed by more of a name."""
    last = sentence.tokens[phrase[-1]]
    following = sentence.tokens[phrase[-1] + 1] if phrase[-1] + 1 < len(sentence) else last
    return last.tag not in NOUNS or following.tag not in ("NNP", "NNPC", "NNC") or last.form == word_of("ergative")


def _guessed(sentence: Sentence, part: Part, group: VerbGroup, governor: Part | None) -> str:
    """Returns why the subject or the form of a participle's or gerund's new verb would be a guess."""
    main = verb_group(sentence, part.governor)
    if any(verb.root in words_of("completive") for verb in group.verbs[1:]):
        return "an auxiliary that the main verb does not have"
    if governor is None or main is None or main.tense is None or not main.takes_agent_with_ne:
        return "its subject is not certain"
    if any(token.root not in words_of("plain") for token in main.tense[1]) or main.has_vector:
        return "the tense of the main verb belongs to it alone"
    if main.root == group.root:
        return "the main verb may have the same object"
    agent, tokens = part.copied, part.tokens
    last = sentence.tokens[agent[-1]] if agent else None
    if last is None or not (last.form == word_of("ergative") or is_agentive(last)):
        return "its subject is not certain"
    start = min(governor.tokens[0], tokens[0])
    follows = agent[0] == start and tokens[0] == agent[-1] + 1
    precedes = tokens[0] == start and agent[0] in range(tokens[-1] + 1, tokens[-1] + 5)
    if not (follows or precedes):
        return "its arguments may be elsewhere"
    is_shared = _receives(sentence, part.tokens) and not _receives(sentence, governor.tokens)
    return _unagreed(sentence, part, group) or ("the main verb may have the same receiver" if is_shared else "")


def _receives(sentence: Sentence, tokens: Sequence[int]) -> bool:
    """Returns whether a noun phrase among tokens has `ko`."""
    return any(is_dative(sentence, phrase) for phrase in nominal_chunks(sentence, tokens))


def _unagreed(sentence: Sentence, part: Part, group: VerbGroup) -> str:
    """Returns why the agreement of a new transitive verb is uncertain."""
    if not any(reading.root == group.root for reading in analyse(group.verbs[0].form)):
        return "an unknown verb"
    if not takes_ne(group.root):
        return "the gender and honour of its subject are not certain"
    phrases = [phrase for phrase in nominal_chunks(sentence, part.tokens) if phrase < (part.verb or 0)]
    bare = [phrase for phrase in phrases if is_bare(sentence, phrase)]
    if not bare:
        if group.root in words_of("giving"):
            return "no object"
        return "" if any(is_dative(sentence, phrase) for phrase in phrases) else "no object"
    if group.root not in words_of("giving") and any(is_dative(sentence, phrase) for phrase in phrases):
        return "several phrases may be its object"
    chunk = sentence.chunks[bare[-1]]
    head = sentence.head_of(chunk)
    if len(bare) > 1 or bare[-1] != (part.verb or 0) - 1 or is_adverb(sentence, bare[-1]):
        return "several phrases may be its object"
    counted = any(sentence.tokens[at].tag in ("QF", "QC") for at in chunk.positions) or head.form.endswith("े")
    return "" if head.gender in ("m", "f") and (head.number == "pl" or not counted) else "no gender or number"
