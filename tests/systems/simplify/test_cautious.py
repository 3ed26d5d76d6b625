"""Cautious simplification: applied and rejected operations, and faults in parses."""

from __future__ import annotations

from dataclasses import replace

import pytest
from simplifier_model import write_model

from lattice_simp.systems.simplify.analysis import analyse
from lattice_simp.systems.simplify.births import birth_splits
from lattice_simp.systems.simplify.cautious import Reading, cautious_analysis, faults, redundant_brackets
from lattice_simp.systems.simplify.clause_marks import mark_splits
from lattice_simp.systems.simplify.hypotheses import Variant, make_variant
from lattice_simp.systems.simplify.operations import OperationModel
from lattice_simp.systems.simplify.questions import question_splits
from lattice_simp.systems.simplify.quotations import quotation_splits
from lattice_simp.systems.simplify.replacements import Replacement
from lattice_simp.systems.simplify.sentence import Token, source_sentence
from lattice_simp.systems.simplify.simplifier import Simplifier
from lattice_simp.systems.simplify.soundness import Written, fault


@pytest.fixture(scope="module")
def simplifier(tmp_path_factory):
    return Simplifier.load(write_model(tmp_path_factory.mktemp("model")))


def reading(words, *, copied=(), starts=(0,)):
    """Returns a reading of `word/position` tokens; without a position the word is inserted."""
    pairs = [word.partition("/") for word in words.split()]
    tokens = tuple(
        Token(text, int(position) if position else None, index in copied)
        for index, (text, _, position) in enumerate(pairs)
    )
    return Reading(Variant((), tokens, (), (), (), starts), tuple(range(len(tokens))))


FAULTS = [
    ("The orbiter was hit by debris .", "The/0 orbiter/1 ./6", "lost: hit"),
    ("He did not sing .", "He/0 did/1 sing/3 ./4", "lost: not"),
    ("The man who sang left .", "The/0 man/1 ./5 left/4", "lost: sang"),
    ('He sang there , and she said " no " .', 'He/0 sang/1 there/2 . She/5 said/6 "/7 no/8 ./10', 'lost: "'),
    (
        "He left the firm Lee Ltd. , and she sang .",
        "He/0 left/1 the/2 firm/3 Lee/4 Ltd./5 ./10 She/8 sang/9 .",
        "doubled: Ltd. .",
    ),
    ("He is old and she sang , too .", "He/0 is/1 old/2 and/3 ,/6 too/7 ./8 She/4 sang/5 .", "doubled: and ,"),
]


@pytest.mark.parametrize(("source", "words", "wrong"), FAULTS)
def test_faults(parsed, source, words, wrong):
    assert faults(parsed(source), [reading(words)])[0].startswith(wrong)


def test_sentences_without_a_subject_or_a_verb(parsed):
    source = parsed("The old man sang and the woman danced .")
    halves = "The/0 old/1 man/2 sang/3 . The/5 woman/6 danced/7 ./8"
    broken = "The/0 old/1 man/2 . sang/3 the/5 woman/6 danced/7 ./8"
    assert faults(source, [reading(halves, starts=(0, 5)), reading(broken, starts=(0, 4))]) == ["", "no main clause"]


def test_a_subordinate_clause_is_no_sentence(parsed):
    source = parsed("If the man sings , the woman should dance .")
    broken = "If/0 the/1 man/2 sings/3 . The/5 woman/6 should/7 dance/8 ./9"
    assert faults(source, [reading(broken, starts=(0, 5))]) == ["no main clause"]


def test_be_needs_a_complement(parsed):
    source = parsed("The orbiter and the wing are old , and the debris was thrown up .")
    broken = "The/0 orbiter/1 and/2 the/3 wing/4 are/5 ./14 The/9 debris/10 was/11 thrown/12 up/13 ./14"
    assert faults(source, [reading(broken, starts=(0, 7))]) == ["nothing after be"]


