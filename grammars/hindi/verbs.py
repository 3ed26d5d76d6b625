"""The forms of Hindi verbs as one transducer: root and features to form, and back by inversion.

Its tables are `tam.tsv` (endings by tense, aspect, mood and agreement), `irregular_verbs.tsv` (other stems, other
forms) and `verbs.tsv` (roots). Endings join roots by rules: a vowel becomes a sign after a consonant, a
glide comes before ā, long ī and ū of a root are short before a vowel (`pii` + `aa` = `piyaa`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import product
from typing import Any, NamedTuple

import pynini

from lattice_simp.grammars.hindi.romanisation import letters, vowel_signs
from lattice_simp.grammars.hindi.spelling import composed
from lattice_simp.grammars.hindi.transducers import acceptor, any_of, cost_of, cross, strings, weighted
from lattice_simp.support.tables import Row, grammar_table

PERFECTIVE, IMPERFECTIVE, INFINITIVE, OBLIQUE_INFINITIVE = "yA", "wA", "nA", "ne"
ROOT, CONJUNCTIVE, FUTURE, SUBJUNCTIVE, IMPERATIVE = "0", "kara", "gA", "eM", "ao"
POLITE = "ie"
PRESENT, PAST = "hE", "WA"
"""Tense, aspect and mood, in the names of the treebank's analyser."""

_ALIASES = {"yA1": PERFECTIVE, "aO": IMPERATIVE, "o": IMPERATIVE, "kar": CONJUNCTIVE, "ke": CONJUNCTIVE}
_ALIASES |= dict.fromkeys(("Uz", "UZ"), SUBJUNCTIVE)


class Agreement(NamedTuple):
    """The agreement of a verb: `m` or `f`, `sg` or `pl` (honorific forms are plural), and `1`, `2` or `3`."""

    gender: str = "m"
    number: str = "sg"
    person: str = "3"

    @staticmethod
    def of(gender: str, number: str, person: str) -> Agreement:
        """Converts the treebank's values, in which `any` and "" stand for the unmarked value and `h` for honorific.

        >>> Agreement.of("any", "sg", "3h")
        Agreement(gender='m', number='pl', person='3')
        """
        return Agreement(
            "f" if gender == "f" else "m",
            "pl" if number == "pl" or person.endswith("h") else "sg",
            # The polite second person has the endings of the third.
            person if person in ("1", "2") else "3",
        )


class VerbForm(NamedTuple):
    """A reading of a verb's form."""

    root: str
    tam: str
    agreement: Agreement


def canonical(tam: str) -> str:
    """Returns the usual name of a tense, aspect and mood.

    >>> canonical("yA1")
    'yA'
    """
    return _ALIASES.get(tam, tam)


_FEATURES = {"gender": ("m", "f"), "number": ("sg", "pl"), "person": ("3", "1", "2"), "place": ("last", "inner")}
_SEAM = "+"
_PRIVATE = 0xE001
_ENDINGS = ("hindi/tam.tsv", ("tam", *_FEATURES, "ending", "cost"))
_VERBS = ("hindi/verbs.tsv", ("root", "agent", "perceives"))
_IRREGULAR = ("hindi/irregular_verbs.tsv", ("root", "tam", *_FEATURES, "stem", "form"))


def generate(root: str, tam: str, agreement: Agreement | None = None, *, last: bool = False) -> str | None:
    """Returns the form of a verb; None if it does not exist (`hai` has no infinitive).

    >>> generate("पी", "yA"), generate("कर", "yA", Agreement("f", "sg")), generate("जा", "gA", Agreement("m", "pl"))
    ('पिया', 'की', 'जाएंगे')

    Args:
        root: the root in Devanagari, which need not be listed.
        tam: the tense, aspect and mood in the names of the treebank's analyser, `yA`, `wA`, `gA` …
        agreement: the agreement; by default masculine singular, third person.
        last: whether no auxiliary follows.
    """
    forms = variants(root, tam, agreement, last=last)
    return forms[0] if forms else None


@lru_cache(maxsize=1 << 14)
def variants(root: str, tam: str, agreement: Agreement | None = None, *, last: bool = False) -> tuple[str, ...]:
    """Returns all spellings of a form, the usual one first.

    >>> variants("जा", "yA", Agreement("m", "pl"))
    ('गए', 'गये')
    """
    agreement = agreement or Agreement()
    values = (agreement.gender, agreement.number, agreement.person, "last" if last else "inner")
    wanted = acceptor(composed(root)) + _tags(canonical(tam), values)
    return tuple(dict.fromkeys(strings(wanted @ _generator())))


