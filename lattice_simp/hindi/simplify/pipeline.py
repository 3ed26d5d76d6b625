"""Complex Hindi sentences as several simple ones (Mishra, Soni, Sharma and Sharma 2014)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from enum import IntEnum

from lattice_simp.hindi.clause import Clause
from lattice_simp.hindi.romanise import romanise
from lattice_simp.hindi.sentence import Sentence
from lattice_simp.hindi.simplify.clause_tree import Node, clause_tree, is_joining
from lattice_simp.hindi.simplify.complexity import PUNCTUATION, is_complex
from lattice_simp.hindi.simplify.gerunds import split_gerunds
from lattice_simp.hindi.simplify.guard import check
from lattice_simp.hindi.simplify.keep import keep_together
from lattice_simp.hindi.simplify.model import (
    Change,
    ChangeKind,
    Part,
    PartKind,
    SimpleSentence,
    Simplified,
    SplitRefusedError,
    Word,
)
from lattice_simp.hindi.simplify.nominal_cases import agent_words
from lattice_simp.hindi.simplify.relative_pronouns import without_relatives
from lattice_simp.hindi.simplify.script import in_devanagari, is_romanised
from lattice_simp.hindi.simplify.shared_arguments import share_agents
from lattice_simp.hindi.simplify.split import split_clauses
from lattice_simp.hindi.simplify.tam import conjugate

_FULL_STOPS = ("।", ".", "?", "!", "|")


class Stage(IntEnum):
    """How far a simplification goes: the paper shows what its modules give one after the other."""

    SPLIT = 1
    GERUNDS = 2
    ARGUMENTS = 3
    TENSE = 4


def simplify(sentence: Sentence, clauses: Sequence[Clause], *, until: Stage = Stage.TENSE) -> Simplified:
    """Makes several simple sentences of a complex one.

    >>> from lattice_simp.hindi.clause import parse_bracketed
    >>> from lattice_simp.hindi.simplify.cases import parse_sentence
    >>> sentence = parse_sentence("raam/NNP ne/PSP | khaanaa/NN | khaakara/VM:VGNF | paanii/NN | piyaa/VM")
    >>> _, clauses = parse_bracketed("( raam ne ( khaanaa khaakara ) paanii piyaa )")
    >>> [str(one) for one in simplify(sentence, clauses).sentences]
    ['raam ne khaanaa khaayaa', 'raam ne paanii piyaa']

    Splits that would lose a word, leave a sentence without a verb, or tear apart what only says something together
    (conditions, alternatives) are not made.

    Args:
        sentence: with tags and chunks, in Devanagari or romanised; agents and arguments come from the dependency
            tree, or from the chunks where there is none.
        clauses: of the sentence, nested; without types, clauses are split in the same way, but conditions are known
            by their markers only.
        until: the last step that is taken.
    """
    source = in_devanagari(sentence)
    if not is_complex(source):
        return _unchanged(sentence)
    refused: dict[str, str] = {}
    while True:
        tree = clause_tree(source, clauses)
        reasons = keep_together(source, tree, refused)
        try:
            parts, rendered = _simplified(source, tree, refused, until)
            check(source, [part.name for part in parts], rendered)
            if until == Stage.TENSE:
                _check_bare(source, parts, rendered)
        except SplitRefusedError as error:
            name = _blamed(error.name, tree, refused)
            if name is None:
                return _unchanged(sentence)
            refused[name] = error.reason
            continue
        return _result(sentence, source, rendered, reasons | refused)


def _simplified(
    source: Sentence, tree: Node, refused: dict[str, str], until: Stage
) -> tuple[list[Part], list[list[Word]]]:
    parts = split_clauses(source, tree)
    if until >= Stage.GERUNDS:
        parts = split_gerunds(source, parts, refused)
    if until >= Stage.ARGUMENTS:
        shared = share_agents(source, parts)
        if until == Stage.ARGUMENTS:
            parts = [replace(one.part, subject=_as_given(source, one.copied)) for one in shared]
        else:
            parts = [without_relatives(source, conjugate(source, one)) for one in shared]
    return parts, [_render(source, part, until) for part in parts]


def _check_bare(source: Sentence, parts: Sequence[Part], rendered: Sequence[Sequence[Word]]) -> None:
    """Refuses to split off a participle that leaves nothing but the verb."""
    for part, words in zip(parts, rendered, strict=True):
        tokens = [source.tokens[at] for word in words for at in word.sources]
        if all(token.tag in ("VM", "VAUX", "SYM", "CC", "RP") for token in tokens):
            for other in parts:
                if other.kind == PartKind.PARTICIPLE and other.governor == part.verb:
                    raise SplitRefusedError(other.name, "would leave nothing but a verb")


def _as_given(source: Sentence, copied: Sequence[int]) -> tuple[Word, ...]:
    if not copied:
        return ()
    return agent_words([(at, source.tokens[at]) for at in copied], with_ne=False, reason="shared with another sentence")


def _render(source: Sentence, part: Part, until: Stage) -> list[Word]:
    words = [*part.lead, *part.subject]
    verbal = part.kind != "finite" and until < Stage.TENSE
    for place in part.tokens:
        token = source.tokens[place]
        if place in part.instead:
            words += part.instead[place]
        elif not token.is_empty:
            words.append(Word(token.form, (place,), is_verb=verbal and token.tag == "VM"))
    return words


def _blamed(name: str, tree: Node, refused: dict[str, str]) -> str | None:
    """The split to undo: the named one, else the last one that is still made; None if none is left."""
    names = [node.name for node in tree.walk() if node.name and not node.is_kept]
    if name and name not in refused:
        return name
    left = [one for one in names if one not in refused]
    return left[-1] if left else None


def _unchanged(sentence: Sentence) -> Simplified:
    places = [place for place, token in enumerate(sentence.tokens) if not token.is_empty]
    words = tuple(sentence.tokens[place].form for place in places)
    return Simplified((SimpleSentence(words, tuple((place,) for place in places)),))


def _result(
    sentence: Sentence, source: Sentence, rendered: Sequence[Sequence[Word]], reasons: dict[str, str]
) -> Simplified:
    if len(rendered) < 2:
        return replace(_unchanged(sentence), kept_together=tuple(reasons.items()))
    roman = is_romanised(sentence)
    stop = _full_stop(sentence)
    sentences = []
    for place, words in enumerate(rendered):
        made = _written(sentence, source, words, roman=roman)
        if stop is not None:
            made = _stopped(sentence, made, stop, is_last=place == len(rendered) - 1)
        sentences.append(made)
    kept = {at for one in sentences for at in one.kept}
    dropped = tuple((at, _why_dropped(source, at)) for at in range(len(source)) if at not in kept)
    return Simplified(tuple(sentences), dropped, tuple(reasons.items()))


def _why_dropped(source: Sentence, place: int) -> str:
    if source.tokens[place].is_empty:
        return "stands for an elided word"
    if source.tokens[place].tag == PUNCTUATION:
        return "a mark between clauses"
    return "joins clauses" if is_joining(source, place) else "its phrase stands in another case"


def _written(sentence: Sentence, source: Sentence, words: Sequence[Word], *, roman: bool) -> SimpleSentence:
    """Puts the source's own spelling back where a word is unchanged."""
    forms, changes = [], []
    for word in words:
        own = len(word.sources) == 1 and word.form == source.tokens[word.sources[0]].form
        form = sentence.tokens[word.sources[0]].form if own else romanise(word.form) if roman else word.form
        if word.reason:
            kind = ChangeKind.COPIED if word.reason.startswith("shared") else ChangeKind.CHANGED
            changes.append(Change(kind if word.sources else ChangeKind.ADDED, form, word.reason))
        forms.append(form)
    return SimpleSentence(tuple(forms), tuple(word.sources for word in words), tuple(changes))


def _full_stop(sentence: Sentence) -> int | None:
    last = len(sentence) - 1
    return last if last >= 0 and sentence.tokens[last].form in _FULL_STOPS else None


def _stopped(sentence: Sentence, made: SimpleSentence, stop: int, *, is_last: bool) -> SimpleSentence:
    """Ends a sentence as the source ends; only the last one asks or exclaims with it."""
    mark = sentence.tokens[stop].form
    if made.words and made.words[-1] in _FULL_STOPS:
        return made
    plain = mark if mark in ("।", ".", "|") or is_last else "."
    changes = made.changes if is_last else (*made.changes, Change(ChangeKind.ADDED, plain, "ends the sentence"))
    return SimpleSentence((*made.words, plain), (*made.sources, (stop,) if is_last else ()), changes)
