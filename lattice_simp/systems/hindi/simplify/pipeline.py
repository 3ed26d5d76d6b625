"""Splits complex Hindi sentences into several simple ones (Mishra, Soni, Sharma and Sharma 2014)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from enum import IntEnum
from itertools import islice

from lattice_simp.grammars.hindi.romanisation import romanise
from lattice_simp.grammars.hindi.symbols import classes_of
from lattice_simp.systems.hindi.clause import Clause
from lattice_simp.systems.hindi.sentence import CONJUNCTION, FINITE, PUNCTUATION, VERBS, Sentence
from lattice_simp.systems.hindi.simplify.arguments import share_agents
from lattice_simp.systems.hindi.simplify.cataphors import with_cataphors
from lattice_simp.systems.hindi.simplify.clause_tree import Node, clause_tree, is_joining
from lattice_simp.systems.hindi.simplify.doubts import doubtful, torn, unbalanced, without_needless
from lattice_simp.systems.hindi.simplify.gerunds import split_gerunds
from lattice_simp.systems.hindi.simplify.keeping import keep_together
from lattice_simp.systems.hindi.simplify.meaning import is_asking
from lattice_simp.systems.hindi.simplify.model import (
    Change,
    ChangeKind,
    Part,
    Refusal,
    SimpleSentence,
    Simplified,
    Word,
)
from lattice_simp.systems.hindi.simplify.nominal_cases import agent_words
from lattice_simp.systems.hindi.simplify.script import in_devanagari, is_romanised
from lattice_simp.systems.hindi.simplify.split import split_clauses
from lattice_simp.systems.hindi.simplify.tables import words_of
from lattice_simp.systems.hindi.simplify.tam import conjugate, without_relatives

QUESTION_MARK = "?"

MAX_ROUNDS = 32
"""The most rounds of splitting. Each round undoes all impossible splits of the last one; few sentences need more than
five rounds, and a sentence that needs more than this is not split."""


class Stage(IntEnum):
    """The last step of a simplification; the paper reports the output of each module."""

    SPLIT = 1
    GERUNDS = 2
    ARGUMENTS = 3
    TENSE = 4


def simplify(
    sentence: Sentence, clauses: Sequence[Clause], *, until: Stage = Stage.TENSE, every_clause: bool = False
) -> Simplified:
    """Splits a complex sentence into several simple ones.

    >>> from lattice_simp.systems.hindi.clause import parse_bracketed
    >>> from lattice_simp.systems.hindi.sentence import Chunk, Token
    >>> words, clauses = parse_bracketed("( raam ne kahaa ( ki siitaa ghar gaii ) )")
    >>> tags = "NNP PSP VM CC NNP NN VM".split()
    >>> phrases = [("NP", 0, 2), ("VGF", 2, 3), ("CCP", 3, 4), ("NP", 4, 5), ("NP", 5, 6), ("VGF", 6, 7)]
    >>> sentence = Sentence(tuple(map(Token, words, tags)), tuple(Chunk(*phrase) for phrase in phrases))
    >>> [str(simple) for simple in simplify(sentence, clauses).sentences]
    ['raam ne yah kahaa', 'siitaa ghar gaii']

    It makes no split that would lose a word, leave a sentence without a verb, or separate what belongs together
    (conditions, alternatives, direct speech and its verb).

    Args:
        sentence: the sentence with tags and chunks, in Devanagari or romanised; agents and arguments come from the
            dependency tree if there is one, otherwise from the chunks.
        clauses: the nested clauses of the sentence; without types, conditions are recognised by their markers only.
        until: the last step.
        every_clause: whether to split at every clause, as the paper does, also where the sentences may not say the
            same as the source: by default only statements that stand alone become sentences.
    """
    source = in_devanagari(sentence)
    if not is_complex(source) or _holds_speech(source):
        return _unchanged(sentence)
    refused: dict[str, str] = {}
    for _ in range(MAX_ROUNDS):
        tree = clause_tree(source, clauses)
        reasons = keep_together(source, tree, refused, every_clause=every_clause)
        rendered, refusals = _simplified(source, tree, refused, until, careful=not every_clause)
        if not refusals:
            return _result(sentence, source, rendered, reasons | refused)
        blamed = _blamed(refusals, tree, refused)
        if not blamed:
            break
        refused |= blamed
    return _unchanged(sentence)


def _holds_speech(sentence: Sentence) -> bool:
    """Returns whether a sentence continues after a quotation that ends with a stop: `"…!" raam bole`."""
    forms = [token.form for token in sentence.tokens if not token.is_empty]
    ends = {*words_of("statement"), *words_of("question")}
    return any(
        mark in ends and "quote" in classes_of(quote) and rest not in (*ends, *words_of("closing"))
        for mark, quote, rest in zip(forms, forms[1:], forms[2:], strict=False)
    )


def _simplified(
    source: Sentence, tree: Node, refused: dict[str, str], until: Stage, *, careful: bool
) -> tuple[list[list[Word]], list[Refusal]]:
    """Makes all splits that are not refused yet, and returns the sentences and the splits to refuse."""
    parts = split_clauses(source, tree)
    if careful and until == Stage.TENSE:
        parts = with_cataphors(source, parts)
    refusals: list[Refusal] = []
    if until >= Stage.GERUNDS:
        parts = split_gerunds(source, parts, refused)
    if until >= Stage.ARGUMENTS:
        parts = without_needless(source, share_agents(source, parts))
        if careful and (doubts := doubtful(source, parts)):
            return [], doubts
        if until == Stage.ARGUMENTS:
            parts = [replace(part, subject=_copied_words(source, part.copied)) for part in parts]
        else:
            results = [conjugate(source, part) for part in parts]
            refusals = [result for result in results if isinstance(result, Refusal)]
            parts = [result for result in results if isinstance(result, Part)]
            parts = [without_relatives(source, part, careful=careful) for part in parts]
    rendered = [_render(source, part, until) for part in parts]
    names = [part.name for part in parts]
    if len(rendered) > 1:
        refusals = refusals or check(source, names, rendered)
        if careful:
            refusals = refusals or unbalanced(names, rendered) or torn(source, names, rendered)
    if until == Stage.TENSE:
        refusals = refusals or _bare(source, parts, rendered)
    return rendered, refusals


def _bare(source: Sentence, parts: Sequence[Part], rendered: Sequence[Sequence[Word]]) -> list[Refusal]:
    """Refuses one participle for each verb that would remain alone."""
    refusals = []
    for part, words in zip(parts, rendered, strict=True):
        tokens = [source.tokens[position] for word in words for position in word.sources]
        if all(token.tag in (*VERBS, PUNCTUATION, CONJUNCTION, "RP") for token in tokens):
            governed = (other.name for other in parts if other.kind == "participle" and other.governor == part.verb)
            refusals += [Refusal(name, "would leave nothing but a verb") for name in islice(governed, 1)]
    return refusals


def _copied_words(source: Sentence, copied: Sequence[int]) -> tuple[Word, ...]:
    if not copied:
        return ()
    phrase = [(position, source.tokens[position]) for position in copied]
    return agent_words(phrase, with_ne=False, reason="shared with another sentence")


def _render(source: Sentence, part: Part, until: Stage) -> list[Word]:
    words = [*part.lead, *part.subject]
    verbal = part.kind != "finite" and until < Stage.TENSE
    for position in part.tokens:
        token = source.tokens[position]
        if position in part.instead:
            words += part.instead[position]
        elif not token.is_empty:
            words.append(Word(token.form, (position,), is_verb=verbal and token.tag == "VM"))
    return words


def _blamed(refusals: Sequence[Refusal], tree: Node, refused: dict[str, str]) -> dict[str, str]:
    """Returns the splits to undo with reasons: the named ones, otherwise the last one, if any."""
    named = {
        refusal.name: refusal.reason for refusal in reversed(refusals) if refusal.name and refusal.name not in refused
    }
    if named:
        return named
    left = [node.name for node in tree.walk() if node.name and not node.is_kept and node.name not in refused]
    return {left[-1]: refusals[0].reason} if left else {}


def _unchanged(sentence: Sentence) -> Simplified:
    positions = [position for position, token in enumerate(sentence.tokens) if not token.is_empty]
    words = tuple(sentence.tokens[position].form for position in positions)
    return Simplified((SimpleSentence(words, tuple((position,) for position in positions)),))


def _result(
    sentence: Sentence, source: Sentence, rendered: Sequence[Sequence[Word]], reasons: dict[str, str]
) -> Simplified:
    if len(rendered) < 2:
        return replace(_unchanged(sentence), kept_together=tuple(reasons.items()))
    roman = is_romanised(sentence)
    stop, plain = _full_stop(sentence), words_of("statement")[roman]
    sentences = [_written(sentence, source, words, roman=roman) for words in rendered]
    if stop is not None:
        marked = _marked(sentence, source, stop, rendered)
        first = min(marked)
        sentences = [
            _stopped(sentence, simple, stop, plain, has_mark=position in marked, is_first=position == first)
            for position, simple in enumerate(sentences)
        ]
    kept = {index for simple in sentences for index in simple.kept}
    dropped = tuple((index, _why_dropped(source, index)) for index in range(len(source)) if index not in kept)
    return Simplified(tuple(sentences), dropped, tuple(reasons.items()))


def _why_dropped(source: Sentence, position: int) -> str:
    if source.tokens[position].is_empty:
        return "stands for an elided word"
    if source.tokens[position].tag == PUNCTUATION:
        return "a mark between clauses"
    return "joins clauses" if is_joining(source, position) else "its phrase is in another case"


def _written(sentence: Sentence, source: Sentence, words: Sequence[Word], *, roman: bool) -> SimpleSentence:
    """Writes unchanged words in the spelling of the source."""
    forms, changes = [], []
    for word in words:
        unchanged = len(word.sources) == 1 and word.form == source.tokens[word.sources[0]].form
        form = sentence.tokens[word.sources[0]].form if unchanged else romanise(word.form) if roman else word.form
        if word.reason:
            kind = ChangeKind.COPIED if word.reason.startswith("shared") else ChangeKind.CHANGED
            changes.append(Change(kind if word.sources else ChangeKind.ADDED, form, word.reason))
        forms.append(form)
    return SimpleSentence(tuple(forms), tuple(word.sources for word in words), tuple(changes))


def _full_stop(sentence: Sentence) -> int | None:
    """Returns the position of the final stop, possibly before closing quotes and brackets; None if there is none."""
    for position in reversed(range(len(sentence))):
        token = sentence.tokens[position]
        if _ends(token.form):
            return position
        if not token.is_empty and token.form not in words_of("closing"):
            return None
    return None


def _ends(form: str) -> bool:
    return form in words_of("statement") or form in words_of("question")


def _marked(sentence: Sentence, source: Sentence, stop: int, rendered: Sequence[Sequence[Word]]) -> set[int]:
    """Returns the sentences that end like the source: for a question those that ask, otherwise the last one."""
    asking = {
        position
        for position, words in enumerate(rendered)
        if any(is_asking(source.tokens[index]) for word in words for index in word.sources)
    }
    return asking if asking and sentence.tokens[stop].form == QUESTION_MARK else {len(rendered) - 1}


def _stopped(
    sentence: Sentence, simple: SimpleSentence, stop: int, plain: str, *, has_mark: bool, is_first: bool
) -> SimpleSentence:
    """Ends a sentence with the source's mark or a plain one; the first such sentence takes over the source token."""
    mark = sentence.tokens[stop].form
    if simple.words and _ends(simple.words[-1]):
        return simple
    mark = mark if has_mark or mark in words_of("statement") else plain
    changes = simple.changes if is_first else (*simple.changes, Change(ChangeKind.ADDED, mark, "ends the sentence"))
    return SimpleSentence((*simple.words, mark), (*simple.sources, (stop,) if is_first else ()), changes)


