"""Small random trees over a small alphabet, so that phrases often correspond."""

import numpy as np

from lattice_simp.systems.paraphrase.tree import Node, Tree

WORDS = "abcd"
CATEGORIES = ("X", "Y")


def random_tree(rng: np.random.Generator, *, most: int = 6, words: str = WORDS) -> Tree:
    """Returns a tree of 2 to `most` words, all of them content words."""
    length = int(rng.integers(2, most + 1))
    tokens = tuple(words[number] for number in rng.integers(0, len(words), length))
    nodes: list[Node] = []

    def grow(begin: int, end: int) -> int:
        number = len(nodes)
        nodes.append(Node("", begin, end))
        children = []
        position = begin
        while position < end:
            size = int(rng.integers(1, end - position + 1))
            if rng.random() < 0.7 and (size < end - begin):
                children.append(grow(position, position + size))
            position += size
        nodes[number] = Node(CATEGORIES[int(rng.integers(len(CATEGORIES)))], begin, end, tuple(children))
        return number

    grow(0, length)
    return Tree(tokens, ("NN",) * length, tokens, tuple(nodes))
