"""Trees: from brackets, and from parses of dependencies."""

from __future__ import annotations

import numpy as np
import pytest

from lattice_simp import FormatError, LatticeSimpError, Tree
from lattice_simp.systems.paraphrase.constituents import constituents
from lattice_simp.systems.paraphrase.tree import Node, joined_trees
from lattice_simp.text.english.parse import Parse


def made(text):
    """Makes the tree of a parse that is written as word/tag/label/head, heads from 1, 0 for the root."""
    rows = [word.split("/") for word in text.split()]
    tokens, tags, labels, heads = zip(*rows, strict=True)
    lemmas = tuple(token.lower() for token in tokens)
    return constituents(Parse(tokens, tuple(int(head) - 1 for head in heads), labels, ("X",) * len(rows), tags, lemmas))


def categories(tree):
    return {" ".join(tree.phrase(number)): node.category for number, node in enumerate(tree.nodes)}


def test_verbs_take_objects_before_subjects():
    tree = made("he/PRP/nsubj/3 will/MD/aux/3 get/VB/ROOT/0 me/PRP/dative/3 a/DT/det/6 taxi/NN/dobj/3 ././punct/3")
    assert categories(tree) == {
        "he will get me a taxi .": "S-MD",
        "he will get me a taxi": "S-MD",
        "he": "NP-SUBJECT",
        "will get me a taxi": "VP-MD",
        "get me a taxi": "VP-VB",
        "get me": "VP-VB",
        "get": "VP-VB",
        "me": "NP-OBJECT",
        "a taxi": "NP-SG",
        "taxi": "N-SG",
    }


def test_nouns_take_determiners_before_what_follows():
    tree = made("the/DT/det/3 old/JJ/amod/3 houses/NNS/ROOT/0 on/IN/prep/3 Oak/NNP/compound/6 Street/NNP/pobj/4")
    result = categories(tree)
    assert result["the old houses on Oak Street"] == "NP-PL"
    assert result["the old houses"] == "NP-PL"
    assert result["old houses"] == "N-PL"
    assert result["on Oak Street"] == "PP"
    assert result["Oak"] == "NMOD-NNP"
    assert "houses on Oak Street" not in result


@pytest.mark.parametrize(
    ("text", "phrase", "category"),
    [
        ("water/NN/ROOT/0", "water", "NP-SG-BARE"),
        ("apples/NNS/ROOT/0 and/CC/cc/1 pears/NNS/conj/1", "apples and pears", "NP-PL"),
        ("seen/VBN/ROOT/0 by/IN/agent/1 him/PRP/pobj/2", "seen by him", "VP-PASSIVE"),
        ("it/PRP/nsubjpass/3 was/VBD/auxpass/3 seen/VBN/ROOT/0", "was seen", "VP-VBD-WAS-PASSIVE"),
        ("they/PRP/nsubj/3 have/VBP/aux/3 gone/VBN/ROOT/0", "have gone", "VP-VBP-PERFECT"),
        ("it/PRP/nsubj/2 is/VBZ/ROOT/0 the/DT/det/4 end/NN/attr/2", "the end", "NP-SG-PREDICATE-DEFINITE"),
        ("it/PRP/nsubj/2 is/VBZ/ROOT/0 an/DT/det/4 end/NN/attr/2", "an end", "NP-SG-PREDICATE"),
        ("who/WP/nsubj/2 left/VBD/relcl/3 man/NN/ROOT/0", "who left", "SBAR-REL-VBD"),
        ("if/IN/mark/3 he/PRP/nsubj/3 left/VBD/ROOT/0", "if he left", "SBAR"),
        ("did/VBD/aux/3 he/PRP/nsubj/3 leave/VB/ROOT/0 ?/./punct/3", "did he leave ?", "SQ"),
        ("the/DT/det/2 king/NN/poss/4 's/POS/case/2 house/NN/ROOT/0", "the king 's", "POSS"),
    ],
)
def test_categories(text, phrase, category):
    assert categories(made(text))[phrase] == category