def test_a_verb_first_is_no_statement(parsed):
    source = parsed("The man sang and has the boy thrown out .")
    broken = "The/0 man/1 sang/2 . Has/4 the/5 boy/6 thrown/7 out/8 ./9"
    assert faults(source, [reading(broken, starts=(0, 4))]) == ["verb first"]


def test_marks_are_not_doubled(parsed):
    source = parsed("The man , who sang , left .")
    assert faults(source, [reading("The/0 man/1 left/6 ,/2 ./7 He/1 sang/4 .", starts=(0, 5))])[0] == "doubled: , ."


def test_counting_words_need_a_plural(parsed):
    source = parsed("They need a large number of local labour .")
    tokens = (
        Token("They", 0),
        Token("need", 1),
        Token("many", 2),
        Token("local", 6),
        Token("labour", 7),
        Token(".", 8),
    )
    written = parsed("They need many local labour .")
    assert fault(source, [Written(tokens, written, {2: ""})], frozenset({2, 3, 4, 5})) == "many labour"


def test_new_subjects_agree(simplifier, parsed):
    source = "A string of storms has hit the coast ."
    assert simplifier.simplify(parsed(source))[0].text == source


def test_replaced_modifiers_are_parsed_in_the_place_of_new_ones(parsed):
    """A parser that takes a rare word for a name would reject the new one for the change of its parse."""
    source = parsed("The previous owner met practically all men .")
    change = Replacement((1,), ("of",), 0, "JJ", is_modifier=True)
    analysis = replace(analyse(source), replacements=(change,))
    variant = make_variant(analysis, OperationModel(), (), ())
    indices = (0, len(variant.tokens), *range(2, len(variant.tokens)))
    other = replace(variant.bypasses[0], replacement=replace(change, is_modifier=False))
    assert faults(source, [Reading(variant, indices)]) == [""]
    assert faults(source, [Reading(replace(variant, bypasses=(other,)), indices)]) != [""]


def test_pronouns_agree(parsed):
    source = parsed("The men sing and want to dance .")
    broken = "The/0 men/1 sing/2 . They/1 wants/4 to/5 dance/6 ./7"
    assert faults(source, [reading(broken, copied=(4,), starts=(0, 4))])[0] == "They wants disagree"


def test_parses_are_compared_word_by_word(parsed):
    source = parsed("The men left the town .")
    tokens = source_sentence(source.tokens)

    def wrong(new=None, **columns):
        return fault(source, [Written(tokens, replace(source, **columns), new or {})], frozenset(new or {}))

    assert wrong() == ""
    assert wrong(tags=(*source.tags[:4], "VB", source.tags[5])) == "town is VB, not NN"
    assert wrong(labels=(*source.labels[:4], "nsubj", source.labels[5])) == "town is nsubj, not dobj"
    assert wrong(heads=(*source.heads[:4], 1, source.heads[5])) == "town is dobj, not dobj"
    assert wrong(new={2: "VBZ"}) == "left is VBD, not VBZ"


def test_only_new_words_are_compared_if_words_are_only_replaced(parsed):
    """Parsers often attach other words elsewhere when one word of a long sentence changes."""
    source = parsed("The men left the old town near the wide sea .")
    tokens = source_sentence(source.tokens)

    def wrong(position, tag, label, **options):
        tags = tuple(tag if index == position else each for index, each in enumerate(source.tags))
        labels = tuple(label if index == position else each for index, each in enumerate(source.labels))
        written = Written(tokens, replace(source, tags=tags, labels=labels), {1: "NNS"})
        return fault(source, [written], frozenset({1}), **options)

    assert wrong(9, "NN", "advcl", only_replaces=True) == ""
    assert wrong(9, "NN", "advcl") == "sea is advcl, not pobj"
    assert wrong(9, "VB", "pobj", only_replaces=True) == ""
    assert wrong(9, "VB", "pobj") == "sea is VB, not NN"
    assert wrong(1, "VB", "nsubj", only_replaces=True) == "men is VB, not NNS"


