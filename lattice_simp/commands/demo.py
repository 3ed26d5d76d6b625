"""`lattice-simp demo`: held-out sentences of the demo grammar with the three strategies, a table and two drawings."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from lattice_simp.commands.running.compiling import compiling_in_parallel
from lattice_simp.commands.shared.options import Detail, OutputFolder, command_app
from lattice_simp.errors import MissingExtraError
from lattice_simp.support.tables import grammar_path
from lattice_simp.support.textio import write_text

if TYPE_CHECKING:
    from lattice_simp import Decoder, Skeleton
    from lattice_simp.translate.result import Translation

app = command_app()

FIRST = 21
"""The held-out sentence that the demo begins with: the first one that gappy composition corrects."""

DRAWN_STRINGS = 6
"""Hypotheses in a drawing; more would not be legible."""


@app.command()
def demo(
    sentences: Annotated[int, typer.Option(help="number of held-out sentences", min=1, max=200)] = 5,
    output: Annotated[OutputFolder, Detail("holds the drawings and the results")] = Path("build/demo"),
) -> None:
    """Translate sentences of the built-in grammar with three strategies. Example: lattice-simp demo"""
    run_demo(sentences, output, Console())


@dataclass(frozen=True)
class StrategyResult:
    """The results of a strategy on the demo's sentences."""

    strategy: str
    sentences: int
    exact: int
    bleu: float
    signature: str
    seconds_per_sentence: float
    skeleton_found: int | None


def run_demo(sentences: int, output: Path, console: Console) -> list[StrategyResult]:
    """Translates held-out sentences from `FIRST` on, prints a table and an example, draws its lattices."""
    from lattice_simp import Decoder
    from lattice_simp.skeleton import read_skeletons
    from lattice_simp.translate.strategies import STRATEGIES

    output.mkdir(parents=True, exist_ok=True)
    records = list(read_skeletons(grammar_path("demo/data/test.jsonl")))
    lines = grammar_path("demo/data/test.de").read_text(encoding="utf-8").splitlines()
    chosen = [(FIRST + number) % len(records) for number in range(sentences)]
    skeletons = [records[number].skeletons[0] for number in chosen]
    references = [lines[number] for number in chosen]
    with compiling_in_parallel():
        decoder = Decoder.load(grammar_path("demo/data/rules.gz").parent)
        console.print(
            f"{decoder.grammar.num_rules} rules, a {decoder.language_models['LM'].order}-gram model; "
            "compiling (half a minute to a minute the first time) ..."
        )
        decoder.translate(skeletons[0].tokens, skeletons[0], strategy="skeleton-first")
    translations: dict[str, list[Translation]] = {}
    results = []
    for strategy in STRATEGIES:
        begin = time.monotonic()
        translations[strategy] = [
            decoder.translate(skeleton.tokens, None if strategy == "plain" else skeleton, strategy=strategy)
            for skeleton in skeletons
        ]
        results.append(_score(strategy, translations[strategy], references, time.monotonic() - begin))
    shown = _most_instructive(translations, references)
    paths = _draw(decoder, skeletons[shown], translations["gappy"][shown], output)
    write_text(output / "results.json", json.dumps([asdict(result) for result in results], indent=1) + "\n")
    console.print(_table(results))
    console.print(
        f"{len(skeletons)} of {len(records)} held-out sentences, not a random sample: gappy composition corrects the "
        f"first; BLEU: {results[0].signature}",
        style="dim",
    )
    _show(console, skeletons[shown], references[shown], {name: each[shown] for name, each in translations.items()})
    for path in paths:
        console.print(f"drawn: {path}")
    return results


def _score(
    strategy: str, translations: Sequence[Translation], references: Sequence[str], seconds: float
) -> StrategyResult:
    from lattice_simp.metrics import bleu_tok

    lines = [translation.best.text for translation in translations]
    metric = bleu_tok()
    return StrategyResult(
        strategy=strategy,
        sentences=len(lines),
        exact=sum(line == reference for line, reference in zip(lines, references, strict=True)),
        bleu=metric.corpus_score(lines, [list(references)]),
        signature=metric.signature,
        seconds_per_sentence=seconds / len(lines),
        skeleton_found=None
        if strategy == "plain"
        else sum(bool(translation.reachable) for translation in translations),
    )


def _table(results: Sequence[StrategyResult]) -> Table:
    table = Table("strategy", "BLEU", "equal to the reference", "contain the skeleton", "s/sentence")
    for result in results:
        contain = "" if result.skeleton_found is None else f"{result.skeleton_found} of {result.sentences}"
        table.add_row(
            result.strategy,
            f"{result.bleu:.1f}",
            f"{result.exact} of {result.sentences}",
            contain,
            f"{result.seconds_per_sentence:.2f}",
        )
    return table


def _most_instructive(translations: dict[str, list[Translation]], references: Sequence[str]) -> int:
    """Picks a sentence that plain decoding gets wrong and most strategies with a skeleton get right."""

    def rank(number: int) -> tuple[bool, int, int]:
        right = {name: each[number].best.text == references[number] for name, each in translations.items()}
        return not right["plain"], right["gappy"] + right["skeleton-first"], -len(references[number])

    return max(range(len(references)), key=rank)


def _show(console: Console, skeleton: Skeleton, reference: str, translations: dict[str, Translation]) -> None:
    table = Table(show_header=False, title="example")
    table.add_row("source", escape(skeleton.to_brackets()), style="bold")
    table.add_row("skeleton", " ".join(skeleton.words))
    if translations["gappy"].skeleton_hypotheses:
        table.add_row("its translation", translations["gappy"].skeleton_hypotheses[0].text)
    for name, translation in translations.items():
        mark = "right" if translation.best.text == reference else "differs"
        table.add_row(f"{name} ({mark})", translation.best.text)
    table.add_row("reference", reference)
    console.print(table)


def _draw(decoder: Decoder, skeleton: Skeleton, joint: Translation, output: Path) -> list[Path]:
    """Draws the best full hypotheses, and the gappy acceptor of the skeleton's best hypotheses (DOT without `draw`)."""
    from lattice_simp import Lattice, gappy_acceptor
    from lattice_simp.draw import to_dot, to_svg

    acceptor = gappy_acceptor(joint.skeleton_hypotheses[:DRAWN_STRINGS], loops="rho")
    drawings = {
        "full": (
            Lattice.from_strings(joint.nbest(DRAWN_STRINGS)),
            "Translations of the sentence that contain one of the skeleton",
        ),
        "skeleton": (acceptor.as_lattice(), f"Gappy acceptor of the skeleton: {' '.join(skeleton.words)}"),
    }
    paths = []
    for name, (lattice, title) in drawings.items():
        try:
            path, text = output / f"{name}.svg", to_svg(lattice, title=title)
        except MissingExtraError:
            path, text = output / f"{name}.dot", to_dot(lattice, title)
        write_text(path, text)
        paths.append(path)
    return paths
