"""Invariants of every simplification: no lost words, no sentence without a verb, no endless loops."""

from __future__ import annotations

import random
from functools import partial
from itertools import product
from time import process_time

import pytest
from systems.hindi.simplify.cases import parse_sentence

from lattice_simp.grammars.hindi.romanisation import composed
from lattice_simp.grammars.hindi.verbs import analyse
from lattice_simp.systems.hindi.clause import Clause, ClauseType, parse_bracketed
from lattice_simp.systems.hindi.sentence import Chunk, Sentence, Token
from lattice_simp.systems.hindi.simplify import ChangeKind, Stage, pipeline, simplify
from lattice_simp.systems.hindi.simplify.clause_tree import clause_tree, is_joining, items
from lattice_simp.systems.hindi.simplify.doubts import torn
from lattice_simp.systems.hindi.simplify.meaning import Context, reason_to_stay
from lattice_simp.systems.hindi.simplify.model import Word
from lattice_simp.systems.hindi.simplify.nominal_cases import agent_words, noun_form
from lattice_simp.systems.hindi.simplify.pipeline import check, has_verb, is_complex, lost_tokens
from lattice_simp.systems.hindi.simplify.split import split_clauses

split_all = partial(simplify, every_clause=True)

NOUNS = ["राम/NNP", "लड़का/NN", "घर/NN", "किताब/NN", "वह/PRP", "जो/PRP", "पानी/NN", "लोगों/NN", "उन्हें/PRP"]
MARKERS = ["", "", " ने/PSP", " को/PSP", " के/PSP", " में/PSP"]
VERBS = [
    "गया/VM",
    "खाया/VM",
    "खा/VM रहा/VAUX है/VAUX",
    "है/VM",
    "कहा/VM गया/VAUX",
    "नहीं/NEG आया/VM",
    "चाहिए/VM",
    "अबस/VM",
]
PARTICIPLES = ["खाकर/VM:VGNF", "करते/VM हुए/VAUX:VGNF", "जा/VM कर/VAUX:VGNF", "बैठा/VM:VGNF", "लेकर/VM:VGNF"]
GERUNDS = ["करने/VM के/PSP बाद/NST:VGNN", "जाने/VM से/PSP पहले/NST:VGNN", "होने/VM के/PSP कारण/PSP:VGNN", "आना/VM:VGNN"]
OTHERS = ["और/CC", "कि/CC", ",/SYM", "लेकिन/CC", "या/CC", "अगर/CC", "तो/CC", "NULL/VM", "NULL/CC", "बहुत/INTF", "।/SYM"]


def random_sentence(rng: random.Random) -> Sentence:
    parts = []
    for _ in range(rng.randint(1, 14)):
        kind = rng.choice([NOUNS, NOUNS, VERBS, PARTICIPLES, GERUNDS, OTHERS])
        parts.append(rng.choice(kind) + (rng.choice(MARKERS) if kind is NOUNS else ""))
    plain = parse_sentence(" | ".join(parts))
    if rng.random() < 0.5:
        return plain
    relations = ["k1", "k2", "pof", "ccof", "vmod", "nmod", "r6-k1", "k7"]
    chunks = tuple(
        Chunk(chunk.tag, chunk.start, chunk.end, rng.randrange(-1, len(plain.chunks)), rng.choice(relations))
        for chunk in plain.chunks
    )
    return Sentence(plain.tokens, chunks)


def random_clauses(rng: random.Random, start: int, end: int, depth: int = 0) -> list[Clause]:
    results = []
    position = start
    while position < end:
        stop = rng.randint(position + 1, end)
        if rng.random() < 0.6:
            results.append(Clause(position, stop, rng.choice([*ClauseType, None])))
            if depth < 3 and rng.random() < 0.6:
                results += random_clauses(rng, position, stop, depth + 1)
        position = stop
    return results