def test_words_are_only_replaced_if_all_others_stay_in_order(parsed):
    source = parsed("The man left .")
    assert reading("The/0 man/1 left/2 ./3").only_replaces(source)
    for words in ("left/2 The/0 man/1 ./3", "The/0 man/1 left/2 ./3 He/1 sang .", "The/0 man/1 ./3"):
        assert not reading(words).only_replaces(source)


def test_tags_that_parsers_confuse_on_the_same_word(parsed):
    source = parsed("Binns met both men at 9pm .")
    tokens = source_sentence(source.tokens)

    def wrong(position, tag):
        tags = tuple(tag if index == position else each for index, each in enumerate(source.tags))
        return fault(source, [Written(tokens, replace(source, tags=tags), {})])

    assert [wrong(0, "NNPS"), wrong(2, "CC"), wrong(5, "RB")] == ["", "", ""]
    assert wrong(3, "VBP") == "men is VBP, not NNS"


def test_new_words_in_the_form_of_old_ones_agree_as_those_did(parsed):
    source = parsed("Barcelona appear to have left .")
    tokens = source_sentence(source.tokens)
    written = replace(source, tokens=("Barcelona", "seem", *source.tokens[2:]))
    assert fault(source, [Written(tokens, written, {1: source.tags[1]})], frozenset({1})) == ""
    assert fault(source, [Written(tokens, written, {1: ""})], frozenset({1})) == "Barcelona seem disagree"


def test_plural_nouns_take_the_place_of_singular_ones(simplifier, parsed):
    assert simplifier.simplify(parsed("The firm raised its turnover last year ."))[0].text == (
        "The firm raised its sales last year ."
    )
    assert not simplifier.simplify(parsed("The firm had a big turnover ."))[0].is_changed


def test_words_keep_their_tags_and_roles(parsed):
    source = parsed("The fishermen catch fish in the sea .")
    noun = "The/0 fishermen/1 the/0 catch/2 of/4 fish/3 in/4 the/5 sea/6 ./7"
    assert faults(source, [reading(noun)])[0]


def test_redundant_brackets_go(simplifier, parsed):
    best = simplifier.simplify(parsed("The Red Army ( RA ) purchased the old town in May ."))[0]
    assert best.text == "The Red Army bought the old town in May ."
    money = "They bought the boat for 20 crowns ( 3 euros ) in May ."
    assert not list(redundant_brackets(money.split()))  # the second amount is news
    for kept in (
        "The Red Army ( RA ) took the old town in May .",  # no change but this one
        "The Red Army ( RA ) and the other RA took the town .",
        "They won by 29 ( SEC ) in the old town .",
        "She lives in Leeds , Texas ( USA ) , near the sea .",
    ):
        assert not simplifier.simplify(parsed(kept))[0].is_changed


def test_copied_subjects_agree(parsed):
    source = parsed("The men , who were tired , slept .")
    good = "The/0 men/1 slept/7 ./8 The/0 men/1 were/4 tired/5 ."
    bad = "The/0 men/1 slept/7 ./8 The man/1 were/4 tired/5 ."
    copied = (4, 5)
    problems = faults(source, [reading(text, copied=copied, starts=(0, 4)) for text in (good, bad)])
    assert problems[0] == ""
    assert "disagree" in problems[1]


def test_only_sound_operations_are_left(parsed):
    analysis = analyse(parsed("The judge , who was very tired , purchased the old house ."))
    sound = cautious_analysis(analysis)
    assert [split.kind.value for split in sound.splits] == ["relative"]
    assert not sound.deletions  # "old" says which house
    assert [replacement.words for replacement in sound.replacements] == [("bought",)]


