"""Splits that can be read in one way only."""

from __future__ import annotations

import pytest

from lattice_simp.systems.simplify.analysis import analyse
from lattice_simp.systems.simplify.certainty.certain import is_certain

CERTAIN = [
    "The judge , who was tired , slept .",
    "She lived in Rome , where he also worked .",
    "She met Ann , who was tired .",
    "The cat slept , but the dog barked .",
    "The cat slept ; the dog barked .",
    "The teacher left , closing the door .",
    "Anna , a painter from Rome , left the town .",
    "He stayed at home because the old man was tired .",
    "The smallest fish was a shark , while the largest one was a whale .",
    "Jan Berg is a famous rower who lives in Leeds .",
    "The city , known as Ys , is near the sea and has a port .",
    "The old bridge , built in 1890 , is near the sea and has two towers .",
    "Jan Berg is a rower from Norway , who lives in Leeds .",
    "The soldiers in Rome , the oldest city there , are tired .",
    "The very old house on the hill in the town was sold and was burnt .",
    "Ann Lee is a Danish painter best known for her pictures of the sea .",
    "The Old Bell was a small school in Leeds run by nuns .",
]
UNCERTAIN = {
    "The firm has raised its prices but lost a lot of money .": "has lost",
    "The firm was sold in 1990 and renamed the Lee Trust .": "was renamed",
    "The flats are very small , and cost a lot of money .": "they cost now",
    "I had 16 , and the old man had 17 books .": "16 of what",
    "She wants to be a queen , who saves the town .": "there is no queen yet",
    "Ann Lee , who was very good about it , had a new plan .": "it would be the plan",
    "Ann Lee , a judge at the court of Leeds , agreed that it was cold there .": "was, or still is a judge",
    "Ann Lee , the head of the old bank , said that it was cold there .": "was, or still is the head",
    "The Lee is one of The Three Streams , the other two being the Blackwater and the Bride .": "no apposition",
    "The game ended before the old men left the town in May and sang in the house .": "the game, or the men",
    "The house , located near the sea , was sold to the judge .": "it still is there",
    "City Hall , which the old judge started work on in 1861 , is near the sea .": "two prepositions",
    "Holly Hall is a small private school in Leeds run by nuns .": "is, or was run",
    "Ann Lee ( born May 9 , 1950 , Rome ) is a painter .": "a place without a preposition",
    "Closing the doors , teachers left the town .": "a noun without an article would be repeated",
    "Perhaps you can sing and you can dance .": "a word of both clauses",
    "The cat lived in Mali.It , but the dog barked .": "two sentences without a space between them",
    "We have heard about what they can and can not do .": "an auxiliary without its verb",
    "She met the head of a firm , which was large .": "the head, or the firm",
    "The boy saw the man , holding a stick .": "the boy, or the man",
    "The judge who signed the law was very tired .": "says which judge",
    "When the man came home , the woman left the house .": "at that time, or each time",
    "Since he was there , she left the house .": "because, or from then on",
    'He sang in " Big Sky " , which was a success .': "a title",
    "This film is about love - a dream that became true .": "a dash",
    "She lost a letter , which was old , written by Ann .": "what follows loses its comma",
    "She met one of them , who was tired .": "one is not named again",
    "The town , in which she lived , was old .": "a preposition that would move",
    "It is not just the machine , which makes the base .": "not only the machine",
    "They expected new attacks , a problem which would grow .": "one problem, several attacks",
    "She won the last election , where he also stood .": "not a place",
    "She left the old town early , being a judge then .": "why, or when",
    "They sold the old car to her , known as Bess .": "the car, or they",
    "It is a new game for the old console , made by a firm .": "the game, or the console",
    "It is a pact limited over time , which allows them to work .": "the pact, or time",
    "She saw the thief , the killer .": "who is who",
    "The school is a public school in Texas and classified as a good school .": "is classified, or classified",
    "The show was aired on a new block and previously was a part of it .": "was was",
    "They should leave the road or go through the town and drive back to it .": "not both",
    "Tom is lying on the couch at home , watching a show .": "is watching, not watches",
    "She left the old town for one reason : because it was cold .": "a colon",
    "A gift for Ann , who was tired after the long day .": "no sentence",
    "They look for and hope to find a cure .": "a preposition without its noun",
    "The very old house on the hill near a house in the town was sold and was burnt .": "a long name",
    "He had his own cart , with a fine horse , which took him to Rome .": "the cart, or the horse",
    "They scored near the goal in the last minute , which shook the other team .": "the minute, or the goal",
    "The dog is the best of the town and thus is important to the people .": "a link without a sentence before it",
    "She can order books at night , shop for food , and leave some notes that get read later .": "a list of acts",
    "Her hobbies include fishing in a pond , spending the nights near a fire , and long walks .": "a list of hobbies",
    "He is acting as a partner , a good partner from the old town .": "a partner is a partner",
    "He is now signed to Arista , where he performs the old songs .": "no place",
    "The very long and old green road , which is near the sea , was built in May .": "a long description",
    "Many old trees near the town were cut down in May , taking away its shade .": "the trees, or their loss",
    "They need to not only show the card to the old driver , but they also need to pay in the town .": "half of a pair",
    "Ann , linked with the club during the long summer , has dropped a hint .": "is, or was linked",
    "Ann Lee , the current head of the old school , met the king there .": "current then, or now",
    "The ship was hit by a large rock , which she has blamed her brother for .": "the rock, or the blow",
    "The eye plays a large role , which makes the cats able to see well .": "the role, or all of it",
    "I was so sure he was dead and she would never see the old town again .": "sure of both",
    "Old teacher looked at the house for many years , and was brought to Rome by them .": "no article",
    "She runs a school that teaches old men and that helps young people .": "two clauses of one noun",
    "She saw the cat , grabbed the old stick , and ran to the river with her brother .": "a list of acts",
    'She left the old town , smiling at him : " No , " she said .': "what she said with a smile",
    "She met Ann , who , we remember , sang about the old man .": "what is remembered",
    "This law extends the time before a judge must hear them .": "the time, or an order of events",
    "They spoke to her in May , trawled through the old papers .": "trawled, or were trawled",
    "It is the old town , which is losing its people .": "what it is",
    "They ended all wars , which were long .": "other wars",
    "She was drafted in May and then spells with two teams followed .": "two tenses",
    '" It was cold , " said Ann Lee , the head of sales .': "after a report",
    "She met Ann Lee , head of sales .": "no article",
    "The game was at Tampa , Florida 's Dallas Bull .": "a place in a place",
    "The son of the king , a painter , left the town .": "the son, or the king",
    "They have made two albums , selling many copies .": "are selling, or sold",
    "The bank runs cars that drive at night , and where they stop it has shops .": "a question",
    "The storm sank ships , left men homeless , hurt one man and cut the power .": "a list",
    "They lost the game this morning before the doctor arrived .": "an order of events, or what never happened",
    "The students are facing a crisis , before they can start working there .": "what has not happened",
    "She keeps a dog in her house , which is great .": "the house, or all of it",
    "The firm plans a new road to the sea , which would help the town .": "the road, or the plan",
    "They downplay common risks -- so flying to the old town .": "after a dash",
    "The name comes from the word Matte , meaning meadow , and Horn .": "two words",
    "The people , or Poles , are a large group , living in the old town .": "two names",
    "If you were a teacher and I told you a secret .": "a condition",
    "Why should there be so much noise , and that was the question .": "a question",
    "I am sorry , but I did not understand what you said in English .": "an apology",
    "It is a sort of new book , written twenty years after the old one .": "no name",
    "The ship was named for the Nile , the longest river of the world .": "was, or is",
    "The first missions were flown , in which 20 men left Earth , 14 went to the Moon , and 12 walked there .": "list",
    "She moved to Rome , where he travelled in May .": "there, or to there",
    "They live with the son of the judge , which is old .": "the son, or the judge",
    "The best gift is a life in freedom , a good thing for all .": "the gift, or the life",
    "But the cat slept in the old house , but the dog barked .": "but twice",
    "The cat slept in the old house , and the dog barked ...": "no end",
    "The wind will blow in the old town , burning the houses .": "will burn, or burns",
    "Because it was cold - and because it rained , they left the town .": "a conjunction that would begin a sentence",
    "She met him in Rome and together had a son .": "she, or both",
    "They need to be more aware of , and they need to find the cause .": "a preposition without its noun",
    "The pictures speak , for Ann Lee , the language of love .": "for her, or the language",
    "They have a good line-up and a good plan ; ending the war there .": "no clause",
    "She watches the show Life with Ann , which was first aired in May .": "a title",
    "They heard rumours of fights at the club , which was old .": "the club, or the rumours",
    "They lost a part of our culture , which I think is a terrible thing .": "the culture, or its loss",
    "He moved to the 5th Battalion , which was part of the army , when the war began there .": "he moved, or it was",
    "Licensed to Leeds , the station is owned by a large firm now .": "is, or was licensed",
    "Ann was the friend of a poet , helping him to write , editing the books , reading all of them .": "a list",
    "The firm reopened its doors , completely changing its work in 1948 it began to build scooters .": "two sentences",
    "They can send this creature around the lab and control whether it goes left or right .": "can control",
    "Ann Lee was born in London , the daughter of a judge .": "Ann, or London",
    "He fired many shots before going to the kitchen , changing his clothes and leaving .": "one list",
    "The old park , covering the whole hill , was opened in May .": "it covered, or still covers",
    "The judge , who had moved to Rome in May , died there .": "there",
    "Ann , who met Tom in Rome , later left him for the judge .": "him",
    "The firm plans to build a new road , creating many jobs .": "will create, or creates",
    "The team , coached by Ann Lee , plays in the old town .": "is coached, or was",
    "They sang for him over twenty songs , some of which were long .": "some of over twenty songs",
    "The judge denied stories of theft , which the king had told .": "these stories, or any",
    "They cooked soup , they fried fish , and then they finally introduced a new menu .": "three clauses",
}


def certain(parse):
    return [split for split in analyse(parse).splits if is_certain(parse, split)]


@pytest.mark.parametrize("source", CERTAIN)
def test_certain_splits(parsed, source):
    assert certain(parsed(source))


@pytest.mark.parametrize("source", UNCERTAIN)
def test_uncertain_splits(parsed, source):
    assert not certain(parsed(source))


@pytest.mark.parametrize("source", UNCERTAIN)
def test_they_are_candidates(parsed, source):
    """Otherwise the test above would say nothing."""
    assert analyse(parsed(source)).splits
