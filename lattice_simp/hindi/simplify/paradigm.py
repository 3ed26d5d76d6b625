"""The forms of Hindi verbs as one transducer: root and features to form, and back by inversion.

Its tables are `grammars/hindi/tam.tsv` (endings by tense, aspect, mood and agreement), `irregular_verbs.tsv` (other
stems, other forms) and `verbs.tsv` (roots). Endings join roots by rules: a vowel becomes a sign behind a consonant, a
glide stands before ā, long ī and ū of a root are short before a vowel (`pii` + `aa` = `piyaa`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import product
from typing import Any

import pynini

from lattice_simp.hindi.romanise import letters, vowel_signs
from lattice_simp.hindi.simplify.verb_features import Agreement, VerbForm, canonical
from lattice_simp.hindi.spelling import composed
from lattice_simp.hindi.tables import hindi_path, read_rows
from lattice_simp.hindi.transducers import acceptor, any_of, cost_of, cross

_VALUES = (("m", "f"), ("sg", "pl"), ("3", "1", "2"), ("last", "inner"))
_FEATURES = ("gender", "number", "person", "place")
_SEAM = "+"
_PRIVATE = 0xE001
_ENDINGS = ("tam.tsv", ("tam", *_FEATURES, "ending", "cost"))
_VERBS = ("verbs.tsv", ("root", "agent", "perceives"))
_IRREGULAR = ("irregular_verbs.tsv", ("root", "tam", *_FEATURES, "stem", "form"))


def generate(root: str, tam: str, agreement: Agreement | None = None, *, last: bool = False) -> str | None:
    """Returns the form of a verb; None if there is none (`hai` has no infinitive).

    >>> generate("पी", "yA"), generate("कर", "yA", Agreement("f", "sg")), generate("जा", "gA", Agreement("m", "pl"))
    ('पिया', 'की', 'जाएंगे')

    Args:
        root: in Devanagari; it need not be listed.
        tam: of the treebank's analyser, `yA`, `wA`, `gA` …
        agreement: masculine singular, third person, if None.
        last: whether no auxiliary follows.
    """
    found = variants(root, tam, agreement, last=last)
    return found[0] if found else None


@lru_cache(maxsize=1 << 14)
def variants(root: str, tam: str, agreement: Agreement | None = None, *, last: bool = False) -> tuple[str, ...]:
    """Returns all spellings of a form, the usual one first.

    >>> variants("जा", "yA", Agreement("m", "pl"))
    ('गए', 'गये')
    """
    agreement = agreement or Agreement()
    values = (agreement.gender, agreement.number, agreement.person, "last" if last else "inner")
    wanted = acceptor(composed(root)) + _tags(canonical(tam), values)
    return tuple(dict.fromkeys(_paths(wanted @ _generator(), "output")))


@lru_cache(maxsize=1 << 14)
def analyse(form: str) -> tuple[VerbForm, ...]:
    """Returns the readings of a form of a listed verb, those of frequent verbs first.

    >>> sorted({(one.root, one.tam) for one in analyse("पिया")}), analyse("घर")
    ([('पी', 'yA')], ())
    """
    return tuple(dict.fromkeys(map(_reading, _paths(acceptor(composed(form)) @ _analyser(), "output"))))


def takes_ne(root: str) -> bool:
    """Whether the agent of a perfective form takes `ne`; verbs that are not listed do.

    >>> takes_ne("खा"), takes_ne("सो")
    (True, False)
    """
    return _verbs().get(composed(root), True)


@cache
def perception_verbs() -> frozenset[str]:
    """Returns the verbs whose object may be a participle: what is seen or heard."""
    return frozenset(composed(row["root"]) for row in _table(_VERBS) if row["perceives"])


def listed_root(root: str) -> str:
    """Returns a root as the verb list spells it, where a dot below is missing.

    >>> listed_root("छोड") == composed("छोड़"), listed_root("कर")
    (True, 'कर')
    """
    root = composed(root)
    return root if root in _verbs() else _undotted().get(root, root)


def verb_forms() -> dict[str, float]:
    """Returns all forms of all listed verbs with a weight: frequent verbs have more, and so do usual spellings."""
    forms = pynini.project(_analyser(), "input").rmepsilon()
    found: dict[str, float] = {}
    for _, form, weight in forms.paths(output_token_type="utf8").items():
        found[form] = found.get(form, 0.0) + math.exp(-float(weight))
    return found


def _reading(text: str) -> VerbForm:
    names = {symbol: name for name, symbol in _symbols().items()}
    tam, *values = (names[symbol] for symbol in text[-5:])
    gender, number, person, _ = (value.partition("=")[2] for value in values)
    return VerbForm(text[:-5], tam, Agreement(gender, number, person))


@cache
def _verbs() -> dict[str, bool]:
    return {composed(row["root"]): row["agent"] == "ne" for row in _table(_VERBS)}


@cache
def _undotted() -> dict[str, str]:
    dots = str.maketrans({"\u095c": "ड", "\u095d": "ढ"})
    return {root.translate(dots): root for root in reversed(_verbs()) if root.translate(dots) != root}


def _table(table: tuple[str, tuple[str, ...]]) -> list[dict[str, str]]:
    return [row for _, row in read_rows(hindi_path(table[0]), table[1])]


@cache
def _symbols() -> dict[str, str]:
    """Returns each feature's value a character of the private use area, so that all is one string."""
    tams = {row["tam"] for table in (_ENDINGS, _IRREGULAR) for row in _table(table)}
    values = [
        *sorted(tams),
        *(f"{name}={value}" for name, all_ in zip(_FEATURES, _VALUES, strict=True) for value in all_),
    ]
    return {value: chr(_PRIVATE + number) for number, value in enumerate(values)}