def test_random_sentences_lose_no_word_and_keep_their_verbs():
    for seed in range(75):
        rng = random.Random(seed)
        sentence = random_sentence(rng)
        clauses = random_clauses(rng, 0, len(sentence))
        for stage, every_clause in product(Stage, (False, True)):
            result = simplify(sentence, clauses, until=stage, every_clause=every_clause)
            assert result.sentences, seed
            kept = {token for sentence in result.sentences for token in sentence.kept}
            lost = [
                position
                for position in range(len(sentence))
                if position not in kept and not is_joining(sentence, position)
            ]
            assert lost == [], seed
            if len(result.sentences) > 1:
                assert kept | {position for position, _ in result.dropped} == set(range(len(sentence))), seed
                finite = {
                    position
                    for chunk in sentence.chunks
                    if chunk.is_verbal
                    for position in range(chunk.start, chunk.end)
                    if sentence.tokens[position].tag.startswith("V") and not sentence.tokens[position].is_empty
                }
                assert all(finite & set(sentence.kept) for sentence in result.sentences), seed


def test_a_simple_sentence_stays():
    sentence = parse_sentence("राम/NNP | घर/NN | गया/VM")
    result = split_all(sentence, [Clause(0, 3, ClauseType.MAIN)])
    assert [str(sentence) for sentence in result.sentences] == ["राम घर गया"]
    assert result.sentences[0].changes == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a/NN | b/NN | c/NN | d/NN | e/NN | f/VM", False),
        ("a/NN | b/NN | c/NN | d/VM | e/NN | f/VM", True),
        ("a/NN | b/CC | c/NN | d/NN | e/NN | f/VM", True),
        ("a/NN | b/CC | c/NN | d/VM | e/VM | ,/SYM", False),
    ],
)
def test_table_of_complexity(text: str, expected: bool):
    assert is_complex(parse_sentence(text)) == expected


def test_sources_and_changes_say_what_was_done():
    sentence = parse_sentence("ram/NNP | chai/NN | aur/CC | paani/NN | peekar/VM:VGNF | soyaa/VM")
    _, clauses = parse_bracketed("(main ram (nonfin chai aur paani peekar ) soyaa )")
    first, second = split_all(sentence, clauses).sentences
    assert first.words == ("ram", "ne", "chai", "aur", "paani", "piyaa")
    assert first.sources == ((0,), (), (1,), (2,), (3,), (4,))
    kinds = [(change.kind, change.word) for change in first.changes]
    assert kinds == [(ChangeKind.COPIED, "ram"), (ChangeKind.ADDED, "ne"), (ChangeKind.CHANGED, "piyaa")]
    assert (second.kept, second.changes) == ([0, 5], ())


def test_the_tree_tells_the_agent():
    # By chunks, `kaam` could be the agent; the tree says that it is the object and the agent is far away.
    text = "काम/NN>2:k2 | करके/VM:VGNF>5:vmod | कल/NN>5:k7t | लड़की/NN[gender=f,number=sg]>5:k1 | घर/NN>6:k2p | गई/VM"
    text = text.replace(">5:vmod", ">6:vmod").replace(">5:k7t", ">6:k7t").replace(">5:k1", ">6:k1")
    sentence = parse_sentence(text)
    _, clauses = parse_bracketed("(main (nonfin काम करके ) कल लड़की घर गई )")
    assert str(split_all(sentence, clauses).sentences[0]) == "लड़की ने काम किया"


def test_clauses_without_types_are_split():
    sentence = parse_sentence("राम/NNP ने/PSP | कहा/VM | कि/CC | वह/PRP | घर/NN | गया/VM")
    _, clauses = parse_bracketed("( राम ने कहा ( कि वह घर गया ) )")
    assert [str(outcome) for outcome in split_all(sentence, clauses).sentences] == ["राम ने कहा", "वह घर गया"]


def test_guards_name_what_is_wrong():
    sentence = parse_sentence("राम/NNP | गया/VM | और/CC | सीता/NNP | आई/VM")
    words = [Word(token.form, (position,)) for position, token in enumerate(sentence.tokens)]
    assert lost_tokens(sentence, [words[:1]]) == [1, 3, 4]
    assert not has_verb(sentence, words[:1])
    assert [entry.name for entry in check(sentence, ["a", "b"], [words[:1], words[1:]])] == ["a"]
    assert [entry.name for entry in check(sentence, ["a", "b", "c"], [words[:1], words[1:4], words[3:4]])] == ["a", "c"]
    lost = check(sentence, ["a", "b"], [words[:2], words[4:]])
    assert [(entry.name, entry.reason) for entry in lost] == [("", "would lose सीता")]
    assert check(sentence, ["a", "b"], [words[:2], words[3:]]) == []


