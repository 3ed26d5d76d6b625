"""Coordinated clauses that are complete on their own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from lattice_simp.grammars.english.lexicon import word_group, word_set
from lattice_simp.systems.simplify.certainty.entity import phrase_head
from lattice_simp.systems.simplify.certainty.tenses import is_simple_tense, tenses_agree
from lattice_simp.systems.simplify.clauses import FINITE, auxiliaries, child, finite_word, subject
from lattice_simp.systems.simplify.sentence import DASHES
from lattice_simp.systems.simplify.split import Split
from lattice_simp.text.english.parse import ROOT, Parse
from lattice_simp.text.english.punctuation import mark_pairs

_NO_START = frozenset({"WDT", "WP", "WP$", "WRB", "VBG"})
"""Tags of words that begin a clause of another kind ("she loves music, and singing, she is happy")."""


def is_certain_coordination(parse: Parse, split: Split) -> bool:
    """Returns whether a conjunction or semicolon joins two clauses, in tenses that go together if they share words."""
    first = min(split.removed)
    following = (parse.tokens[first], *parse.tokens[max(split.removed) + 1 : max(split.removed) + 3])
    if ";" in (parse.tokens[first - 1], *following) and _is_subordinate(following):
        return False
    if _is_in_list(parse, split) or _is_between_dashes(parse, split) or _follows_not_only(parse, split):
        return False
    if not split.dropped and parse.tokens[split.clause[0] - 1] != ";" and parse.tokens[first].lower() != "then":
        return split.clause[0] == 0 or ";" in parse.tokens[split.clause[-1] + 1 : split.clause[-1] + 2]
    begins = split.clause[0]
    if parse.tokens[begins].isdigit() or (_is_linked(parse, begins) and not _begins_anew(parse, begins, first)):
        return False
    last = max(first - 2 if parse.tokens[first - 1] == "," else first - 1, 0)
    is_preposition = parse.parts[last] == "ADP" and parse.labels[last] != "prt"
    stranded = parse.labels[last] == "prep" or is_preposition or parse.tags[last] == "MD"  # "what they can"
    stranded = stranded or (parse.tags[last] == "CD" and parse.labels[last] == "dobj")  # "I had 6, and you had 7 cents"
    if ":" in parse.tokens[begins : split.clause[-1]]:
        return False  # "they have a plan and the reason: it is cold"
    head = phrase_head(parse, list(split.clause))
    if any(first < head < last and not first < begins < last for first, last in mark_pairs(parse.tokens)):
        return False  # "they agreed, but on terms (she has just left)"
    if stranded or (_begins_otherwise(parse, begins) and not _has_fronted_clause(parse, head, begins, first)):
        return False
    copied = [token.position for token in split.sentence if token.copied and token.position is not None]
    above = parse.heads[head]
    if above == ROOT or _has_alternative(parse, above) or not _is_main(parse, above):
        return above == ROOT
    if child(parse, above, {"mark"}) is not None or _may_share_agent(parse, above, head, bool(copied)):
        return False  # "even though it rains, but that is good"
    has_subject = parse.tags[begins] in ("PRP", "EX")
    if copied and parse.parts[begins] == "ADP" and "also" in parse.tokens[begins:head]:
        return False  # "and in May, also wrote": where the subject stands is unclear
    if copied and (has_subject or _may_be_subordinate(parse, above, first)):
        return False  # "but it is packed": parsers take `it` for the subject of `is`
    if _is_unfinished(parse, above) or _joins_phrases(parse, split):
        return False
    if _follows_report(parse, above, first) and (copied or parse.tokens[first - 1] != ","):
        return False  # "I know he slept and she left", "he said she was ill, and left"
    if copied and (_may_end_list(parse, above, first) or _may_be_inverted(parse, split, head)):
        return False
    if _is_list(parse, above) or _joins_nouns(parse, head) or _begins_with_time(parse, head):
        return False
    return not copied or _shares_subject(parse, above, head, copied)


def _may_share_agent(parse: Parse, above: int, head: int, shares_subject: bool) -> bool:
    """Returns whether an agent may belong to two passives, with one subject ("was knocked down and hurt by a car") or
    about more of the same ("ten were killed, and many more were hurt, by soldiers").
    """
    noun = subject(parse, head)
    counted = set() if noun is None else {parse.tokens[position].lower() for position in parse.subtree(noun)}
    is_alone = child(parse, above, {"auxpass"}) is not None and child(parse, above, {"agent"}) is None
    is_of_both = shares_subject or not counted.isdisjoint(word_group("more"))
    return is_alone and child(parse, head, {"agent"}) is not None and is_of_both


def _is_linked(parse: Parse, begins: int) -> bool:
    """Returns whether a word links its clause to the one before it ("she met him and together had a son")."""
    return parse.tokens[begins].lower() in word_set("linking_words")


def _begins_anew(parse: Parse, begins: int, first: int) -> bool:
    """Returns whether `that` is a subject behind a comma ("he sings, and that helps"), no relative pronoun."""
    is_subject = parse.tags[begins] == "DT" and parse.labels[begins] in ("nsubj", "nsubjpass")
    return is_subject and parse.tokens[first - 1] == ","


def _begins_otherwise(parse: Parse, begins: int) -> bool:
    """Returns whether a word begins a subordinate clause ("and for which he left"), no clause at all, or the end of a
    time ("opened in 1995, and to 2005 it was theirs").
    """
    is_relative = parse.parts[begins] == "ADP" and parse.tags[begins + 1] in ("WDT", "WP", "WP$")
    is_end = parse.tokens[begins].lower() == "to" and parse.tags[begins + 1] == "CD"
    is_joined = parse.tags[begins] == "JJ" and parse.tags[begins + 1] == "PRP"  # "was old and deep they slept"
    return (
        is_relative or is_end or is_joined or parse.labels[begins] in ("mark", "neg") or parse.tags[begins] in _NO_START
    )


def _has_fronted_clause(parse: Parse, head: int, begins: int, first: int) -> bool:
    """Returns whether a clause precedes a subject behind a comma ("he sang, but when it rained, he left")."""
    noun = subject(parse, head)
    clause = next((position for position in parse.children[head] if parse.subtree(position)[0] == begins), head)
    is_clause = parse.labels[clause] == "advcl" and subject(parse, clause) is not None
    is_before = noun is not None and clause < noun and parse.tokens[parse.subtree(clause)[-1] + 1] == ","
    return (
        is_clause
        and is_before
        and parse.tokens[first - 1] == ","
        and parse.tokens[begins].lower() in word_group("fronted")
    )


def _shares_subject(parse: Parse, above: int, head: int, copied: Sequence[int]) -> bool:
    """Returns whether a joined verb without a subject is in the tense of the verb whose subject it shares.

    Args:
        copied: the positions of the repeated subject and auxiliaries.
    """
    if _may_share_auxiliary(parse, above, head) or _is_reported(parse, head):
        return False
    if parse.tags[head] == "VBD" and parse.tokens[head].lower() == parse.lemmas[head].lower():
        return False  # "flats are small and cost much": the verb may be of the present
    if parse.tags[head] == "VBP" and (not is_simple_tense(parse, above) or child(parse, above, {"xcomp"}) is not None):
        return False  # "they can send it and control it", "they need to send it and control it"
    if any(parse.tags[position] == "MD" for position in copied):
        return parse.tags[head] == "VB" and parse.tags[head + 1] != "MD"  # "will rise , and use will fall"
    if any(parse.tags[position] in FINITE for position in copied):  # auxiliaries
        if parse.lemmas[above] == "bear" and parse.lemmas[head].lower() not in word_group("after_birth"):
            return False  # "was born first and then helped her"
        # "was aired and was a part", "was born and studied law"
        return parse.tags[head] not in FINITE and child(parse, head, {"dobj"}) is None
    return tenses_agree(parse, above, head)


def _may_share_auxiliary(parse: Parse, verb: int, joined: int) -> bool:
    """Returns whether a joined verb may need the auxiliary before it ("has raised sales but lost jobs", "was sold and
    renamed Ys").
    """
    helping = auxiliaries(parse, verb)
    is_perfect = any(parse.lemmas[position] == "have" for position in helping)
    is_named = bool(helping) and parse.lemmas[joined].lower() in word_set("naming_verbs")
    return not auxiliaries(parse, joined) and (is_perfect or is_named)


def _is_reported(parse: Parse, verb: int) -> bool:
    """Returns whether a verb says what is thought or said by anybody ("is bold and could be said that she won")."""
    return child(parse, verb, {"auxpass"}) is not None and child(parse, verb, {"ccomp"}) is not None


def _follows_not_only(parse: Parse, split: Split) -> bool:
    """Returns whether `but` belongs to `not only` ("not only was it cold, but it rained")."""
    before = [parse.tokens[position].lower() for position in range(min(split.removed))]
    negated = any(first in word_set("negations") and second in ("only", "just") for first, second in pairwise(before))
    return split.sentence[0].text == "But" and negated


def _is_subordinate(words: Iterable[str]) -> bool:
    """Returns whether a conjunction behind a semicolon begins no sentence ("; whereas, the other one")."""
    return not word_group("subordinating").isdisjoint(word.lower() for word in words)


def _is_in_list(parse: Parse, split: Split) -> bool:
    """Returns whether a semicolon may separate the members of a list ("in two cases: it rains; it snows; or")."""
    first, last = min(split.removed), max(split.removed)
    around = (*parse.tokens[max(first - 1, 0) : first + 1], *parse.tokens[last + 1 : last + 2])
    return ";" in around and ":" in parse.tokens and parse.tokens.count(";") > 1


def _is_between_dashes(parse: Parse, split: Split) -> bool:
    """Returns whether a clause is inside of an insertion ("he said - yes, he sang; yes, he danced - that")."""
    before, after = parse.tokens[: split.clause[0]], parse.tokens[split.clause[-1] :]
    follows_dash = parse.tokens[min(split.removed) - 1] in DASHES
    return follows_dash or (not DASHES.isdisjoint(before) and not DASHES.isdisjoint(after))


def _follows_report(parse: Parse, verb: int, joined: int) -> bool:
    """Returns whether a clause stands between two joined verbs, which the second one may belong to."""
    return any(parse.labels[position] == "ccomp" for position in range(verb, joined))


def _may_be_subordinate(parse: Parse, verb: int, joined: int) -> bool:
    """Returns whether a clause may belong to an adverbial or a relative clause before it ("it rained as he came and
    sang", "she met Ann, who had left, and sang").
    """
    relatives = [parse.heads[place] for place in range(verb, joined) if parse.tags[place] == "WP$"]
    if any(parse.heads[noun] != ROOT and parse.subtree(parse.heads[noun])[-1] >= joined - 2 for noun in relatives):
        return True  # "she is a rower whose case became known , and was"
    if any(_ends_with_pronoun_subject(parse, place, joined) for place in range(verb, joined)):
        return True
    clauses = [place for place in range(verb + 1, joined) if parse.labels[place] == "advcl"]
    if parse.tokens[joined - 1] != "," and any(_ends_with_other(parse, place, joined) for place in range(verb, joined)):
        return True
    return any(finite_word(parse, place) is not None and subject(parse, place) is not None for place in clauses)


def _ends_with_other(parse: Parse, verb: int, joined: int) -> bool:
    """Returns whether a relative clause with another subject ends before a conjunct ("to Rome where Ann sang and")."""
    noun = subject(parse, verb)
    is_clause = parse.labels[verb] == "relcl" and finite_word(parse, verb) is not None
    return is_clause and noun is not None and parse.tags[noun] != "PRP" and parse.subtree(verb)[-1] == joined - 1


def _ends_with_pronoun_subject(parse: Parse, verb: int, joined: int) -> bool:
    """Returns whether a relative clause whose subject is `who`, `which` or `that` ends before a conjunct."""
    noun = subject(parse, verb)
    is_clause = parse.labels[verb] == "relcl" and noun is not None and parse.tags[noun] in ("WP", "WDT")
    return is_clause and parse.subtree(verb)[-1] >= joined - 2


def _is_unfinished(parse: Parse, verb: int) -> bool:
    """Returns whether a clause alone is not a statement ("if you were", "why is", "sorry", "they ran, they sang"), or
    `maybe` belongs to the next one, too.
    """
    chain = [verb]
    while parse.labels[chain[-1]] == "conj":
        chain.append(parse.heads[chain[-1]])
    below = [position for each in chain for position in parse.children[each] if position < each]
    asks = any(parse.labels[position] == "mark" or parse.tags[position] in ("WRB", "WP") for position in below)
    words = {parse.tokens[position].lower() for each in chain for position in parse.children[each]}
    reports = parse.lemmas[verb].lower() in word_set("reporting_verbs")
    spliced = not reports and any(_is_spliced(parse, position) for position in below)
    return asks or spliced or not words.isdisjoint(word_group("scope"))


def _is_spliced(parse: Parse, verb: int) -> bool:
    """Returns whether a comma alone joins a clause to the next one."""
    marked = child(parse, verb, {"mark"}) is not None
    joined = parse.labels[verb] == "ccomp" or (parse.labels[verb] == "advcl" and not marked)
    asks = any(parse.tags[position] in ("WRB", "WP", "WDT") for position in parse.children[verb])
    return joined and not asks and subject(parse, verb) is not None and finite_word(parse, verb) is not None


def _is_list(parse: Parse, verb: int) -> bool:
    """Returns whether a verb, or one that it is joined to, continues a list without `and` ("sank ships, left, and")."""
    joined = [position for position in parse.children[verb] if parse.labels[position] == "conj"]
    members = [*joined[:-1], *([verb] if parse.labels[verb] == "conj" else [])]
    before = [parse.subtree(position)[0] - 1 for position in members]
    return any(parse.tags[place - (parse.tokens[place] == ",")] != "CC" for place in before)


def _may_end_list(parse: Parse, verb: int, joined: int) -> bool:
    """Returns whether a verb may end a list of nouns ("planned a road, a port and opened a school")."""
    members = [place for place in range(verb + 1, joined) if parse.labels[place] in ("appos", "conj")]
    nouns = [place for place in members if parse.parts[place] != "PROPN"]  # "in Leeds, England and moved"
    last = [parse.subtree(noun)[0] for noun in nouns if parse.subtree(noun)[-1] == joined - 1]
    return any(parse.tokens[first - 1] == "," for first in last)


def _may_be_inverted(parse: Parse, split: Split, verb: int) -> bool:
    """Returns whether the object of a joined verb may be its subject ("and with it went the old car")."""
    is_late = split.clause[0] < verb and parse.parts[split.clause[0]] == "ADP"
    is_intransitive = parse.lemmas[verb].lower() in word_set("intransitive_verbs")
    return is_late and is_intransitive and child(parse, verb, {"dobj"}) is not None


def _joins_nouns(parse: Parse, verb: int) -> bool:
    """Returns whether a conjunction follows the subject ("on trade and then a board and was its head")."""
    noun = subject(parse, verb)
    return noun is not None and child(parse, noun, {"cc"}) is not None and child(parse, noun, {"conj"}) is None


def _begins_with_time(parse: Parse, verb: int) -> bool:
    """Returns whether the parser took a time for a subject ("and this summer moved to Rome")."""
    noun = subject(parse, verb)
    first = None if noun is None else parse.subtree(noun)[0]
    return first is not None and first != noun and parse.tokens[first].lower() in word_group("pointing")


def _joins_phrases(parse: Parse, split: Split) -> bool:
    """Returns whether `and` may join two prepositional phrases ("it rained, at sea and on land there was snow")."""
    begins, joined = split.clause[0], min(split.removed) - 1
    if parse.parts[begins] != "ADP":
        return False
    comma = max((position for position in range(joined) if parse.tokens[position] == ","), default=0)
    return comma > 0 and parse.parts[comma + 1] == "ADP"


def _is_main(parse: Parse, verb: int) -> bool:
    """Returns whether a verb is that of a main clause, or of reported speech that the sentence begins with."""
    while parse.labels[verb] == "conj" or (parse.labels[verb] == "ccomp" and verb < parse.heads[verb]):
        verb = parse.heads[verb]
    return parse.heads[verb] == ROOT


def _has_alternative(parse: Parse, verb: int) -> bool:
    """Returns whether `or` joins a verb, or the one that it is the conjunct of, to another."""
    chain = {verb, parse.heads[verb]} if parse.labels[verb] == "conj" else {verb}
    words = {parse.tokens[below].lower() for each in chain for below in parse.children[each]}
    return not words.isdisjoint({"or", "nor"})
