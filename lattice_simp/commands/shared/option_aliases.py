"""Names of options in other tools, and in other commands, for suggestions after a wrong one."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

_ALIASES = tuple(
    frozenset(names.split())
    for names in (
        "lm model language-model arpa",
        "nbest n best top num nbest-size num-hypotheses kbest k-best k",
        "output out output-file outfile write",
        "input in infile input-file",
        "jobs threads workers processes num-workers cores cpus nj",
        "symbols vocab vocabulary symbol-table word-symbol-table osymbols",
        "from format input-format informat",
        "to format output-format outformat",
        "scales scale weights acoustic-scale acscale lmscale lm-scale posterior-scale",
        "weight weights lm-weight lm-scale lmscale model-weight",
        "reference references ref refs gold",
        "source sources src",
        "hypothesis hypotheses hyp hyps candidates",
        "ignore exclude skip remove filter",
        "pieces subwords bpe sentencepiece remove-bpe",
        "tokeniser tokenizer tokenise tokenize tokenised tokenized",
        "utility metric metrics measure loss",
        "beam prune threshold width max-arcs max-states",
        "unique distinct dedup",
        "utterance id key name",
        "seed random-seed",
        "lowercase uncased ignore-case lc",
        "time-limit timeout max-time",
        "word-penalty wdpenalty wip insertion-penalty",
        "share shares weight weights",
        "quiet silent progress",
        "first-id start-id offset",
        "frame-shift frame-rate frame-length",
        "nbest samples num-samples",
    )
)


def similar_options(name: str, options: Iterable[str]) -> list[str]:
    """Returns the options of a command that mean the same as a wrong one, or else those with similar names.

    >>> similar_options("--lm", ["--beam", "--model"]), similar_options("--bean", ["--beam", "--model"])
    (['--model'], ['--beam'])
    """
    word = name.lstrip("-").replace("_", "-").lower()
    names = {option.removeprefix("--") for option in options if option.startswith("--")}
    same = {word}.union(*(aliases for aliases in _ALIASES if word in aliases)) & names
    return [f"--{option}" for option in sorted(same) or get_close_matches(word, sorted(names))]