@pytest.mark.parametrize(("verb", "refused"), [("जाकर", ["a"]), ("गया", [])])
def test_no_sentence_ends_with_a_converb(verb: str, refused: list[str]):
    sentence = parse_sentence(f"राम/NNP | घर/NN | {verb}/VM | सीता/NNP | आई/VM")
    words = [Word(token.form, (position,)) for position, token in enumerate(sentence.tokens)]
    assert [refusal.name for refusal in torn(sentence, ["a", "b"], [words[:3], words[3:]])] == refused


def test_clauses_nested_deeper_than_recursion():
    sentence = parse_sentence(" | ".join(["गया/VM"] * 1200))
    root = clause_tree(sentence, [Clause(start, 1200, ClauseType.COORDINATE) for start in range(1200)])
    assert [part.tokens for part in split_clauses(sentence, root)] == [(position,) for position in range(1200)]
    assert reason_to_stay(sentence, root, 0, Context((), None)) == ""
    for node in root.walk():
        node.is_kept = True
    assert items(root) == list(range(1200))


def cpu_seconds(clauses: int, pattern: str, *, every_clause: bool) -> float:
    """Returns the shortest of three times to simplify a sentence of coordinate clauses, without pauses of Python."""
    sentence = parse_sentence(" | और/CC | ".join([pattern] * clauses))
    length = len(parse_sentence(pattern))
    spans = [Clause(start, start + length, ClauseType.COORDINATE) for start in range(0, len(sentence), length + 1)]
    seconds = []
    for _ in range(3):
        began = process_time()
        result = simplify(sentence, spans, every_clause=every_clause)
        seconds.append(process_time() - began)
        assert len(result.sentences) in (1, clauses)
    return min(seconds)


@pytest.mark.parametrize("every_clause", [False, True])
@pytest.mark.parametrize("pattern", ["राम/NNP ने/PSP | रोटी/NN | खाई/VM", "रोटी/NN | खाई/VM"])
def test_the_time_grows_as_the_number_of_clauses(pattern: str, every_clause: bool):
    cpu_seconds(2, pattern, every_clause=every_clause)  # reads the tables
    short, long = (cpu_seconds(number, pattern, every_clause=every_clause) for number in (100, 800))
    assert long < 24 * short  # 8 times as long; 64 times if the time grew with the square


def test_a_first_word_that_is_a_verb_governs_participles():
    sentence = parse_sentence("गया/VM | घर/NN | देखकर/VM:VGNF | सोया/VM")
    clauses = [Clause(0, 4), Clause(1, 4, ClauseType.COMPLEMENT), Clause(1, 3, ClauseType.NON_FINITE), Clause(3, 4)]
    parts = split_clauses(sentence, clause_tree(sentence, clauses))
    assert [(part.tokens, part.governor) for part in parts if part.kind == "participle"] == [((1, 2), 0)]


def rounds_of(sentence: Sentence, clauses: list[Clause], monkeypatch) -> int:
    """Returns the number of rounds until all remaining splits are possible."""
    trees = []

    def counted(*arguments):
        trees.append(clause_tree(*arguments))
        return trees[-1]

    with monkeypatch.context() as patch:
        patch.setattr(pipeline, "clause_tree", counted)
        split_all(sentence, clauses)
    return len(trees)


@pytest.mark.parametrize("copies", [2, 10, 40])
def test_refused_splits_are_undone_together(copies: int, monkeypatch):
    text = "राम/NNP | खाना/NN | खाकर/VM:VGNF | घर/NN | है/VM | और/CC"
    sentence = parse_sentence(" | ".join([text] * copies))
    clauses = []
    for start in range(0, 6 * copies, 6):
        clauses.append(Clause(start, start + 5, ClauseType.COORDINATE))
        clauses.append(Clause(start + 1, start + 3, ClauseType.NON_FINITE))
    assert rounds_of(sentence, clauses, monkeypatch) == 2
    result = split_all(sentence, clauses)
    assert len(result.sentences) == len(result.kept_together) == copies


def test_a_verb_left_bare_by_two_participles_loses_one_of_them_only():
    text = "राम/NNP | खाना/NN | खाकर/VM:VGNF | पानी/NN | पीकर/VM:VGNF | और/CC | सोया/VM"
    clauses = [Clause(0, 7, ClauseType.MAIN), Clause(0, 3, ClauseType.NON_FINITE), Clause(3, 5, ClauseType.NON_FINITE)]
    result = split_all(parse_sentence(text), clauses)
    assert [reason for _, reason in result.kept_together] == ["would leave nothing but a verb"]
    assert len(result.sentences) == 2