@lru_cache(maxsize=1 << 14)
def analyse(form: str) -> tuple[VerbForm, ...]:
    """Returns the readings of a form of a listed verb, more frequent verbs first.

    >>> sorted({(one.root, one.tam) for one in analyse("पिया")}), analyse("घर")
    ([('पी', 'yA')], ())
    """
    return tuple(dict.fromkeys(map(_reading, strings(acceptor(composed(form)) @ _analyser()))))


def takes_ne(root: str) -> bool:
    """Returns whether the agent of a perfective form takes `ne`, as with all unlisted verbs but `hai` and `thaa`.

    >>> takes_ne("खा"), takes_ne("सो"), takes_ne("है")
    (True, False, False)
    """
    root = composed(root)
    return _verbs().get(root, root not in _copulas())


@cache
def _copulas() -> frozenset[str]:
    """Returns the roots of present and past forms of `be`, which have no other forms."""
    return frozenset(composed(row["root"]) for row in grammar_table(*_IRREGULAR) if row["tam"] in (PRESENT, PAST))


@cache
def perception_verbs() -> frozenset[str]:
    """Returns the verbs of perception, whose object may be a participle."""
    return frozenset(composed(row["root"]) for row in grammar_table(*_VERBS) if row["perceives"])


class SecondVerb(NamedTuple):
    """Whether a verb after a group's first verb only modifies it, with the tense; whether it bars agents in `ne`."""

    is_vector: bool
    bars_agent: bool


@cache
def second_verbs() -> dict[str, SecondVerb]:
    """Returns the verbs that follow the first verb of a group."""
    rows = grammar_table("hindi/vector_verbs.tsv", ("root", "kind", "agent"))
    return {composed(row["root"]): SecondVerb(row["kind"] == "vector", row["agent"] == "bare") for row in rows}


def listed_root(root: str) -> str:
    """Returns a root in the verb list's spelling, which may add missing dots below letters.

    >>> listed_root("छोड") == composed("छोड़"), listed_root("कर")
    (True, 'कर')
    """
    root = composed(root)
    return root if root in _verbs() else _undotted().get(root, root)


def verb_forms() -> dict[str, float]:
    """Returns all forms of all listed verbs with weights, which are higher for frequent verbs and usual spellings."""
    forms = pynini.project(_analyser(), "input").rmepsilon()
    masses: dict[str, float] = {}
    for _, form, weight in forms.paths(output_token_type="utf8").items():
        masses[form] = masses.get(form, 0.0) + math.exp(-float(weight))
    return masses


def _reading(text: str) -> VerbForm:
    names = {symbol: name for name, symbol in _symbols().items()}
    tam, *values = (names[symbol] for symbol in text[-5:])
    gender, number, person, _ = (value.partition("=")[2] for value in values)
    return VerbForm(text[:-5], tam, Agreement(gender, number, person))


@cache
def _verbs() -> dict[str, bool]:
    return {composed(row["root"]): row["agent"] == "ne" for row in grammar_table(*_VERBS)}


@cache
def _undotted() -> dict[str, str]:
    dots = str.maketrans({"\u095c": "ड", "\u095d": "ढ"})
    return {root.translate(dots): root for root in reversed(_verbs()) if root.translate(dots) != root}


@cache
def _symbols() -> dict[str, str]:
    """Maps each value of a feature to a private character, so that root and features form one string."""
    tams = {row["tam"] for table in (_ENDINGS, _IRREGULAR) for row in grammar_table(*table)}
    values = [*sorted(tams), *(f"{name}={value}" for name, every in _FEATURES.items() for value in every)]
    return {value: chr(_PRIVATE + number) for number, value in enumerate(values)}


def _tags(tam: str, values: tuple[str, ...]) -> Any:
    symbols = _symbols()
    named = [f"{name}={value}" for name, value in zip(_FEATURES, values, strict=True)]
    return acceptor("".join(symbols.get(tag, chr(_PRIVATE - 1)) for tag in (tam, *named)))


def _all_values(row: Row) -> Iterator[tuple[str, ...]]:
    """Expands `*` in a row to all values."""
    return product(*(every if row[name] == "*" else (row[name],) for name, every in _FEATURES.items()))