def test_nodes_know_their_heads():
    tree = made("the/DT/det/3 old/JJ/amod/3 houses/NNS/nsubj/4 stand/VBP/ROOT/0 on/IN/prep/4 hills/NNS/pobj/5")
    values = {" ".join(tree.phrase(number)): tree.tokens[head] for number, head in enumerate(tree.heads.tolist())}
    assert values["the old houses"] == values["old houses"] == "houses"
    assert values["on hills"] == "on"
    assert values["stand on hills"] == values["the old houses stand on hills"] == "stand"
    assert set(Tree.from_brackets("(S (NP (PRP it)) (VP (VBD rained)))").heads.tolist()) == {-1}


def test_what_is_not_contiguous_is_no_constituent():
    tree = made("a/DT/det/2 story/NN/nsubj/3 came/VBD/ROOT/0 about/IN/prep/2 cats/NNS/pobj/4")
    assert "a story" in categories(tree)
    assert all("story" not in words or "came" in words or words in ("a story", "story") for words in categories(tree))


def test_all_parses_make_trees():
    for seed in range(200):
        rng = np.random.default_rng(seed)
        size = int(rng.integers(1, 9))
        heads = [-1 if position == 0 else int(rng.integers(-1, position)) for position in range(size)]
        order = rng.permutation(size)
        places = np.argsort(order)
        moved = [heads[entry] if heads[entry] < 0 else int(places[heads[entry]]) for entry in order]
        tags = tuple(rng.choice(["NN", "VB", "IN", "DT", "JJ", "XX", ","], size))
        labels = tuple(rng.choice(["nsubj", "dobj", "det", "conj", "cc", "punct", "aux", "relcl"], size))
        words = tuple(f"w{position}" for position in range(size))
        tree = constituents(Parse(words, tuple(moved), labels, ("X",) * size, tags, words))
        assert tree.phrase(0) == words, f"seed {seed}"
        for number in range(len(tree.nodes)):
            parts = [(part,) if isinstance(part, str) else tree.phrase(part) for part in tree.parts(number)]
            assert sum(parts, ()) == tree.phrase(number), f"seed {seed}"


def test_brackets_of_treebanks():
    tree = Tree.from_brackets("( (S (NP-SBJ=1 (-NONE- *)) (NP-TMP (NN today)) (VP (VBD left) (-LRB- -LRB-))) )")
    assert tree.tokens == ("today", "left", "(")
    assert [node.category for node in tree.nodes] == ["S", "NP", "VP"]


@pytest.mark.parametrize(
    ("text", "words", "nodes"),
    [
        ("(PRN (( () (NP (NNP D.)) () )))", "( D. )", ["PRN 0-3", "NP 1-2"]),
        ("(S (NP (-LRB- ()\n(NN a)\t(-RRB- ))) (VP (VBD sat)))", "( a ) sat", ["S 0-4", "NP 0-3", "VP 3-4"]),
        ("(S (NP (NN a)) (: ())", "a (", ["S 0-2", "NP 0-1"]),
        ("( (S (NP (NN a)) (VP (VBD sat))) (. .) )", "a sat .", ["TOP 0-3", "S 0-2", "NP 0-1", "VP 1-2"]),
        ("((NP (NN a)) (VP (VBD sat)))", "a sat", ["TOP 0-2", "NP 0-1", "VP 1-2"]),
        ("(((NP (NN a)) (VP (VBD sat))))", "a sat", ["TOP 0-2", "NP 0-1", "VP 1-2"]),
        ("( (NN a) (NN b) )", "a b", ["TOP 0-2"]),
        ("(S ((NP (NN a)) (VP (VBD sat))) (. .))", "a sat .", ["S 0-3", "NP 0-1", "VP 1-2"]),
        ("(S (NP (NN a))\n   (VP (VBD sat)))\n", "a sat", ["S 0-2", "NP 0-1", "VP 1-2"]),
        ("(S (NP (-NONE- *)) (-NONE- 0) (NN a))", "a", ["S 0-1"]),
        ("(S " * 400 + "(NN a)" + ")" * 400, "a", ["S 0-1"] * 400),
    ],
)
def test_brackets_are_words_or_around_constituents(text, words, nodes):
    tree = Tree.from_brackets(text)
    assert " ".join(tree.tokens) == words
    assert [f"{node.category} {node.begin}-{node.end}" for node in tree.nodes] == nodes
    assert all(number < child for number, node in enumerate(tree.nodes) for child in node.children)
    reached = {child for node in tree.nodes for child in node.children}
    assert reached == set(range(1, len(tree.nodes)))