def test_too_many_rounds_leave_a_sentence_as_it_is(monkeypatch):
    sentence = parse_sentence("राम/NNP | खाना/NN | खाकर/VM:VGNF | घर/NN में/PSP | है/VM | और/CC | सीता/NNP | गई/VM")
    clauses = [Clause(0, 6, None), Clause(1, 3, ClauseType.NON_FINITE), Clause(7, 9, None)]
    assert len(split_all(sentence, clauses).sentences) == 2
    monkeypatch.setattr(pipeline, "MAX_ROUNDS", 1)
    assert [str(outcome) for outcome in split_all(sentence, clauses).sentences] == [str(sentence)]


@pytest.mark.parametrize(
    ("end", "ends"),
    [
        ("।", ["।", "।"]),
        (".", [".", "."]),
        ("?", ["।", "?"]),
        ("!", ["।", "!"]),
        ('। "', ["।", "।"]),
        ("? ' )", ["।", "?"]),
        ('"', ["था", "गया"]),
    ],
)
@pytest.mark.parametrize("roman", [False, True])
def test_every_sentence_ends_as_the_source_does(end: str, ends: list[str], roman: bool):
    words = "sachin gendbaaz thaa aur vah ghar gayaa" if roman else "सचिन गेंदबाज़ था और वह घर गया"
    tokens = list(map(Token, words.split(), "NNP NN VM CC PRP NN VM".split()))
    tokens += [Token(mark, "SYM") for mark in end.split()]
    tags = ["NP", "NP", "VGF", "CCP", "NP", "NP", "VGF", *(["BLK"] * (len(tokens) - 7))]
    sentence = Sentence(tuple(tokens), tuple(Chunk(tag, position, position + 1) for position, tag in enumerate(tags)))
    result = split_all(sentence, [Clause(0, 3, ClauseType.COORDINATE), Clause(4, 7, ClauseType.COORDINATE)])
    if roman:
        ends = [{"था": "thaa", "गया": "gayaa"}.get(end, end) for end in ends]
        ends = [".", *ends[1:]] if end[0] in "?!" else ends
    assert [sentence.words[-1] for sentence in result.sentences] == ends
    if len(end) > 1:
        assert result.sentences[-1].sources[-1] == (7,)


@pytest.mark.parametrize(
    ("root", "gender", "case", "form"),
    [
        ("लड़का", "m", "oblique", "लड़के"),
        ("लड़की", "f", "plural", "लड़कियां"),
        ("नेता", "m", "oblique", "नेता"),
        ("नेता", "m", "oblique_plural", "नेताओं"),
        ("घर", "m", "oblique_plural", "घरों"),
        ("रात", "f", "plural", "रातें"),
    ],
)
def test_nouns(root: str, gender: str, case: str, form: str):
    assert noun_form(root, gender, case) == composed(form)


@pytest.mark.parametrize(
    ("tokens", "with_ne", "direct"),
    [
        ([Token("वह", "PRP")], "उसने", "वह"),
        ([Token("उसने", "PRP")], "उसने", "वह"),
        ([Token("मेरे", "PRP")], "मैंने", "मैं"),
        ([Token("राम", "NNP"), Token("ने", "PSP")], "राम ने", "राम"),
        ([Token("इन", "DEM"), Token("लोगों", "NN", "लोग", "n", "m", "pl"), Token("ने", "PSP")], "इन लोगों ने", "ये लोग"),
        ([Token("बेटे", "NN", "बेटा", "n", "m", "sg"), Token("के", "PSP")], "बेटे ने", "बेटा"),
        ([Token("उनका", "PRP"), Token("काम", "NN", "काम", "n", "m", "sg")], "उनके काम ने", "उनका काम"),
    ],
)
def test_agents_in_both_cases(tokens: list[Token], with_ne: str, direct: str):
    pairs = list(enumerate(tokens))
    assert " ".join(word.form for word in agent_words(pairs, with_ne=True)) == with_ne
    assert " ".join(word.form for word in agent_words(pairs, with_ne=False)) == direct


