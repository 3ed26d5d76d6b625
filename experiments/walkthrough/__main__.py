"""Writes the walk-through: python -m experiments.walkthrough [experiments/walkthrough]."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import lattice_simp as ls
from lattice_simp import Decoder
from lattice_simp.core.lattice import Lattice
from lattice_simp.draw import to_svg
from lattice_simp.ops.compose_gappy import EditCosts
from lattice_simp.skeleton import read_skeletons
from lattice_simp.support.tables import grammar_path
from lattice_simp.support.textio import write_text
from lattice_simp.translate.derivation import COPY_RULE
from lattice_simp.translate.result import Translation
from lattice_simp.translate.strategies.skeleton_first import partial_lattice

DRAWN = 4
"""The number of hypotheses in a drawing; more would be illegible."""

RULES_SHOWN = 12


@dataclass
class Page:
    """The content so far."""

    parts: list[str] = field(default_factory=list)
    drawings: dict[str, str] = field(default_factory=dict)

    def say(self, text: str) -> None:
        """Adds a paragraph."""
        self.parts.append(text)

    def code(self, text: str) -> None:
        """Adds Python code."""
        self.parts.append(f"```python\n{text}\n```")

    def table(self, head: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
        """Adds a table."""
        lines = [head, ["---"] * len(head), *rows]
        self.parts.append("\n".join("| " + " | ".join(map(str, row)) + " |" for row in lines))

    def draw(self, name: str, lattice: Lattice, title: str) -> None:
        """Adds a drawing."""
        self.drawings[f"{name}.svg"] = to_svg(lattice, title=title)
        self.parts.append(f"![{title}]({name}.svg)")


def walk(decoder: ls.Decoder, skeleton: ls.Skeleton, reference: str) -> tuple[str, dict[str, str]]:
    """Translates a sentence step by step; returns the page and its drawings by file name."""
    page = Page()
    page.say("# One sentence, step by step")
    page.say("`python -m experiments.walkthrough` generated this page with the demo model.")
    plain = decoder.translate(skeleton.tokens)
    gappy = decoder.translate(skeleton.tokens, skeleton, strategy="gappy")
    first = decoder.translate(skeleton.tokens, skeleton, strategy="skeleton-first")
    _source(page, skeleton, reference)
    _full(page, decoder, plain)
    _skeleton(page, decoder, skeleton, gappy)
    _composition(page, skeleton, plain, gappy)
    _edits(page, plain, gappy)
    _skeleton_first(page, decoder, skeleton, first)
    _decisions(page, {"plain": plain, "gappy": gappy, "skeleton-first": first}, reference)
    return "\n\n".join(page.parts) + "\n", page.drawings


def _source(page: Page, skeleton: ls.Skeleton, reference: str) -> None:
    page.say("## 1. The sentence and its skeleton")
    page.say(f"> {skeleton.to_brackets()}")
    page.say(
        f"The words outside the brackets are the skeleton; each bracket is a gap. It keeps "
        f"{skeleton.compression_rate:.0%} of the words, and its gap type is *{skeleton.gap_type}*. "
        f"The reference translation is *{reference}*"
    )


def _full(page: Page, decoder: ls.Decoder, plain: Translation) -> None:
    page.say("## 2. The full lattice")
    page.code(f'decoder = ls.Decoder.load("model/")\nplain = decoder.translate("{" ".join(plain.source)}")')
    unscored = decoder.rules_lattice(plain.source)
    page.say(
        f"The rules alone give a lattice of {unscored.num_states} states and {unscored.num_arcs} arcs. With the "
        f"language model, and within {decoder.settings.beam:g} nats of the best path, {plain.lattice.num_states} "
        f"states and {plain.lattice.num_arcs} arcs are left. These are the best strings and their costs:"
    )
    _best(page, plain)
    page.draw("full", _few(plain), "The best translations without a skeleton")
    page.say("The best path used these rules:")
    uses = plain.derivation(plain.best)
    rows = [
        (f"{use.start}-{use.end}", _rule_text(decoder, use.rule, plain.source[use.start : use.end]))
        for use in uses[:RULES_SHOWN]
    ]
    page.table(("tokens", "rule"), rows)


def _skeleton(page: Page, decoder: ls.Decoder, skeleton: ls.Skeleton, gappy: Translation) -> None:
    page.say("## 3. The skeleton's translations, with gaps")
    count = len(gappy.skeleton_hypotheses)
    page.say(
        f"The same decoder translates the skeleton alone: *{' '.join(skeleton.words)}*. Its {count} best strings (at "
        f"most {decoder.settings.skeleton.hypotheses}) become an acceptor, with a loop at each state for other words. "
        f"These are the {min(DRAWN, count)} best:"
    )
    best = gappy.skeleton_hypotheses[:DRAWN]
    page.table(("skeleton's translation", "cost"), [(hypothesis.text, f"{hypothesis.cost:.2f}") for hypothesis in best])
    page.draw("skeleton", ls.gappy_acceptor(best).as_lattice(), "Gappy acceptor: a loop reads any word")


def _composition(page: Page, skeleton: ls.Skeleton, plain: Translation, gappy: Translation) -> None:
    page.say("## 4. Gappy composition")
    page.code(f'gappy = decoder.translate(sentence, "{skeleton.to_mask()}")')
    page.say(
        "The composition keeps the full hypotheses that contain a translation of the skeleton: "
        f"{gappy.lattice.num_states} states and {gappy.lattice.num_arcs} arcs. The cost of a path increases by the "
        "cost of the skeleton's translation times its weight."
    )
    _best(page, gappy)
    page.draw("joint", _few(gappy), "The best translations that contain a translation of the skeleton")
    rows = []
    for name, translation in (("plain", plain), ("gappy", gappy)):
        features = translation.features(translation.best)
        rows += [(name, feature, f"{value:.2f}") for feature, value in features.items() if value]
    page.say("The features of both best paths (a cost is minus their weighted sum):")
    page.table(("strategy", "feature", "value"), rows)


def _edits(page: Page, plain: Translation, gappy: Translation) -> None:
    page.say("## 5. When no translation fits")
    broken = [("völlig " + hypothesis.text, hypothesis.cost) for hypothesis in gappy.skeleton_hypotheses[:1]]
    acceptor = ls.gappy_acceptor(broken, symbols=plain.lattice.symbols)
    empty = ls.compose_gappy(plain.lattice, acceptor).empty
    tolerant = ls.compose_gappy(plain.lattice, acceptor, edits=EditCosts(), beam=8.0)
    best = ls.nbest(tolerant, 1)[0]
    page.say(
        f"Suppose that *{broken[0][0]}* is the only translation of the skeleton. The composition is "
        f"{'empty' if empty else 'not empty'}; with edits, at {EditCosts().deletion:g} nats for each missing word, it "
        f"returns *{best.text}* with edits of {-best.features['Edits']:.1f} nats."
    )


def _skeleton_first(page: Page, decoder: ls.Decoder, skeleton: ls.Skeleton, first: Translation) -> None:
    page.say("## 6. Skeleton first")
    rules, gaps = partial_lattice(decoder, skeleton)
    strings = ls.nbest(rules.lattice, DRAWN)
    page.say(
        f"In the other order, the gaps become the words {', '.join(f'`{gap}`' for gap in gaps)}, which stay "
        "unexpanded while the skeleton is decoded with the constraint of its n-best list. These are the best partial "
        "strings by the rules alone:"
    )
    page.draw("partial", Lattice.from_strings(strings), "Partial hypotheses, with their gaps unexpanded")
    page.say("Then each gap is replaced by the lattice of its own translations, and the language model sees all words:")
    _best(page, first)


def _decisions(page: Page, translations: dict[str, Translation], reference: str) -> None:
    page.say("## 7. Results")
    rows = [(name, result.best.text, result.best.text == reference) for name, result in translations.items()]
    page.table(("strategy", "translation", "equals the reference"), [(a, b, "yes" if c else "no") for a, b, c in rows])


def _best(page: Page, translation: Translation) -> None:
    rows = [(path.text, f"{path.cost:.2f}") for path in translation.nbest(DRAWN)]
    page.table(("translation", "cost"), rows)


def _few(translation: Translation) -> Lattice:
    return Lattice.from_strings(translation.nbest(DRAWN))


def _rule_text(decoder: ls.Decoder, rule: int, words: Sequence[str]) -> str:
    if rule == COPY_RULE:
        return f"{' '.join(words)} → {' '.join(words)} (unknown, passed through)"
    text = decoder.grammar.rule(rule)
    gaps = count(1)
    source = " ".join(symbol if isinstance(symbol, str) else f"X{next(gaps)}" for symbol in text.source)
    target = " ".join(symbol if isinstance(symbol, str) else f"X{symbol + 1}" for symbol in text.target)
    return f"{source} → {target}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Translates a held-out sentence of the demo step by step; writes README.md and the drawings."""
    parser = argparse.ArgumentParser(prog="python -m experiments.walkthrough", description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=Path(__file__).parent)
    parser.add_argument("--sentence", default="demo.21", help="the id of one of the demo's sentences")
    options = parser.parse_args(arguments)
    records = {record.id: record for record in read_skeletons(grammar_path("demo/data/test.jsonl"))}
    if options.sentence not in records:
        parser.error(f"there is no sentence {options.sentence!r}; there are {', '.join(list(records)[:3])} ...")
    record = records[options.sentence]
    reference = grammar_path("demo/data/test.de").read_text(encoding="utf-8").split("\n")[record.line]
    page, drawings = walk(Decoder.load(grammar_path("demo/data/rules.gz").parent), record.skeletons[0], reference)
    options.folder.mkdir(parents=True, exist_ok=True)
    for name, drawing in drawings.items():
        write_text(options.folder / name, drawing)
    write_text(options.folder / "README.md", page)
    print(f"{options.folder / 'README.md'} and {len(drawings)} drawings")


if __name__ == "__main__":
    main()
