"""The ranks of a layered layout: which links run backwards, and how far right each node stands."""

from __future__ import annotations

from collections.abc import Sequence


def turned_links(num_nodes: int, links: Sequence[tuple[int, int]]) -> list[bool]:
    """Marks the links that close a cycle in a depth-first search from node 0 (then from the others in order).

    >>> turned_links(3, [(0, 1), (1, 2), (2, 0)])
    [False, False, True]
    """
    outgoing = _outgoing(num_nodes, links)
    turned = [False] * len(links)
    new, open_, closed = 0, 1, 2
    states = [new] * num_nodes
    for root in range(num_nodes):
        if states[root] != new:
            continue
        states[root] = open_
        stack = [(root, iter(outgoing[root]))]
        while stack:
            node, rest = stack[-1]
            link = next(rest, None)
            if link is None:
                states[node] = closed
                stack.pop()
                continue
            head = links[link][1]
            turned[link] = states[head] == open_
            if states[head] == new:
                states[head] = open_
                stack.append((head, iter(outgoing[head])))
    return turned


def longest_path_ranks(num_nodes: int, links: Sequence[tuple[int, int]]) -> list[int]:
    """Returns each node of an acyclic graph the number of links on the longest path to it.

    >>> longest_path_ranks(3, [(0, 1), (1, 2), (0, 2)])
    [0, 1, 2]
    """
    outgoing = _outgoing(num_nodes, links)
    waiting = [0] * num_nodes
    for _, head in links:
        waiting[head] += 1
    ranks = [0] * num_nodes
    ready = [node for node in range(num_nodes) if not waiting[node]]
    for node in ready:
        for link in outgoing[node]:
            head = links[link][1]
            ranks[head] = max(ranks[head], ranks[node] + 1)
            waiting[head] -= 1
            if not waiting[head]:
                ready.append(head)
    return ranks


def _outgoing(num_nodes: int, links: Sequence[tuple[int, int]]) -> list[list[int]]:
    outgoing: list[list[int]] = [[] for _ in range(num_nodes)]
    for number, (tail, _) in enumerate(links):
        outgoing[tail].append(number)
    return outgoing
