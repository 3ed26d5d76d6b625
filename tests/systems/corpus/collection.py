"""Small artificial collections of articles."""

from __future__ import annotations

import json
import random
from xml.sax.saxutils import escape

WORDS = (
    "river valley farmer bridge winter letter garden engine window market doctor island castle forest basket".split()
)
VERBS = ["crosses", "follows", "repairs", "leaves", "paints", "remembers"]
EXTRA = ["quietly", "every year", "with great care", "at the break of day", "in spite of the weather"]


def sentence_pair(choose):
    """Returns a sentence and a simpler one: the same, without its last words, or as two."""
    first, second, third = choose.sample(WORDS, 3)
    verb, other = choose.sample(VERBS, 2)
    extra = choose.choice(EXTRA)
    result = f"The {first} {verb} the {second} and {other} the {third} {extra}."
    kinds = [result, f"The {first} {verb} the {second} and the {third}."]
    kinds.append(f"The {first} {verb} the {second}. It {other} the {third} {extra}.")
    return result, choose.choice(kinds)


def articles(count, seed=1, paragraphs=3):
    """Returns complex and simple articles: dicts of title and text."""
    choose = random.Random(seed)
    sides = [], []
    for number in range(count):
        pairs = [[sentence_pair(choose) for _ in range(choose.randint(1, 4))] for _ in range(paragraphs)]
        for side in (0, 1):
            text = "\n".join(" ".join(pair[side] for pair in paragraph) for paragraph in pairs)
            sides[side].append({"title": f"Article {number}", "text": text})
    return sides


def write_collection(path, records):
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def page_of(title, *texts, namespace=0):
    """Returns a page of a dump, with a revision for each text."""
    revisions = "".join(f"<revision><id>1</id><text>{text}</text></revision>" for text in texts)
    return f"<page><title>{escape(title)}</title><ns>{namespace}</ns><id>7</id>{revisions}</page>"


def dump_of(*pages):
    head = '<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/"><siteinfo><sitename>W</sitename></siteinfo>'
    return head + "\n".join(pages) + "</mediawiki>\n"