def test_replacements_are_arcs_of_every_variant(parsed):
    analysis = cautious_analysis(analyse(parsed("The judge , who was tired , purchased numerous old houses .")))
    for chosen in ([], analysis.splits):
        variant = make_variant(analysis, OperationModel(), chosen, analysis.splits)
        assert [bypass.replacement.words for bypass in variant.bypasses] == [("bought",), ("many",)]
        assert sorted(variant.order) == [
            index for index in range(len(variant.written)) if index != len(variant.tokens) - 1
        ]


@pytest.mark.parametrize("search", ["joint", "greedy"])
def test_the_modes(simplifier, parsed, search):
    parse = parsed("The judge , who was tired , purchased the principal house there .")
    cautious = replace(simplifier, search=search).simplify(parse)[0]
    assert cautious.text == "The judge bought the main house there . The judge was tired ."
    assert {(words.source, words.target, words.start) for words in cautious.substitutions} == {
        (("purchased",), ("bought",), 2),
        (("principal",), ("main",), 4),
    }
    bold = replace(simplifier, search=search, mode="bold").simplify(parse)[0]
    assert "purchased" in bold.tokens  # not in the phrase table
    plain = replace(simplifier, search=search, stages=("split",)).simplify(parse)[0]
    assert plain.text == "The judge purchased the principal house there . The judge was tired ."


def test_short_sentences_are_not_split(parsed):
    short, long = "The cat slept ; the dog ate meat .", "The old cat slept ; the dog ate its meat in the house ."
    assert not cautious_analysis(analyse(parsed(short))).splits
    assert cautious_analysis(analyse(parsed(long))).splits


def test_slight_changes_are_made_beside_others_alone(simplifier, parsed):
    alone, beside = parsed("He left plenty of food ."), parsed("He purchased plenty of food .")
    assert simplifier.simplify(alone)[0].text == "He left plenty of food ."
    assert simplifier.simplify(beside)[0].text == "He bought a lot of food ."
    assert simplifier.simplify(parsed("He normally left plenty of food ."))[0].text == "He usually left a lot of food ."
    assert not cautious_analysis(analyse(parsed("He actually left the house ."))).deletions


def test_a_fault_of_all_changes_together_leaves_the_others(simplifier, parsed):
    source = "The men rejected the proposal by a narrow margin , prompting the minister to resign ."
    best = simplifier.simplify(parsed(source))[0]
    assert best.text == "The men turned down the proposal by a narrow margin . This prompted the minister to quit ."


def test_words_that_limit_others_stay(parsed):
    assert cautious_analysis(analyse(parsed("It was basically old , and he purchased food ."))).deletions
    assert not cautious_analysis(analyse(parsed("There was basically no food , and he purchased it ."))).deletions


def test_a_split_leaves_more_than_a_word_of_another_clause(simplifier, parsed):
    source = "The Leeds player joined the game late and missed , lifting the ball to the old post ."
    expected = "The Leeds player joined the game late . The Leeds player missed , lifting the ball to the old post ."
    assert replace(simplifier, stages=("split",)).simplify(parsed(source))[0].text == expected


def test_what_has_nothing_sound_stays(simplifier, parsed):
    parse = parsed("The very old judge who was tired slept .")
    best = replace(simplifier, stages=("split",)).simplify(parse, 3)
    assert [simplification.tokens for simplification in best] == [parse.tokens]


def test_no_sentence_refers_to_one_that_is_not_beside_it(parsed):
    source = parsed(
        "Ann Lee ( born in May 1980 ) , an old painter from Rome , is now in Leeds , where she sings songs ."
    )
    kinds = [split.kind.value for split in cautious_analysis(analyse(source)).splits]
    assert kinds
    assert "relative" not in kinds  # "Ann Lee was born in May 1980 . There , she sings songs ."
    alone = parsed("Ann Lee is now in Leeds , where she sings songs .")
    assert [split.kind.value for split in cautious_analysis(analyse(alone)).splits] == ["relative"]