def test_random_trees_come_back_from_brackets():
    """Raw brackets, escaped ones and line ends are read alike."""
    for seed in range(200):
        rng = np.random.default_rng(seed)
        words: list[str] = []

        def written(depth, rng=rng, words=words):
            if depth == 0 or rng.random() < 0.4:
                words.append(str(rng.choice(["a", "(", ")", "b-c"])))
                tag = {"(": "-LRB-", ")": "-RRB-"}.get(words[-1], "NN")
                if tag == "NN":
                    return f"(NN {words[-1]})"
                shown = words[-1] if rng.random() < 0.5 else tag
                return f"({shown} {shown})"
            inner = [written(depth - 1) for _ in range(rng.integers(1, 4))]
            label, blank = "NP" if rng.random() < 0.8 else "", rng.choice([" ", "\n"])
            return f"({label}{blank}{blank.join(inner)})"

        text = f"(S {written(4)} {written(4)})"
        tree = Tree.from_brackets(text)
        assert list(tree.tokens) == words, f"seed {seed}: {text}"
        assert [tag for tag, word in zip(tree.tags, words, strict=True) if word in "()"] == [
            {"(": "-LRB-", ")": "-RRB-"}[word] for word in words if word in "()"
        ], f"seed {seed}"
        lines = list(enumerate(text.split("\n"), start=1))
        assert [number for number, _ in joined_trees([*lines, (99, ""), *lines])] == [1, 99, 1], f"seed {seed}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(S (CD (212)))", "a constituent without words: '212'"),
        ("(S (NN a(b)))", "a constituent without words: 'b'"),
        ("(S (NP) (NN b))", "a constituent without words: 'NP'"),
        ("(S (NP (NN a)) ())", "a constituent without words"),
        ("(S (: :-)))", "do not match"),
        ("(S (NN a b))", "a word without its tag: 'b'"),
        ("(S (NP (NN a)) b)", "a word without its tag: 'b'"),
        ("(" * 100_000, "nested deeper than 500"),
        ("(S " * 600 + "(NN a)" + ")" * 600, "nested deeper than 500"),
    ],
)
def test_what_would_be_lost_is_refused(text, message):
    with pytest.raises(FormatError, match=message):
        Tree.from_brackets(text)


@pytest.mark.parametrize(
    "text",
    ["", "word", "(S (NP word)", "(S (NP (NN a)) b)", "(S (NN a)) (S (NN b))", "(NN a)", "()", "(S (NP (-NONE- *)))"],
)
def test_what_is_no_tree(text):
    with pytest.raises(FormatError, match=r"\(write Penn brackets"):
        Tree.from_brackets(text)


@pytest.mark.parametrize(
    ("nodes", "message"),
    [
        ((), "without words"),
        ((Node("X", 0, 1),), "not the whole sentence"),
        ((Node("X", 0, 2, (1,)), Node("X", 1, 3)), "does not fit its children"),
        ((Node("X", 0, 2, (0,)),), "does not fit its children"),
    ],
)
def test_nodes_that_are_no_tree(nodes, message):
    with pytest.raises(LatticeSimpError, match=message):
        Tree(("a", "b"), ("X", "X"), ("a", "b"), nodes)


@pytest.mark.parametrize("heads", [[*range(1, 1500), -1], [-1, *[0] * 1499]], ids=["chain", "flat"])
def test_deep_parses_are_nested_without_recursion(heads):
    count = len(heads)
    labels = tuple("ROOT" if head == -1 else "compound" for head in heads)
    words, nouns, tags = (tuple(f"w{place}" for place in range(count)), ("NOUN",) * count, ("NN",) * count)
    tree = constituents(Parse(words, tuple(heads), labels, nouns, tags, words))
    assert (tree.nodes[0].begin, tree.nodes[0].end) == (0, count)
    assert len(tree.nodes) > count