def _tags(tam: str, values: tuple[str, ...]) -> Any:
    symbols = _symbols()
    named = [f"{name}={value}" for name, value in zip(_FEATURES, values, strict=True)]
    return acceptor("".join(symbols.get(one, chr(_PRIVATE - 1)) for one in (tam, *named)))


def _all_values(row: dict[str, str]) -> Iterator[tuple[str, ...]]:
    """Expands the `*` of a row."""
    yield from product(
        *(all_ if row[name] == "*" else (row[name],) for name, all_ in zip(_FEATURES, _VALUES, strict=True))
    )


def _weighted(one: Any, other: Any, cost: float) -> Any:
    return pynini.cross(one, other) + pynini.accep("", weight=cost, token_type="utf8")


def _endings() -> Any:
    """Features to endings."""
    path, columns = hindi_path(_ENDINGS[0]), _ENDINGS[1]
    return pynini.union(
        *(
            _weighted(_tags(row["tam"], values), acceptor(_SEAM + row["ending"]), cost_of(row["cost"], path, number))
            for number, row in read_rows(path, columns)
            for values in _all_values(row)
        )
    ).optimize()


def _irregular() -> tuple[Any, Any]:
    """Roots with features to other stems with them, and to whole forms; of several forms the first costs least."""
    stems, forms, seen = [], [], dict[tuple[str, ...], int]()
    for row in _table(_IRREGULAR):
        for values in _all_values(row):
            tags = _tags(row["tam"], values)
            if row["stem"]:
                stems.append(pynini.cross(acceptor(composed(row["root"])), acceptor(row["stem"])) + tags)
                continue
            key = (row["root"], row["tam"], *values)
            cost = seen[key] = seen.get(key, -1) + 1
            forms.append(_weighted(acceptor(composed(row["root"])) + tags, acceptor(composed(row["form"])), cost))
    return pynini.union(*stems).optimize(), pynini.union(*forms).optimize()


@cache
def _sigma() -> Any:
    every = [*letters("consonant"), *letters("vowel"), *letters("mark"), *vowel_signs().values(), "्", _SEAM]
    return pynini.closure(any_of(every)).optimize()


def _joined() -> Any:
    """A root, a seam and an ending to a form."""
    signs = vowel_signs()
    consonant, vowel = any_of(letters("consonant")), any_of(letters("vowel"))
    opens = any_of([one for pair in signs.items() if pair[0] in "आइएओ" for one in pair])
    rewrite = pynini.cdrewrite
    short = rewrite(cross("ू", "ु"), "", acceptor(_SEAM) + vowel, _sigma())
    merged = rewrite(pynini.cross(pynini.union(acceptor("+ई"), acceptor("+यी")), ""), acceptor("ी"), "", _sigma())
    before = acceptor(_SEAM) + pynini.union(pynini.difference(vowel, acceptor("ई")), acceptor("य"))
    shorter = rewrite(cross("ी", "ि"), "", before, _sigma())
    glide = rewrite(cross("+आ", "+या"), opens, "", _sigma())
    closed = pynini.union(consonant, any_of(["ु", "ू"]))
    glides = pynini.difference(_sigma(), _sigma() + closed + acceptor("+य") + _sigma())
    as_signs = pynini.union(*(cross(_SEAM + one, sign) for one, sign in signs.items()))
    attached = rewrite(as_signs, consonant, "", _sigma())
    seamless = rewrite(pynini.cross(acceptor(_SEAM), ""), "", "", _sigma())
    return (short @ merged @ shorter @ glide @ glides @ attached @ seamless).optimize()


@cache
def _parts() -> tuple[Any, Any, Any]:
    """Features to endings, endings joined, and the inputs that the regular endings have."""
    endings = _endings()
    any_root = pynini.difference(_sigma(), _sigma() + acceptor(_SEAM) + _sigma())
    return endings, _joined(), (any_root + pynini.project(endings, "input")).optimize()


def _all_forms(roots: Any) -> Any:
    """Root and features to forms: whole forms before other stems before the rule."""
    endings, joined, _ = _parts()
    stems, forms = _irregular()
    inputs = (roots + pynini.project(endings, "input")).optimize()
    irregular = pynini.union(*(pynini.project(one, "input").rmepsilon() for one in (stems, forms))).optimize()
    plain = pynini.difference(inputs, irregular)
    regular = (_sigma() + endings) @ joined
    changed = pynini.union(plain, stems) @ regular
    return pynini.union(changed, forms).optimize()


@cache
def _generator() -> Any:
    defective = any_of(_defective())
    roots = pynini.difference(_sigma(), pynini.union(defective, _sigma() + acceptor(_SEAM) + _sigma()).optimize())
    return _all_forms(roots.optimize()).arcsort("ilabel")


def _defective() -> list[str]:
    """Verbs that have none but the listed forms: those that the verb list does not hold."""
    return sorted({composed(row["root"]) for row in _table(_IRREGULAR)} - set(_verbs()))


@cache
def _analyser() -> Any:
    ranked = [
        acceptor(root) + pynini.accep("", weight=place / 100, token_type="utf8") for place, root in enumerate(_verbs())
    ]
    roots = pynini.union(*ranked)
    return pynini.invert(_all_forms(roots.optimize())).optimize().arcsort("ilabel")


def _paths(fst: Any, side: str) -> list[str]:
    """Returns all strings of an acyclic transducer's side, the cheapest first."""
    plain = pynini.project(fst, side).rmepsilon()
    if plain.start() == -1:
        return []
    found = plain.paths(output_token_type="utf8")
    return [string for _, string in sorted((float(weight), string) for _, string, weight in found.items())]
