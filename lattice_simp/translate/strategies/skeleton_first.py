"""Skeleton-first decoding (Hasler et al. 2016, section 4.1).

1. The gaps of the sentence become single tokens, which translate to themselves and may occur wherever a constituent
   may. Phrasal rules that match the skeleton across a gap are added, with the gap placed according to the rule's word
   alignment. The rules' lattice of this *partial* sentence holds the gaps as words.
2. Forced decoding: the lattice is composed with the skeleton's n-best list; the gaps are invisible to it.
3. Each gap is replaced by the lattice of its own translations.
4. The language models see the full strings only.

Only the rules added in step 1 cross the border of a gap.
"""

from __future__ import annotations

import functools
from bisect import bisect
from collections.abc import Sequence
from dataclasses import replace
from itertools import count, islice

import numpy as np

from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.kernel import Bools, Floats
from lattice_simp.core.lattice import Lattice
from lattice_simp.errors import LatticeSimpError
from lattice_simp.ops.compose_gappy import MAX_PAIRS, compose_gappy
from lattice_simp.ops.gappy_acceptor import GappyAcceptor, gappy_acceptor
from lattice_simp.ops.prune import prune
from lattice_simp.ops.replace import replace as replace_words
from lattice_simp.skeleton import Skeleton
from lattice_simp.translate.affiliation import NO_TOKEN, target_tokens
from lattice_simp.translate.derivation import StepLattice
from lattice_simp.translate.grammar import Grammar
from lattice_simp.translate.items import Excerpt, ExtraItem
from lattice_simp.translate.lattice_decoder import LatticeDecoder
from lattice_simp.translate.match import match
from lattice_simp.translate.part_pruning import PartPruning
from lattice_simp.translate.result import Translation
from lattice_simp.translate.source import Source
from lattice_simp.translate.strategies.task import Task
from lattice_simp.translate.word_alignment import gap_position

GAP = "<gap:{}>"
"""The token, and the target word, of an unexpanded gap."""

PARTIAL_BEAM, PARTIAL_ARCS = 10.0, 2000
"""The beam (nats) and the arcs of the forced skeleton lattice before its gaps are expanded: its costs are those of the
skeleton alone, so the beam is wider than the final one."""

GAP_PRUNING = PartPruning(beam=10.0, max_arcs=1000)
"""The pruning of a gap's lattice before it is put into each of its positions."""


def translate(decoder: LatticeDecoder, task: Task) -> Translation:
    """Decodes the skeleton with unexpanded gaps, forced towards the skeleton's n-best list, then expands the gaps.

    It uses the first of several skeletons. If no partial hypothesis contains a skeleton hypothesis, or the rules have
    no translation for a gap alone, it returns the plain lattice, and `reachable` is False.
    """
    skeleton, settings = task.skeletons[0], decoder.settings
    if settings.engine != "arrays":
        raise LatticeSimpError("skeleton-first decoding needs derivations; use the engine arrays")
    hypotheses = Task(task.source, (skeleton,), task.hypotheses).skeleton_nbest(decoder)
    partial, gap_words = partial_lattice(decoder, skeleton)
    acceptor, hypotheses = _fitting(hypotheses, partial.lattice, decoder.skeleton_scores.names)
    forced = _forced(decoder, partial, acceptor, gap_words)
    gaps = [] if forced.empty else list(zip(gap_words, skeleton.gaps, strict=True))
    parts = {
        name: _gap_lattice(decoder, task.words[gap.start : gap.end], range(gap.start, gap.end + 1))
        for name, gap in gaps
    }
    if forced.empty or any(part.empty for part in parts.values()):
        plain = decoder.lattice(task.words, settings.beam)
        return Translation(task.words, "skeleton-first", plain, decoder.grammar, False, hypotheses)
    full = decoder.with_models(replace_words(forced, parts), settings.beam)
    return Translation(task.words, "skeleton-first", full, decoder.grammar, True, hypotheses)


