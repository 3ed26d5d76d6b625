"""`lattice-simp skeleton ...`: makes skeletons; describes, converts and compares skeleton files."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import tee
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import typer

from lattice_simp.commands.runs import annotation
from lattice_simp.commands.shared.messages import say
from lattice_simp.commands.shared.options import Detail, Lm, Model, Output, OutputFolder, command_app, refuse_idle
from lattice_simp.errors import LatticeSimpError
from lattice_simp.skeleton.automatic.methods import METHODS
from lattice_simp.support.plurals import counted

if TYPE_CHECKING:
    from collections.abc import Callable

    from lattice_simp.skeleton import Skeleton
    from lattice_simp.skeleton.automatic import Parse
    from lattice_simp.skeleton.automatic.methods import Made

app = command_app("Make skeletons, summarise and convert their files, and manage annotators' judgements.")
app.add_typer(annotation.app, name="annotation")


_NEEDED = {"tagger": "a folder that `lattice-simp skeleton train` wrote", "model": "a language model"}


if TYPE_CHECKING:
    MethodName = str
else:
    MethodName = Literal[tuple(METHODS)]

Source: TypeAlias = Annotated[Path, typer.Argument(help="JSON lines or bracket text; - for stdin")]
To: TypeAlias = Annotated[
    Literal["brackets", "jsonl", "masks"] | None,
    typer.Option("--to", help="output format; default: jsonl for .jsonl names, else brackets"),
]


@app.command()
def info(source: Source) -> None:
    """Print the number of skeletons, gap types and lengths. Example: lattice-simp skeleton info skeletons.jsonl"""
    from rich.console import Console

    from lattice_simp.commands.inputs.sentences import read_records
    from lattice_simp.skeleton import skeleton_statistics, statistics_table

    skeletons = [skeleton for record in read_records(source) for skeleton in record.skeletons]
    Console().print(statistics_table(skeleton_statistics(skeletons), title=str(source)))


@app.command()
def convert(
    source: Source,
    output: Output = "-",
    to: To = None,
    mask_index: Annotated[int, typer.Option(min=0, help="which of several skeletons to use, from 0")] = 0,
) -> None:
    """Convert skeletons. Example: lattice-simp skeleton convert a.txt --output a.jsonl"""
    from lattice_simp.commands.inputs.sentences import read_records
    from lattice_simp.skeleton import write_brackets, write_skeletons
    from lattice_simp.support.textio import open_text

    chosen = to or ("jsonl" if ".jsonl" in Path(output).suffixes else "brackets")
    records = read_records(source)
    if chosen == "jsonl":
        refuse_idle(["mask_index"], "with jsonl, which holds all skeletons")
        write_skeletons(output, records)
        return
    skeletons = (record.skeletons[min(mask_index, len(record.skeletons) - 1)] for record in records)
    if chosen == "brackets":
        write_brackets(output, skeletons)
        return
    with open_text(output, "w") as file:
        file.writelines(skeleton.to_mask() + "\n" for skeleton in skeletons)


@app.command()
def make(
    source: Annotated[Path, typer.Argument(help="tokenised English sentences, one per line; - for stdin")],
    output: Annotated[Output, Detail("JSON lines")] = "-",
    method: Annotated[
        MethodName,
        typer.Option(help="method; dependency needs no model, and optimal uses a tagger's scores if --model names one"),
    ] = "dependency",
    model: Annotated[Model | None, Detail("a tagger of `skeleton train`")] = None,
    lm: Annotated[Lm, Detail("English, for optimal")] = None,
    rate: Annotated[float, typer.Option(help="target compression rate: kept tokens divided by all tokens")] = 0.6,
    candidates: Annotated[int, typer.Option(min=1, help="maximum skeletons per sentence")] = 1,
) -> None:
    """Make skeletons. Example: lattice-simp skeleton make a.en --output skeletons.jsonl"""
    from lattice_simp.commands.inputs.token_forms import checked_tokens
    from lattice_simp.skeleton import write_skeletons
    from lattice_simp.skeleton.automatic import parse_sentences, parser_name
    from lattice_simp.skeleton.automatic.candidates import check_wanted
    from lattice_simp.skeleton.automatic.methods import record_of

    check_wanted(rate, candidates)
    make_them = _maker(method, model, lm, rate, candidates)
    say(f"parsing with {parser_name()}")
    numbered, sentences = tee(_token_lines(source))
    parses = parse_sentences(checked_tokens((tokens for _, tokens in sentences), source))
    records = (record_of(make_them(parse), str(line), line) for (line, _), parse in zip(numbered, parses, strict=True))
    write_skeletons(output, records)


@app.command()
def train(
    files: Annotated[list[Path], typer.Argument(help="skeletons, or with --pairs sentences and their compressions")],
    output: Annotated[OutputFolder, Detail("holds the tagger")],
    pairs: Annotated[bool, typer.Option("--pairs", help="read tokenised sentences and their compressions")] = False,
) -> None:
    """Train a tagger. Example: lattice-simp skeleton train a.jsonl --output model (or: a.en a.short --pairs)"""
    from lattice_simp.skeleton.automatic import DeletionTagger, parse_sentences, parser_name, read_pairs

    if len(files) != (2 if pairs else 1):
        expected = "sentences and compressions, with --pairs" if pairs else "skeletons"
        raise LatticeSimpError(f"{counted(len(files), 'file')}; give {expected}")
    groups: list[tuple[Skeleton, ...]]
    if pairs:
        skeletons, num_mismatches = read_pairs(files[0], files[1])
        say(f"{len(skeletons)} compressions; skipped {num_mismatches} that are not a subsequence of their sentence")
        groups = [(skeleton,) for skeleton in skeletons]
    else:
        from lattice_simp.commands.inputs.sentences import read_records

        groups = [record.skeletons for record in read_records(files[0])]
    parser = parser_name()
    parses = parse_sentences(group[0].tokens for group in groups)
    examples = ((parse, kept) for parse, group in zip(parses, groups, strict=True) for kept in group)
    tagger = DeletionTagger.train(output, examples, meta={"parser": parser, "data": [path.name for path in files]})
    say(f"{output}: trained on {tagger.meta['examples']} skeletons, parsed with {parser}")


@app.command()
def score(
    gold: Annotated[Path, typer.Argument(help="reference skeletons (JSON lines or bracket text)")],
    predicted: Annotated[Path, typer.Argument(help="skeletons to score, matched by id")],
) -> None:
    """Score skeletons against references. Example: lattice-simp skeleton score gold.jsonl predicted.jsonl"""
    from lattice_simp.commands.inputs.sentences import read_records
    from lattice_simp.skeleton.automatic import compare_records

    records, predictions = list(read_records(gold)), list(read_records(predicted))
    try:
        result = compare_records(records, predictions)
    except LatticeSimpError as error:
        raise LatticeSimpError(f"{gold} and {predicted}: {error}") from error
    print(f"sentences\t{result.sentences}")
    for name, value in result.rows.items():
        print(f"{name}\t{value:.4f}")


def _maker(name: str, tagger: Path | None, lm: Path | None, rate: float, candidates: int) -> Callable[[Parse], Made]:
    """Loads the models that a method needs, and refuses others; returns the function that makes skeletons."""
    from lattice_simp import LanguageModel
    from lattice_simp.skeleton.automatic import DeletionTagger, Request
    from lattice_simp.skeleton.automatic.tree_acceptor import TangledTreeError

    method = METHODS[name]
    for what, option, path in (("tagger", "--model", tagger), ("model", "--lm", lm)):
        if path is None and what in method.needs:
            raise LatticeSimpError(f"--method {name} needs {option}: {_NEEDED[what]}")
        if path is not None and what not in method.needs | method.takes:
            users = " or ".join(method_name for method_name, user in METHODS.items() if what in user.needs | user.takes)
            raise LatticeSimpError(f"--method {name} does not use {option}: choose {users}")
    loaded = DeletionTagger.load(tagger) if tagger else None
    request = Request(rate, candidates, loaded, LanguageModel.read(lm) if lm else None)

    def make_them(parse: Parse) -> Made:
        try:
            return method.make(parse, request)
        except TangledTreeError as error:
            say(f"{error}; its skeletons come from the tree only")
            return METHODS["dependency"].make(parse, request)

    return make_them


def _token_lines(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yields the number and the tokens of each non-empty line."""
    from lattice_simp.core.symbols import split_tokens
    from lattice_simp.formats.plain_text import sentence_lines

    for number, line in enumerate(sentence_lines(path)):
        tokens = split_tokens(line)
        if tokens:
            yield number, tokens
