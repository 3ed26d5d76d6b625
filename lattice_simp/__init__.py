"""lattice_simp: exact, fast operations on word lattices, and translation with source skeletons on top of them.

Lattices:
    Lattice             weighted hypotheses as arrays: from_strings, from_nbest, from_arcs, from_pynini
    Arc                 an arc to look at (lattice.arcs_of)
    Hypothesis          one string with its cost and features
    SymbolTable         words and their numbers
    read, write         lattice files of any known format
    from_generator      hypotheses of texts and scores that other programs return
    read_nbest          n-best lists: of Moses, Marian, fairseq, JSON lines
    read_terms          the terms of each sentence, for term_acceptor
    read_all            the lattices of a folder, an archive, a list of many sentences
Operations:
    apply_lm            adds language models exactly, within a beam
    arc_posteriors      the probability of each arc
    combine             one lattice of several systems' outputs, whose best path they agree on
    compose             the output of one lattice as the input of another (also a @ b)
    compose_gappy       keeps what contains a hypothesis of an acceptor
    concat              one lattice after another
    confusion_network   slots of alternative words
    consensus_nbest     the string that an n-best list agrees on word by word
    count_paths         how many paths there are
    determinize         one path for each string
    difference          keeps what an acceptor does not accept
    equivalent          whether two lattices hold the same strings at the same costs
    gappy_acceptor      hypotheses with loops where other words may occur
    intersect           keeps what an acceptor accepts
    invert              input and output change places
    join_pieces         words of subwords
    mbr                 expected gains as costs (minimum Bayes risk)
    mbr_nbest           whole strings by their expected utilities
    pool_nbest          the n-best lists of several systems as one
    minimize            one path for each string, and the fewest states
    nbest               the n cheapest strings or paths
    ngram_posteriors    the probability that an n-gram occurs
    normalise           costs that are posteriors
    oracle              the path nearest to references
    prune               keeps what is on good paths
    push                moves costs towards the start or the end
    recombine           strings that share the words they are aligned at
    remove_epsilons     the same strings without empty arcs
    replace             expands words into lattices
    reverse             every string backwards
    reweight            costs as a weighted sum of features
    sample              random paths
    shortest_distance   least costs, or costs of summed probabilities
    shortest_path       the cheapest path
    shortest_paths      the lattice of the n cheapest paths
    timed_words         words with times and confidences, as CTM holds them
    union               the paths of several lattices
    term_acceptor       hypotheses that hold terms, in order
    word_confidences    the probability of each word at its place
    to_dot, to_svg, to_image  drawings
Constrained decoding:
    constrained_beam_search  the best texts of any generator that hold terms or skeletons
    TransformersStep, Ctranslate2GeneratorStep, Ctranslate2TranslatorStep, LlamaCppStep  generators for it
    TokenConstraint     which tokens of a vocabulary may follow
    ConstraintProcessor a logits processor for transformers
    TokenVocabulary     the tokens of a tokeniser, which constraints share
    apply_mask          forbids the scores of tokens, in place
    token_bytes         the bytes of a tokeniser's tokens
Models and translation:
    LanguageModel       ARPA files and KenLM binaries
    Skeleton            the words of a sentence without inessential ones
    skeleton_agreement  marks the words that a translation of the skeleton has, too
    Decoder             translates, with or without skeletons
    Simplifier          makes English sentences simpler
    read_graphs         semantic graphs of sentences, for a simplifier
Paraphrases:
    Paraphraser         all sentences that the phrases of a set make, as a lattice
    align_phrases       phrases that two sentences of one meaning have in common
    choose_parses       of several parses of each sentence, those that agree most
    link_words          words of two sentences that say the same
    Thesaurus           groups of words that mean the same
    Tree                a sentence with its constituents
Corpora:
    align_sentences     the pairs of a complex and a simple paragraph's sentences
    CorpusSettings      thresholds and costs
    SentencePair        two sentences that say the same

Costs are negative natural logs; features are scores, higher is better. Errors are subclasses of `LatticeSimpError`.
"""

from __future__ import annotations

TYPE_CHECKING = False  # not from typing: the program imports this file before it can catch an interrupt
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from lattice_simp.api import *  # noqa: F403

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """Imports all names at the first one that is asked for: a command needs few of them, and has its own imports.

    The value becomes a global of the module, so each name is looked up here only once.
    """
    import importlib
    from importlib.util import find_spec

    if find_spec(f"{__name__}.{name}") is not None:
        return importlib.import_module(f"{__name__}.{name}")
    public = () if name.startswith("__") and name != "__all__" else _api().__all__
    if name in public or name == "__all__":
        value = globals()[name] = getattr(_api(), name)
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*globals(), *_api().__all__]


def _api() -> ModuleType:
    import importlib

    return importlib.import_module(f"{__name__}.api")