def test_new_verbs_are_forms_of_verbs():
    sentence = parse_sentence("बच्चा/NN | दूध/NN | पीकर/VM:VGNF | अपने/PRP कमरे/NN में/PSP | सो/VM गया/VAUX है/VAUX")
    _, clauses = parse_bracketed("(main बच्चा (nonfin दूध पीकर ) अपने कमरे में सो गया है )")
    words = split_all(sentence, clauses).sentences[0].words
    assert [entry.root for entry in analyse(words[-2])][:1] == ["पी"]
    assert words[-1] == "है"


@pytest.mark.parametrize(
    ("participle", "expected"),
    [
        ("पीकर/VM", "पिया"),
        ("पी/VM कर/VAUX", "पिया"),
        ("पीते/VM हुए/VAUX", "पिया"),
        ("पी/VM करके/VAUX", "पिया"),
        ("पी/VM ले/VAUX कर/VAUX", "पी लिया"),  # the second verb takes the tense
    ],
)
def test_what_only_makes_a_participle_is_left_out_of_the_new_verb(participle, expected):
    tagged = f"बच्चा/NN | दूध/NN | {participle}:VGNF | अपने/PRP कमरे/NN में/PSP | सो/VM गया/VAUX है/VAUX"
    forms = " ".join(word.split("/")[0] for word in participle.split())
    _, clauses = parse_bracketed(f"(main बच्चा (nonfin दूध {forms} ) अपने कमरे में सो गया है )")
    result = split_all(parse_sentence(tagged), clauses)
    assert [str(sentence) for sentence in result.sentences] == [f"बच्चे ने दूध {expected} है", "बच्चा अपने कमरे में सो गया है"]


@pytest.mark.parametrize(
    ("tagged", "clauses", "expected"),
    [
        (
            "तुम/PRP | कब/WQ | घर/NN | आए/VM | और/CC | कब/WQ | घर/NN | गए/VM | ?/SYM",
            "(coord तुम कब घर आए ) और (coord कब घर गए ? )",
            ["तुम कब घर आए ?", "कब घर गए ?"],
        ),
        (
            "क्या/WQ | वह/DEM आदमी/NN | जो/PRP | वहाँ/NN | खड़ा/JJ | है/VM | तुम्हारा/PRP | भाई/NN | है/VM | ?/SYM",
            "(main क्या वह आदमी (rel जो वहाँ खड़ा है ) तुम्हारा भाई है ? )",
            ["क्या वह आदमी तुम्हारा भाई है ?", "वह वहाँ खड़ा है ।"],
        ),
        (
            "राम/NNP ने/PSP | पूछा/VM | कि/CC | तुम/PRP | कहाँ/WQ | थे/VM | ?/SYM",
            "(main राम ने पूछा (comp कि तुम कहाँ थे ? ) )",
            ["राम ने पूछा ।", "तुम कहाँ थे ?"],
        ),
    ],
)
def test_those_sentences_ask_that_have_a_word_that_asks(tagged, clauses, expected):
    sentence = parse_sentence(tagged)
    actual = split_all(sentence, parse_bracketed(clauses)[1])
    assert [str(sentence) for sentence in actual.sentences] == expected
    assert {position for sentence in actual.sentences for position in sentence.kept} >= {len(sentence) - 1}


@pytest.mark.parametrize(
    ("agent", "main", "expected"),
    [
        ("तुम", "जाओगे", "खाओगे"),
        ("मैं", "जाऊँगी", "खाऊंगी"),
        ("वे", "जाएँगी", "खाएंगी"),
        ("मैं", "जाऊँगा", "खाऊंगा"),
        ("वह", "जाएगी", "खाएगी"),
    ],
)
def test_a_future_form_shows_person_and_number_itself(agent, main, expected):
    """Whatever an analyser of unseen words says of it."""
    analysis = "root=जा,tam=gA,gender=m,number=sg,person=3"
    tagged = f"{agent}/PRP | खाना/NN | खाकर/VM:VGNF | अपने/PRP | घर/NN | {main}/VM[{analysis}]"
    result = split_all(parse_sentence(tagged), parse_bracketed(f"(main {agent} (nonfin खाना खाकर ) अपने घर {main} )")[1])
    assert [str(sentence) for sentence in result.sentences] == [f"{agent} खाना {expected}", f"{agent} अपने घर {main}"]