def lost_tokens(sentence: Sentence, sentences: Sequence[Sequence[Word]]) -> list[int]:
    """Returns the tokens in no sentence, except for marks and words that only join clauses."""
    kept = {position for words in sentences for word in words for position in word.sources}
    return [index for index in range(len(sentence)) if index not in kept and not is_joining(sentence, index)]


def has_verb(sentence: Sentence, words: Sequence[Word]) -> bool:
    """Returns whether a sentence has a finite verb, from the source or made finite."""
    sources = {position for word in words for position in word.sources}
    near = (sentence.chunks[position] for position in sentence.chunks_around(sources))
    finite = (position for chunk in near if chunk.tag == FINITE for position in sentence.verbs(chunk))
    return any(word.is_verb for word in words) or not sources.isdisjoint(finite)


def check(sentence: Sentence, names: Sequence[str], sentences: Sequence[Sequence[Word]]) -> list[Refusal]:
    """Returns the splits that leave a sentence without a verb; if there are none, a lost word."""
    refusals = [
        Refusal(name, "would leave a sentence without a verb")
        for name, words in zip(names, sentences, strict=True)
        if not has_verb(sentence, words)
    ]
    lost = [sentence.tokens[position].form for position in lost_tokens(sentence, sentences)[:1]]
    return refusals or [Refusal("", f"would lose {form}") for form in lost]


