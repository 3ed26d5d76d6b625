"""Puts agents in the case that their verb requires: `machharon ke` to `machharon ne`, `ladke ne` to `ladkaa`."""

from __future__ import annotations

from collections.abc import Sequence

from lattice_simp.grammars.hindi.nouns import noun_form
from lattice_simp.grammars.hindi.spelling import composed
from lattice_simp.systems.hindi.sentence import PUNCTUATION, Token
from lattice_simp.systems.hindi.simplify.model import Word
from lattice_simp.systems.hindi.simplify.tables import Pronoun, pronouns, word_of, words_of

NOUNS = ("NN", "NNP", "NNC", "NNPC", "NST")
_PRONOUNS = ("PRP", "DEM", "WQ")
_REASON = "the case that its verb requires"


def is_agentive(token: Token) -> bool:
    """Returns whether a token is a pronoun that includes `ne` (`usne`)."""
    return any(token.form == pronoun.agent for pronoun in pronouns())


def has_case_marker(tokens: Sequence[tuple[int, Token]]) -> bool:
    """Returns whether a phrase has a case marker other than `ne` and the genitive (`use`, `raam ko`)."""
    last = _last_content(tokens)
    markers = [token.form for _, token in tokens[last + 1 :] if token.tag == "PSP"]
    if any(form not in (*words_of("ergative"), *words_of("genitive")) for form in markers):
        return True
    form = tokens[last][1].form
    return any(form == pronoun.dative and form not in (pronoun.direct, pronoun.genitive) for pronoun in pronouns())


def agent_words(tokens: Sequence[tuple[int, Token]], *, with_ne: bool, reason: str = "") -> tuple[Word, ...]:
    """Writes an agent's phrase with `ne` or in the direct case; `reason` marks a copy of the phrase."""
    last = _last_content(tokens)
    marker = [position for position, token in tokens[last + 1 :] if token.tag == "PSP"]
    # A copy does not repeat `bhii` and `to`.
    particles = [] if reason else [pair for pair in tokens[last + 1 :] if pair[1].tag == "RP"]
    phrase = tokens[: last + 1]
    pronoun = _pronoun(phrase[-1][1])
    has_case = bool(marker) or (pronoun is not None and phrase[-1][1].form != pronoun.direct)
    words = _with_ne(phrase, marker, has_case=has_case) if with_ne else _direct(phrase, has_case=has_case)
    words += [Word(token.form, (position,)) for position, token in particles]
    return tuple(Word(word.form, word.sources, reason or word.reason) for word in words)


def _last_content(tokens: Sequence[tuple[int, Token]]) -> int:
    return max(
        (position for position, (_, token) in enumerate(tokens) if token.tag not in ("PSP", "RP", PUNCTUATION)),
        default=0,
    )


def _with_ne(phrase: Sequence[tuple[int, Token]], marker: list[int], *, has_case: bool) -> list[Word]:
    position, token = phrase[-1]
    if pronoun := _pronoun(token):
        return [*_modifiers(phrase[:-1], oblique=True), _word(position, token, pronoun.agent, tuple(marker))]
    words = [Word(part.form, (index,)) for index, part in phrase] if has_case else _oblique(phrase)
    return [*words, Word(word_of("ergative"), tuple(marker), _REASON)]


def _oblique(phrase: Sequence[tuple[int, Token]]) -> list[Word]:
    position, token = phrase[-1]
    if token.tag not in NOUNS:
        return [*_modifiers(phrase, oblique=True)]
    form = token.form
    if token.number == "pl":
        form = noun_form(token.root or form, token.gender, "oblique_plural")
    elif token.gender != "f" and token.tag == "NN":
        form = noun_form(form, "m", "oblique") if form.endswith("ा") else form
    return [*_modifiers(phrase[:-1], oblique=True), _word(position, token, form)]


def _direct(phrase: Sequence[tuple[int, Token]], *, has_case: bool) -> list[Word]:
    position, token = phrase[-1]
    if not has_case:
        return [Word(part.form, (index,)) for index, part in phrase]
    if pronoun := _pronoun(token):
        return [*_modifiers(phrase[:-1], oblique=False), _word(position, token, pronoun.direct)]
    form, root = token.form, composed(token.root)
    if form.endswith(("ों", "ओं")) and root and root != form and token.tag in NOUNS:
        form = noun_form(root, token.gender, "plural")
    elif form.endswith("े") and root.endswith("ा") and token.number != "pl":
        form = root
    inflects = token.gender != "f" and token.number != "pl"
    return [*_modifiers(phrase[:-1], oblique=False, inflects=inflects), _word(position, token, form)]


def _modifiers(phrase: Sequence[tuple[int, Token]], *, oblique: bool, inflects: bool = True) -> list[Word]:
    """Inflects demonstratives, adjectives and genitives to agree with the noun in case."""
    words = []
    for index, (position, token) in enumerate(phrase):
        form = token.form
        if token.tag == "DEM":
            form = _demonstrative(form, oblique=oblique)
        elif index == len(phrase) - 1 and oblique and form in words_of("direct_genitive"):
            form = word_of("oblique_genitive")
        elif index == len(phrase) - 1 and oblique and token.tag in ("JJ", *_PRONOUNS) and form.endswith("ा"):
            form = form[:-1] + "े"
        elif index == len(phrase) - 1 and not oblique and inflects and form in words_of("oblique_genitive"):
            form = word_of("direct_genitive")
        words.append(_word(position, token, form))
    return words


def _demonstrative(form: str, *, oblique: bool) -> str:
    for pronoun in pronouns():
        if form == (pronoun.direct if oblique else pronoun.oblique):
            return pronoun.oblique if oblique else pronoun.direct
    return form


def _pronoun(token: Token) -> Pronoun | None:
    if token.tag not in _PRONOUNS:
        return None
    for pronoun in pronouns():
        if token.form in (pronoun.direct, pronoun.agent, pronoun.genitive):
            return pronoun
    return None


def _word(position: int, token: Token, form: str, more: tuple[int, ...] = ()) -> Word:
    return Word(form, (position, *more), "" if form == token.form and not more else _REASON)
