"""A model small enough to be read at a glance."""

from __future__ import annotations

import pytest
from helpers import write_decoder

RULES = """[X] ||| the ||| das ||| P=-0.7 ||| 0-0
[X] ||| the ||| die ||| P=-0.7 ||| 0-0
[X] ||| house ||| haus ||| P=-0.1 ||| 0-0
[X] ||| bridge ||| brücke ||| P=-0.1 ||| 0-0
[X] ||| was built ||| wurde gebaut ||| P=-0.2 ||| 0-0 1-1
[X] ||| was [X,1] built ||| wurde [X,1] gebaut ||| P=-0.4 ||| 0-0 2-2
[X] ||| yesterday ||| gestern ||| P=-0.1 ||| 0-0
"""
ARPA = """\\data\\
ngram 1=9
ngram 2=3

\\1-grams:
-3\t<unk>
-99\t<s>\t-0.2
-1\t</s>
-1\tdas\t-0.3
-1\tdie\t-0.3
-1.5\thaus\t0
-1.5\tbrücke\t0
-1\twurde\t0
-1.2\tgebaut\t0

\\2-grams:
-0.2\tdas haus
-0.2\tdie brücke
-0.3\twurde gebaut

\\end\\
"""


@pytest.fixture(scope="session")
def model(tmp_path_factory):
    weights = {"P": 1, "LM": 1, "Glue": 0.1, "OOV": 5}
    return write_decoder(tmp_path_factory.mktemp("model"), RULES, ARPA, weights)