MAX_SIMPLE_LENGTH = 5
"""Sentences of up to this many words count as simple."""


def is_complex(sentence: Sentence) -> bool:
    """Returns whether a sentence has more than five words, without punctuation, and two verb groups or a conjunction.

    >>> from lattice_simp.systems.hindi.sentence import CONJUNCTION, PUNCTUATION, VERBS, Chunk, Token
    >>> tokens = tuple(map(Token, "raam ne khaanaa khaakar paanii piyaa".split(), "NNP PSP NN VM NN VM".split()))
    >>> chunks = [Chunk("NP", 0, 2), Chunk("NP", 2, 3), Chunk("VGNF", 3, 4), Chunk("NP", 4, 5), Chunk("VGF", 5, 6)]
    >>> is_complex(Sentence(tokens, tuple(chunks))), is_complex(Sentence(tokens[:4], tuple(chunks[:3])))
    (True, False)
    """
    words = [token for token in sentence.tokens if token.tag != PUNCTUATION and not token.is_empty]
    verbs = sum(chunk.is_verbal and not chunk.is_empty for chunk in sentence.chunks)
    conjunctions = sum(token.tag == CONJUNCTION for token in words)
    return len(words) > MAX_SIMPLE_LENGTH and (verbs > 1 or conjunctions > 0)