BRACKETS = [
    (
        "Ann Lee ( born 5 May 1980 in Rome ) is a painter .",
        "Ann Lee is a painter . Ann Lee was born on 5 May 1980 in Rome .",
    ),
    (
        "Jan Berg ( born 1950 ) is a famous rower from Leeds .",
        "Jan Berg is a famous rower from Leeds . Jan Berg was born in 1950 .",
    ),
    (
        "Jan Berg ( May 5 , 1850 -- May 9 , 1920 ) was a rower .",
        "Jan Berg was a rower . Jan Berg was born on May 5 , 1850 and died on May 9 , 1920 .",
    ),
]


@pytest.mark.parametrize(("source", "split"), BRACKETS)
def test_births_and_lives_become_sentences(simplifier, parsed, source, split):
    assert replace(simplifier, stages=("split",)).simplify(parsed(source))[0].text == split


@pytest.mark.parametrize(
    "source",
    [
        "Ann Lee ( born Ann Berg in 1980 ) is a painter .",
        "Ann Lee ( born 1980 ) was born in Rome and is a painter .",
        "The Great War ( July 28 , 1914 -- November 11 , 1918 ) was a long war .",
        "Holly Hall ( 1850 -- 1920 ) was a small school .",
    ],
)
def test_other_brackets_stay(simplifier, parsed, source):
    assert "Ann Lee was born on" not in replace(simplifier, stages=("split",)).simplify(parsed(source))[0].text
    assert not list(birth_splits(parsed(source)))


@pytest.mark.parametrize(
    ("source", "split"),
    [
        (
            "The rule is simple : the cats sleep in the old house .",
            "The rule is simple . The cats sleep in the old house .",
        ),
        (
            "The storm was very strong ; it sank two ships near the coast .",
            "The storm was very strong . It sank two ships near the coast .",
        ),
        ("The storm was very strong -- it sank two ships .", "The storm was very strong . It sank two ships ."),
        ("The judge was old - but she left the town .", "The judge was old . But she left the town ."),
        (
            "The old car is very fast - and it is good enough to win .",
            "The old car is very fast . It is good enough to win .",
        ),
        (
            "It was raining hard , so we stayed at home all day .",
            "It was raining hard . So we stayed at home all day .",
        ),
        (
            "She is ill and old , so she can not leave the house .",
            "She is ill and old . So she can not leave the house .",
        ),
        (
            "It is a good old plan , but is it worth the money ?",
            "It is a good old plan . But is it worth the money ?",
        ),
        (
            "What is the new plan of the town , and why does it cost so much ?",
            "What is the new plan of the town ? Why does it cost so much ?",
        ),
        (
            "Do we need the new road or is there a better plan for it ?",
            "Do we need the new road ? Or is there a better plan for it ?",
        ),
        (
            "So , when will they open the hall , and can we see it ?",
            "So , when will they open the hall ? Can we see it ?",
        ),
        ("The old hall is open - but who will pay for it ?", "The old hall is open . But who will pay for it ?"),
        ("Which teams won and how many games did they play ?", "Which teams won ? How many games did they play ?"),
        ("Did they build it and , if so , what did it cost ?", "Did they build it ? If so , what did it cost ?"),
    ],
)
def test_marks_between_statements_become_stops(simplifier, parsed, source, split):
    assert replace(simplifier, stages=("split",)).simplify(parsed(source))[0].text == split


@pytest.mark.parametrize(
    ("source", "split"),
    [
        (
            '" It has been a very long year , but we like the new team , " the judge said .',
            '" It has been a very long year . But we like the new team , " the judge said .',
        ),
        (
            '" The tests are finished and we expect help from the town , " said Ann Lee .',
            '" The tests are finished . We expect help from the town , " said Ann Lee .',
        ),
        (
            'She told the judge , " He came to the house at night , and he met my brother . "',
            'She told the judge , " He came to the house at night . He met my brother . "',
        ),
    ],
)
def test_statements_of_a_quotation_become_sentences(simplifier, parsed, source, split):
    assert replace(simplifier, stages=("split",)).simplify(parsed(source))[0].text == split