def _fitting(
    hypotheses: tuple[Hypothesis, ...], partial: Lattice, features: Sequence[str]
) -> tuple[GappyAcceptor, tuple[Hypothesis, ...]]:
    """Makes the acceptor of as many of the best hypotheses as the composition with the partial lattice can take."""
    acceptor = gappy_acceptor(hypotheses, symbols=partial.symbols, features=features)
    while partial.num_states * acceptor.acceptor.num_states > MAX_PAIRS and len(hypotheses) > 1:
        hypotheses = hypotheses[: len(hypotheses) // 2]
        acceptor = gappy_acceptor(hypotheses, symbols=partial.symbols, features=features)
    return acceptor, hypotheses


def _gap_lattice(decoder: LatticeDecoder, words: Sequence[str], tokens: range) -> Lattice:
    """Returns the translations of a gap, pruned without knowledge of the words around them.

    The rules of a nested grammar are chosen as if the gap were a sentence.
    """
    rules = decoder.rules(words, Excerpt(tokens))
    model, weight = next(iter(decoder.models.values()))
    used = np.flatnonzero(np.bincount(rules.lattice.olabels)).astype(np.int32)
    pruner = GAP_PRUNING.for_words(model, weight, rules.lattice.symbols, used[used > 0])
    return replace(rules, lattice=pruner.lattice(rules.lattice)).named()


def partial_lattice(decoder: LatticeDecoder, skeleton: Skeleton) -> tuple[StepLattice, list[str]]:
    """Returns the rules' lattice of the skeleton with its gaps as words, and those words in order.

    Input labels are steps, whose spans count tokens of the full sentence.
    """
    tokens: list[str] = []
    token_start: list[int] = []  # where each partial token begins in the full sentence
    unused = (word for word in map(GAP.format, count()) if word not in skeleton.tokens)
    gap_words = list(islice(unused, len(skeleton.gaps)))
    gap_at = {gap.start: (name, gap.end) for name, gap in zip(gap_words, skeleton.gaps, strict=True)}
    position = 0
    while position < len(skeleton.tokens):
        name, end = gap_at.get(position, (skeleton.tokens[position], position + 1))
        tokens.append(name)
        token_start.append(position)
        position = end
    token_start.append(position)
    is_gap = np.array([token in set(gap_words) for token in tokens], dtype=np.bool_)
    grammar = replace(decoder.grammar, target_words=decoder.grammar.target_words.with_words(gap_words))
    extra = crossing_rules(grammar, decoder.costs.rules, tokens, is_gap, decoder.settings.max_span)
    parse = decoder.parse(tokens, Excerpt(token_start, is_gap, extra, grammar.target_words))
    return parse.lattice(functools.partial(decoder.kept_items, invisible=gap_words)), gap_words


def crossing_rules(
    grammar: Grammar, rule_costs: Floats, tokens: Sequence[str], is_gap: Bools, max_span: int
) -> list[ExtraItem]:
    """Finds the phrasal rules that match across gaps, with the gaps inserted on both sides."""
    kept = np.flatnonzero(~is_gap)
    if len(kept) == 0:
        return []
    words = [tokens[index] for index in kept.tolist()]
    sentence = grammar.source_words.lookup(words, missing=len(grammar.source_words))
    matches = match(grammar, Source.from_words(words), sentence, max_span)
    phrasal = (matches.pattern >= 0) & (matches.slots[:, 0] < 0)
    items = []
    for number in np.flatnonzero(phrasal).tolist():
        start, last = int(kept[matches.span[number, 0]]), int(kept[matches.span[number, 1] - 1])
        inner = [index for index in range(start, last) if is_gap[index]]
        if not inner:
            continue
        pattern = int(matches.pattern[number])
        for rule in range(int(grammar.pattern_rules[pattern]), int(grammar.pattern_rules[pattern + 1])):
            symbols, owners = gapped_side(grammar, rule, tokens, range(start, last + 1), is_gap)
            cost = float(rule_costs[rule])
            items.append(ExtraItem(int(matches.left[number]), start, last + 1, symbols, cost, rule, owners))
    return items


def gapped_side(
    grammar: Grammar, rule: int, tokens: Sequence[str], span: range, is_gap: Bools
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Returns a phrasal rule's target side with the gaps of `span` inserted (see `word_alignment.gap_position`).

    Returns:
        Its symbols, and the token that each belongs to, NO_TOKEN for gaps.
    """
    target = grammar.target[grammar.target_offsets[rule] : grammar.target_offsets[rule + 1]]
    points = grammar.alignment[grammar.alignment_offsets[rule] : grammar.alignment_offsets[rule + 1]]
    words = [index for index in span if not is_gap[index]]
    owners = target_tokens(target, points, np.array(words, dtype=np.int32), span.start).tolist()
    parts = [
        ((place, 1), symbol, owner) for place, (symbol, owner) in enumerate(zip(target.tolist(), owners, strict=True))
    ]
    for index in span:
        if is_gap[index]:
            place = gap_position(points.tolist(), bisect(words, index), len(words), len(target))
            parts.append(((place, 0), int(grammar.target_words.lookup([tokens[index]])[0]), NO_TOKEN))
    parts.sort(key=lambda part: part[0])  # at each place, gaps in their own order, then the symbol
    return tuple(symbol for _, symbol, _ in parts), tuple(owner for _, _, owner in parts)


def _forced(
    decoder: LatticeDecoder, partial: StepLattice, acceptor: GappyAcceptor, gap_words: Sequence[str]
) -> Lattice:
    """Composes with the skeleton hypotheses; only gaps may occur between their words.

    The result is pruned by the language models, which skip the gaps; then their costs are removed again.
    """
    rules = partial.lattice
    labels = sorted(label for label in map(rules.symbols.find, gap_words) if label is not None)
    is_gap, num_steps = np.isin(rules.olabels, labels), int(rules.ilabels.max(initial=0)) + 1
    gaps = np.where(is_gap, 1 + np.searchsorted(labels, rules.olabels), 0)
    hidden = replace(
        rules,
        ilabels=(rules.ilabels + num_steps * gaps).astype(np.int32),  # input labels also say which gap is hidden
        olabels=np.where(is_gap, 0, rules.olabels).astype(np.int32),
    )
    no_loops = replace(acceptor, has_loop=np.zeros_like(acceptor.has_loop))
    joint = compose_gappy(hidden, no_loops, weight=decoder.skeleton_scores.factor, beam=None)
    if joint.empty:
        return joint
    scored = prune(decoder.with_models(joint, PARTIAL_BEAM), PARTIAL_BEAM, max_arcs=PARTIAL_ARCS)
    weights = scored.weights - decoder.word_penalty * (scored.olabels > 0)
    finals = scored.finals.copy()
    for name, (_, weight) in decoder.models.items():
        weights += weight * scored.features[name]
        finals += weight * scored.features.final(name)
    kept_gaps, steps = np.divmod(scored.ilabels, num_steps)
    forced = replace(
        scored,
        ilabels=steps,
        olabels=np.where(kept_gaps > 0, np.array([0, *labels], dtype=np.int32)[kept_gaps], scored.olabels),
        weights=weights,
        finals=finals,
        features=scored.features.without(*decoder.models),
    )
    return replace(partial, lattice=forced).named()
