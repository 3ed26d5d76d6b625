"""Writes sentences as CoNLL-U with the treebank's tags (XPOS), relations, and chunks (MISC); `conllu.py` reads them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from lattice_simp.grammars.hindi import verbs
from lattice_simp.systems.hindi.formats.conllu import CASES, GENDERS, INFINITIVE, NUMBERS, OBLIQUE
from lattice_simp.systems.hindi.formats.tagset import tag_facts
from lattice_simp.systems.hindi.sentence import Chunk, Sentence, Token

_NONE = "_"
_VERBS = ("VERB", "AUX")
_FEATURES = {
    "gender": {letter: value for value, letter in GENDERS.items()},
    "number": {letter: value for value, letter in NUMBERS.items()},
    "case": {letter: value for value, letter in CASES.items() if value} | {OBLIQUE: "Acc"},
}
_HONORIFIC = "h"


def conllu_lines(sentence: Sentence) -> Iterator[str]:
    r"""Yields the lines of a sentence, ending with an empty one; elided words are left out.

    A chunk's head has the chunk's relation to the head of another chunk; other words depend on the head of their chunk.

    >>> from lattice_simp.systems.hindi.sentence import Chunk, Token
    >>> tokens = Token("राम", "NNP"), Token("ने", "PSP"), Token("कहा", "VM", "कह", tam="yA")
    >>> sentence = Sentence(tokens, (Chunk("NP", 0, 2, 1, "k1"), Chunk("VGF", 2, 3)), "7")
    >>> for line in conllu_lines(sentence):
    ...     print(line.replace("\t", " "))
    # sent_id = 7
    # text = राम ने कहा
    1 राम _ PROPN NNP _ 3 k1 _ ChunkId=NP|ChunkType=head
    2 ने _ ADP PSP _ 1 lwg__psp _ ChunkId=NP|ChunkType=child
    3 कहा कहना VERB VM _ 0 root _ ChunkId=VGF|ChunkType=head|Tam=yA
    <BLANKLINE>
    """
    sentence = sentence.without_empty
    if sentence.id:
        yield f"# sent_id = {sentence.id}"
    yield f"# text = {sentence}"
    heads = [sentence.head_position(chunk) for chunk in sentence.chunks]
    for chunk, head, name in zip(sentence.chunks, heads, _names(sentence.chunks), strict=True):
        for position in chunk.positions:
            token = sentence.tokens[position]
            if position != head:
                governor, relation = head + 1, tag_facts(token.tag).relation
            elif chunk.head < 0:
                governor, relation = 0, chunk.relation or "root"
            else:
                governor, relation = heads[chunk.head] + 1, chunk.relation or _NONE
            place = f"ChunkId={name}|ChunkType={'head' if position == head else 'child'}"
            yield "\t".join(
                (str(position + 1), *_description(token), str(governor), relation, _NONE, place + _misc(token))
            )
    yield ""


def _names(chunks: tuple[Chunk, ...]) -> Iterator[str]:
    """Yields a name for each chunk: `NP`, `NP2` …"""
    counts: Counter[str] = Counter()
    for chunk in chunks:
        counts[chunk.tag] += 1
        yield chunk.tag + (str(counts[chunk.tag]) if counts[chunk.tag] > 1 else "")


def _description(token: Token) -> tuple[str, ...]:
    """Returns the columns FORM to FEATS; the lemma of a verb is its infinitive, which `hai` and `thaa` do not have."""
    part = tag_facts(token.tag).part
    has_infinitive = part in _VERBS and bool(token.root) and verbs.generate(token.root, verbs.INFINITIVE) is not None
    lemma = token.root + INFINITIVE if has_infinitive else token.root
    return token.form, lemma or _NONE, part, token.tag or _NONE, _features(token)


def _features(token: Token) -> str:
    values = {name.capitalize(): mapping.get(getattr(token, name), "") for name, mapping in _FEATURES.items()}
    person = token.person.removesuffix(_HONORIFIC)
    if person.isdigit():
        values["Person"] = person
        values["Polite"] = "Form" if token.person.endswith(_HONORIFIC) else ""
    return "|".join(f"{name}={value}" for name, value in sorted(values.items()) if value) or _NONE


def _misc(token: Token) -> str:
    values = {"Tam": token.tam, "Vib": token.vibhakti}
    return "".join(f"|{name}={value}" for name, value in values.items() if value and "|" not in value)