@pytest.mark.parametrize(
    "source",
    [
        '" If the price falls we will sell , and we will not come back , " the judge said .',
        '" I saw the old car and took two pictures of it , " the judge said .',
        '" I met the old men , " he said , " and they told me all about the town . "',
    ],
)
def test_other_quotations_stay_whole(parsed, source):
    assert not list(quotation_splits(parsed(source)))


@pytest.mark.parametrize(
    ("source", "split"),
    [
        (
            "She speaks four old languages , which helps her a lot in her work .",
            "She speaks four old languages . This helps her a lot in her work .",
        ),
        (
            "They built houses near the river , which is often dangerous in May .",
            "They built houses near the river . This is often dangerous in May .",
        ),
        (
            "The judge left without her brother , which surprised the men in the house .",
            "The judge left without her brother . This surprised the men in the house .",
        ),
        (
            "The firm plans a new road to the sea , which would help the town .",
            "The firm plans a new road to the sea . This would help the town .",
        ),
        ("She keeps a dog in her house , which is great .", "She keeps a dog in her house . This is great ."),
        (
            "The new rules apply to all old cars , which makes life hard for many men .",
            "The new rules apply to all old cars . This makes life hard for many men .",
        ),
    ],
)
def test_clauses_about_a_whole_statement_become_sentences(simplifier, parsed, source, split):
    assert replace(simplifier, stages=("split",)).simplify(parsed(source))[0].text == split


def test_both_of_several_are_named_by_a_pronoun(simplifier, parsed):
    source = "The two old men , both of whom were judges , left the town in May ."
    best = replace(simplifier, stages=("split",)).simplify(parsed(source))[0]
    assert best.text == "The two old men left the town in May . Both of them were judges ."


@pytest.mark.parametrize(
    "source",
    [
        "If the rain goes on the games will end early , which is sad for the fans .",
        "He said that the bank had lost the old papers , which would explain the delay .",
        "He moved to the old town of Leeds , which is very beautiful .",
        "They scored in the last year of the war , which was cold .",
        "It is not just the old machine , which makes the base of it .",
        "He played for two old teams in Rome , which is a large town .",
    ],
)
def test_other_clauses_are_not_about_a_statement(simplifier, parsed, source):
    assert ". This" not in simplifier.simplify(parsed(source))[0].text


@pytest.mark.parametrize(
    "source",
    [
        "The rule says that : the cats sleep in the old house .",
        "The judge asked this : what did they do there in May ?",
        "Well , I got a picture of it , and the next morning -- you may know , those who were there will like it .",
        "This is a thing that people will talk about and lots of teachers -- you know , a teacher is a person here .",
        "He drives a two - door car there , but he is old .",
        "The judge was very old - and so they left the town .",
        'He left the town : " It was cold there in May . "',
        "They built a road , so the cars can reach the old town .",  # a purpose
        "He said it was raining , so we stayed at home all day .",
        "If it rains hard , so the wind blows in the old town .",
    ],
)
def test_other_marks_stay(parsed, source):
    assert not list(mark_splits(parsed(source)))


@pytest.mark.parametrize(
    "source",
    [
        "If it rains hard , they will come , but will they sing ?",
        "Can you tell me what the judge said , and how they left the town ?",
        "Did they build the old house , and sell it to the town ?",
        "It is a good old plan , but it is worth the money ?",
        "Do you know who is coming to the town and who is leaving it ?",
        "Were they right to sell it , which helped them , and which hurt the town ?",
        "When it rains in the town , do they play or do they go home ?",
    ],
)
def test_other_questions_stay_whole(parsed, source):
    assert not list(question_splits(parsed(source)))