@cache
def _endings() -> Any:
    """Maps features to endings."""
    endings = (
        weighted(pynini.cross(_tags(row["tam"], values), acceptor(_SEAM + row["ending"])), cost_of(row))
        for row in grammar_table(*_ENDINGS)
        for values in _all_values(row)
    )
    return pynini.union(*endings).optimize()


def _irregular() -> tuple[Any, Any]:
    """Maps roots with features to irregular stems with features, and to whole forms; the first of several is
    cheapest."""
    stems, forms, seen = [], [], dict[tuple[str, ...], int]()
    for row in grammar_table(*_IRREGULAR):
        for values in _all_values(row):
            tags = _tags(row["tam"], values)
            if row["stem"]:
                stems.append(pynini.cross(acceptor(composed(row["root"])), acceptor(row["stem"])) + tags)
                continue
            key = (row["root"], row["tam"], *values)
            cost = seen[key] = seen.get(key, -1) + 1
            form = pynini.cross(acceptor(composed(row["root"])) + tags, acceptor(composed(row["form"])))
            forms.append(weighted(form, cost))
    return pynini.union(*stems).optimize(), pynini.union(*forms).optimize()


@cache
def _sigma() -> Any:
    every = [*letters("consonant"), *letters("vowel"), *letters("mark"), *vowel_signs().values(), "्", _SEAM]
    return pynini.closure(any_of(every)).optimize()


@cache
def _joined() -> Any:
    """Joins a root and an ending, separated by a boundary symbol, to a form."""
    signs = vowel_signs()
    consonant, vowel = any_of(letters("consonant")), any_of(letters("vowel"))
    opens = any_of([sign_or_vowel for pair in signs.items() if pair[0] in "आइएओ" for sign_or_vowel in pair])
    rewrite = pynini.cdrewrite
    short = rewrite(cross("ू", "ु"), "", acceptor(_SEAM) + vowel, _sigma())
    merged = rewrite(pynini.cross(pynini.union(acceptor("+ई"), acceptor("+यी")), ""), acceptor("ी"), "", _sigma())
    before = acceptor(_SEAM) + pynini.union(pynini.difference(vowel, acceptor("ई")), acceptor("य"))
    shorter = rewrite(cross("ी", "ि"), "", before, _sigma())
    glide = rewrite(cross("+आ", "+या"), opens, "", _sigma())
    closed = pynini.union(consonant, any_of(["ु", "ू"]))
    glides = pynini.difference(_sigma(), _sigma() + closed + acceptor("+य") + _sigma())
    as_signs = pynini.union(*(cross(_SEAM + sign_or_vowel, sign) for sign_or_vowel, sign in signs.items()))
    attached = rewrite(as_signs, consonant, "", _sigma())
    seamless = rewrite(pynini.cross(acceptor(_SEAM), ""), "", "", _sigma())
    return (short @ merged @ shorter @ glide @ glides @ attached @ seamless).optimize()


def _all_forms(roots: Any) -> Any:
    """Maps root and features to forms; whole forms take priority over irregular stems, and these over the rule."""
    endings, joined = _endings(), _joined()
    stems, forms = _irregular()
    inputs = (roots + pynini.project(endings, "input")).optimize()
    irregular = pynini.union(*(pynini.project(transducer, "input").rmepsilon() for transducer in (stems, forms)))
    plain = pynini.difference(inputs, irregular.optimize())
    regular = (_sigma() + endings) @ joined
    changed = pynini.union(plain, stems) @ regular
    return pynini.union(changed, forms).optimize()


@cache
def _generator() -> Any:
    defective = any_of(_defective())
    roots = pynini.difference(_sigma(), pynini.union(defective, _sigma() + acceptor(_SEAM) + _sigma()).optimize())
    return _all_forms(roots.optimize()).arcsort("ilabel")


def _defective() -> list[str]:
    """Returns the verbs with only the listed forms: those outside the verb list."""
    return sorted({composed(row["root"]) for row in grammar_table(*_IRREGULAR)} - set(_verbs()))


@cache
def _analyser() -> Any:
    roots = pynini.union(*(weighted(acceptor(root), position / 100) for position, root in enumerate(_verbs())))
    return pynini.invert(_all_forms(roots.optimize())).optimize().arcsort("ilabel")
