"""Files of the two universal treebanks of Hindi, read as they are, give the same clauses and simple sentences."""

from __future__ import annotations

from pathlib import Path

import pytest

from lattice_simp.systems.hindi.clause import bracketed
from lattice_simp.systems.hindi.formats.conllu import read_conllu
from lattice_simp.systems.hindi.formats.conllu_tree import treebank_tree
from lattice_simp.systems.hindi.from_tree import clauses_of_tree
from lattice_simp.systems.hindi.rules import rule_clauses
from lattice_simp.systems.hindi.simplify import simplify

TREEBANKS = ("hdtb", "pud")

BY_TREE = """\
(main लड़के ने बताया (comp कि (coord उसकी माँ अध्यापिका है , ) और (coord पिता खेती करते हैं ) ) । )
(coord रेलगाड़ी देर से आई लेकिन (coord सभी यात्री पहुँच गए ) । )
(main मीना ने (nonfin बाज़ार जाकर ) एक किताब देखी , (rel जो बहुत पुरानी थी ) । )
(coord पुराना पुल तोड़ा गया और (coord उसके बाद नया बनाया गया ) । )"""

BY_RULES = """\
(main लड़के ने बताया (comp कि (coord उसकी माँ अध्यापिका है ) , और (coord पिता खेती करते हैं ) ) । )
(coord रेलगाड़ी देर से आई ) लेकिन (coord सभी यात्री पहुँच गए । )
(main मीना ने (nonfin बाज़ार जाकर ) एक किताब देखी , (rel जो बहुत पुरानी थी ) । )
(coord पुराना पुल तोड़ा गया ) और (coord उसके बाद नया बनाया गया । )"""

SIMPLE = """\
लड़के ने बताया । उसकी माँ अध्यापिका है । पिता खेती करते हैं ।
रेलगाड़ी देर से आई । लेकिन सभी यात्री पहुँच गए ।
मीना बाज़ार गई । मीना ने एक किताब देखी । वह बहुत पुरानी थी ।
पुराना पुल तोड़ा गया । उसके बाद नया बनाया गया ।"""


@pytest.fixture(params=TREEBANKS)
def sentences(request):
    path = Path(__file__).with_name(f"{request.param}.conllu")
    return [treebank_tree(sentence) for sentence in read_conllu(path)]


@pytest.mark.parametrize(("find", "expected"), [(clauses_of_tree, BY_TREE), (rule_clauses, BY_RULES)])
def test_clauses(sentences, find, expected):
    marked = [bracketed([token.form for token in each.tokens], find(each), kinds=True) for each in sentences]
    assert "\n".join(marked) == expected


def test_simple_sentences(sentences):
    results = [simplify(sentence, clauses_of_tree(sentence), every_clause=True) for sentence in sentences]
    assert "\n".join(" ".join(map(str, result.sentences)) for result in results) == SIMPLE


def test_roots_of_verbs(sentences):
    roots = [token.root for token in sentences[0].tokens if token.tag in ("VM", "VAUX")]
    assert roots == ["बता", "है", "कर", "है"]
