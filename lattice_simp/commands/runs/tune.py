"""The runs of `lattice-simp tune`: read development sets, optimise weights and parameters, and write them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from lattice_simp.commands.inputs.lattices import require_hypotheses
from lattice_simp.commands.inputs.reference_lines import LIST_LINES
from lattice_simp.commands.inputs.sentences import read_sentences
from lattice_simp.commands.inputs.token_forms import warn_of_word_forms
from lattice_simp.commands.inputs.whole_sentences import first_piece, warn_of_pieces, warn_of_whole_sentences
from lattice_simp.commands.shared.label_options import ListFile
from lattice_simp.commands.shared.messages import say
from lattice_simp.core.features import check_density
from lattice_simp.core.hypothesis import Hypothesis
from lattice_simp.core.lattice import Lattice
from lattice_simp.core.marks import without_marks
from lattice_simp.core.symbols import SymbolTable, split_tokens
from lattice_simp.errors import FormatError, InvalidLatticeError, LatticeSimpError
from lattice_simp.formats import read, sniff
from lattice_simp.formats.common import natural_order
from lattice_simp.formats.nbest import is_nbest
from lattice_simp.formats.plain_text import warn_of_lines
from lattice_simp.lm import LanguageModel
from lattice_simp.lm.mixture import mixed, mixture_weights, write_arpa
from lattice_simp.ops.mbr import MbrSettings
from lattice_simp.ops.nbest import nbest
from lattice_simp.rescore.nbest import with_total
from lattice_simp.support.parallel import PARALLEL, require_parallel
from lattice_simp.support.textio import STDIN, read_bytes, read_lines
from lattice_simp.translate.decoder import Decoder
from lattice_simp.translate.model_files import read_weights, update_settings, write_weights
from lattice_simp.tune.decode import DecodeOptions, TuningSentence
from lattice_simp.tune.feature_lattice import nbest_lattice, tuning_lattice
from lattice_simp.tune.mbr_grid import MbrGrid, mbr_grid
from lattice_simp.tune.mert import MertResult
from lattice_simp.tune.metrics import TUNED_METRICS, tuned_metric
from lattice_simp.tune.rounds import TuningOptions, start_weights, tune


@dataclass(frozen=True)
class DevelopmentSet:
    """Source sentences with their references.

    Attributes:
        source: the file of the sentences, tokenised.
        references: files with a line for each sentence, tokenised.
    """

    source: Path
    references: Sequence[Path]

    def sentences(self, skeletons: Path | None = None) -> list[TuningSentence]:
        """Reads the sentences; `skeletons` is the file of their skeletons, if any.

        Raises:
            FormatError: a file is broken, or holds no words; or the files differ in length.
        """
        sentences = read_sentences(str(self.source), skeletons, "0", None)
        columns = _references(self.references, len(sentences), self.source)
        _require_words(self.source, (sentence.words for sentence in sentences))
        words = [sentence.words for sentence in sentences]
        warn_of_word_forms({str(self.source): words, str(self.references[0]): [rows[0] for rows in columns]})
        return [
            TuningSentence(sentence.words, rows, sentence.masks)
            for sentence, rows in zip(sentences, columns, strict=True)
        ]


@dataclass(frozen=True)
class WeightTuning:
    """The objective on given hypotheses, the optimiser, and the files of weights.

    Attributes:
        metric: the name of the metric.
        references: files with a line for each sentence.
        source: the file of the source sentences, for metrics that need them.
        start, output: the files of the weights to start from, and of the tuned ones. Without the first, lists start
            from 1 for each feature.
        optimise: `minimize_error` or `learn_margins`, with its options.

    Raises:
        LatticeSimpError: a source is missing, or has no effect.
    """

    metric: str
    references: Sequence[Path]
    source: Path | None
    start: Path | None
    output: Path
    optimise: Callable[..., MertResult]

    def __post_init__(self) -> None:
        measure = tuned_metric(self.metric)
        if measure.needs_source and self.source is None:
            raise LatticeSimpError(f"--metric {self.metric} needs --source, the sentences that were simplified")
        if self.source is not None and not measure.needs_source:
            needing = ", ".join(name for name, metric in TUNED_METRICS.items() if metric.needs_source)
            raise LatticeSimpError(
                f"--source has no effect with --metric {self.metric}; leave it out, or use {needing}"
            )

    def of_lattices(self, places: Sequence[Path], ignored: frozenset[str]) -> None:
        """Tunes on text lattices with features: files, or folders of files `0.txt`, `1.txt`, ...

        Raises:
            FormatError: there are no lattices, or a file is broken.
        """
        files = [path for place in places for path in (_text_files(place) if place.is_dir() else [place])]
        if not files:
            remedy = "give a folder of files 0.txt, 1.txt, ..."
            raise FormatError("holds no lattices", path=places[0], remedy=remedy)
        weights = self._start([])
        symbols, names = SymbolTable(), tuple(weights)
        lattices, best = [], []
        for path in files:
            _require_features(path)
            lattice = read(path, "features", symbols, feature_names=names).without_words(ignored)
            require_hypotheses(lattice, path)
            best.append(nbest(lattice, 1)[0].tokens)
            try:
                lattices.append(tuning_lattice(lattice, names, lattice.features.arcs, lattice.features.finals))
            except InvalidLatticeError as error:
                raise FormatError(str(error), path=path, remedy="scale the feature's values down") from None
        warn_of_word_forms(
            {str(places[0]): best, str(self.references[0]): map(split_tokens, read_lines(self.references[0]))}
        )
        self._minimise(lattices, symbols, weights, files[0])

    def of_lists(self, lists: ListFile) -> None:
        """Tunes on n-best lists with features.

        Raises:
            FormatError: the file is broken, or has features without a start weight.
        """
        path = Path(STDIN if lists.path == "-" else lists.path)
        with lists.sentences() as sentences:
            read_lists = [sentence.hypotheses for sentence in sentences]
        weights = self._start(entry for entries in read_lists for entry in entries)
        if not weights:
            raise FormatError("has no features", path=path, remedy="add some, for example with `rescore nbest`")
        symbols, names = SymbolTable(), tuple(weights)
        try:
            totals = [with_total(entries, names) for entries in read_lists]
        except LatticeSimpError as error:
            raise FormatError(str(error), path=path) from error
        self._require_weights([entry for entries in totals for entry in entries], names, path)
        first = [entries[0].tokens for entries in totals if entries]
        reference_tokens = [split_tokens(line) for line in read_lines(self.references[0])]
        in_words = lists.pieces != "none" or first_piece(reference_tokens) is None  # else references are in pieces, too
        if in_words and (lists.pieces != "none" or not warn_of_pieces(first, lists.path)):
            warn_of_word_forms({lists.path: first, str(self.references[0]): reference_tokens})
        lattices = [nbest_lattice(entries, names, symbols) for entries in totals]
        self._minimise(lattices, symbols, weights, path, LIST_LINES)

    def _start(self, entries: Iterable[Hypothesis]) -> dict[str, float]:
        """Returns the weights of the file, or 1 for each feature of the hypotheses."""
        if self.start is not None:
            return read_weights(self.start)
        return dict.fromkeys((name for entry in entries for name in entry.features), 1.0)

    def _require_weights(self, entries: Sequence[Hypothesis], names: Sequence[str], path: Path) -> None:
        """Refuses features without a weight, and more features than memory holds."""
        unknown = dict.fromkeys(name for entry in entries for name in entry.features if name not in names)
        if unknown:
            message = f"{self.start} has no weight for {', '.join(unknown)}"
            raise FormatError(message, path=path, remedy="add a line for each: feature<TAB>weight")
        check_density(
            len(names), [entry.features for entry in entries], sum(max(len(entry.tokens), 1) for entry in entries)
        )

    def _minimise(
        self,
        lattices: Sequence[Lattice],
        symbols: SymbolTable,
        weights: dict[str, float],
        hypotheses: Path,
        remedy: str = PARALLEL,
    ) -> None:
        columns = _references(self.references, len(lattices), hypotheses, remedy)
        references = [[symbols.encode(words) for words in rows] for rows in columns]
        sources = None
        if self.source is not None:
            lines = _references([self.source], len(lattices), hypotheses, remedy)
            sources = [symbols.encode(words) for (words,) in lines]
        result = self.optimise(lattices, references, weights, metric=self.metric, sources=sources)
        write_weights(self.output, result.weights)
        _say_gain(self.output, self.metric, result.initial_score, result.score)


def tune_model(
    development: DevelopmentSet,
    output: Path,
    decoding: DecodeOptions,
    options: TuningOptions,
    *,
    metric: str,
    skeletons: Path | None,
    skeleton_features: bool,
) -> None:
    """Tunes the weights of a model by decoding the development set again and again, and writes them to `output`.

    With `skeleton_features`, each feature of the skeleton's translation has a weight.
    """
    sentences = development.sentences(skeletons)
    composed = skeletons is not None and decoding.strategy != "plain"
    start = start_weights(decoding.model, skeletons=composed, skeleton_features=skeleton_features)
    result = tune(sentences, start, decoding, options, metric=metric, say=say)
    write_weights(output, result.weights)
    _say_gain(output, metric, result.rounds[0].score, result.score)


def search_mbr_settings(
    development: DevelopmentSet, model: Path, *, beam: float | None, max_arcs: int | None, write: bool, jobs: int
) -> None:
    """Searches a grid of minimum Bayes-risk parameters, and prints the table.

    `beam` and `max_arcs` replace those of the model's settings; `write` stores better parameters there.
    """
    usable = [sentence for sentence in development.sentences() if sentence.words]
    decoder = Decoder.load(model)
    settings = decoder.settings
    fixed = settings.mbr or MbrSettings()
    fixed = fixed if max_arcs is None else replace(fixed, max_arcs=max_arcs)
    decoder = replace(decoder, settings=replace(settings, beam=settings.beam if beam is None else beam, mbr=None))
    lattices = [decoder.translate(sentence.words).lattice for sentence in usable]
    texts = [[" ".join(words) for words in sentence.references] for sentence in usable]
    grid = mbr_grid(lattices, texts, settings=fixed, jobs=jobs)
    is_better = grid.best.bleu > grid.best_path_bleu
    if is_better and write:
        update_settings(model, {"mbr": asdict(grid.best.settings), **({} if beam is None else {"beam": beam})})
    _print_grid(grid)
    if not is_better:
        say("minimum Bayes risk does not improve BLEU here" + ("; nothing is written" if write else ""))


def _print_grid(grid: MbrGrid) -> None:
    print("scale\tprecision\tratio\tBLEU")
    for point in sorted(grid.points, key=lambda point: -point.bleu):
        parameters = point.settings
        print(f"{parameters.scale}\t{parameters.precision}\t{parameters.ratio}\t{point.bleu:.2f}")
    say(f"BLEU {grid.best_path_bleu:.2f} by cost, {grid.best.bleu:.2f} with the best parameters")


def mix_models(models: Sequence[Path], text: Path, output: Path) -> None:
    """Mixes language models with the weights that give a text the least perplexity, and prints the weights.

    Raises:
        FormatError: a file is broken, or the text is empty.
    """
    lines = [line for line in read_lines(text) if line.strip()]
    warn_of_lines(lines, text)
    if not lines:
        raise FormatError("the file is empty", path=text, remedy="give a development text, one sentence per line")
    read_models = [LanguageModel.read(path) for path in models]
    result = mixture_weights(read_models, lines)
    write_arpa(output, *mixed(read_models, result.weights))
    print("model\tweight")
    for path, weight in zip(models, result.weights.tolist(), strict=True):
        print(f"{path}\t{weight:.4f}")
    say(f"{output}: perplexity {result.perplexities[0]:.2f} with equal weights, {result.perplexity:.2f} with these")


def _require_features(path: Path) -> None:
    """Raises FormatError if a file is recognised as another format than text lattices with features."""
    if is_nbest(path):
        raise FormatError("looks like n-best lists", path=path, remedy="tune on them with `tune nbest`")
    name = sniff(read_bytes(path))
    if name not in (None, "att"):
        remedy = "write text lattices with features: `lattice convert --to features`"
        raise FormatError(f"is a lattice in the format {name}", path=path, remedy=remedy)


def _text_files(folder: Path) -> list[Path]:
    """Returns the text files of a folder in the order of the sentences that their names number."""
    return sorted(folder.glob("*.txt"), key=natural_order)


def _require_words(source: Path, sentences: Iterable[Sequence[str]]) -> None:
    """Refuses a development set of blank lines."""
    if not any(sentences):
        raise FormatError("holds no words", path=source, remedy="give a development set, one sentence per line")


def _say_gain(output: Path, metric: str, before: float, after: float) -> None:
    measure = tuned_metric(metric)
    shown = [f"{100.0 * measure.reported(score):.2f}" for score in (before, after)]
    say(f"{output}: {measure.name} {shown[0]} before, {shown[1]} after")


def _references(
    paths: Sequence[Path], count: int, source: Path, remedy: str = PARALLEL
) -> list[tuple[tuple[str, ...], ...]]:
    """Returns the tokens of each sentence's lines, one from each file; `remedy` is for other numbers of lines."""
    if not count:
        raise FormatError("the file is empty", path=source, remedy="give a development set, one sentence per line")
    columns = []
    for path in paths:
        texts = list(read_lines(path))
        warn_of_lines(texts, path)
        lines = [without_marks(split_tokens(line)) for line in texts]
        require_parallel(path, len(lines), source, count, "sentence", remedy)
        _require_words(path, lines)
        warn_of_whole_sentences(lines, path)
        columns.append(lines)
    return list(zip(*columns, strict=True))
