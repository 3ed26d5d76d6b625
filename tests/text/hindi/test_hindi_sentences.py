"""Sentences and tokens of plain text."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lattice_simp.errors import MissingExtraError
from lattice_simp.grammars.hindi.spelling import folded, tidied
from lattice_simp.text.hindi.sentences import _joined, _sentences, tokenised_sentences

KNOWN = frozenset({"डॉ.", "के.", "म.प्र."})

TEXTS = {
    "राम आया। सीता गई।": "राम आया । / सीता गई ।",
    "राम आया| सीता गई|": "राम आया । / सीता गई ।",
    "क्या राम आया? हाँ! वह आया।": "क्या राम आया ? / हाँ ! / वह आया ।",
    "डॉ. के. सिंह म.प्र. से आए।": "डॉ. के. सिंह म.प्र. से आए ।",
    "राम आया. सीता गई.": "राम आया . / सीता गई .",
    "राम आया. सीता डॉ. सिंह के. साथ गई.": "राम आया . / सीता डॉ. सिंह के. साथ गई .",
    "यह 1982। वह 1983।": "यह 1982 । / वह 1983 ।",
    "1982, 1983 और 12.5 या १२.५ या 1,00,000": "1982 , 1983 और 12.5 या १२.५ या 1,00,000",
    "1983-84 में 10:30 पर": "1983 - 84 में 10:30 पर",
    "माता-पिता – और ‘घर’": "माता - पिता - और ' घर '",
    "उसने कहा, “मैं आऊँगा।” राम गया।": 'उसने कहा , " मैं आऊँगा । " / राम गया ।',
    "(वह आया।) “राम” गया।": '( वह आया । ) / " राम " गया ।',
    "वह... फिर आया। क्या?!": "वह ... फिर आया । / क्या ? / !",
    "“वाह!” बोले राम।": '" वाह ! " बोले राम ।',
    '"क्या हुआ?" राम ने धीरे से पूछा। वह गया।': '" क्या हुआ ? " राम ने धीरे से पूछा । / वह गया ।',
    '"अरे! तुम आ गए?" माँ ने कहा।': '" अरे ! तुम आ गए ? " माँ ने कहा ।',
    '"अरे! तुम आ गए।" वह गया।': '" अरे ! / तुम आ गए । " / वह गया ।',
    '"मैं आया। वह "घर" गया।': '" मैं आया । / वह " घर " गया ।',
    'राम ने "चलो!" कहा।': 'राम ने " चलो ! " कहा ।',
    '"मैं आऊँगा।", राम ने कहा।': '" मैं आऊँगा । " , राम ने कहा ।',
    '"मैं आऊँगा।" कहकर वह गया।': '" मैं आऊँगा । " कहकर वह गया ।',
    '"भारत माता की जय!" के नारे लगे।': '" भारत माता की जय ! " के नारे लगे ।',
    "'कौन हो?' चिल्लाया वह।": "' कौन हो ? ' चिल्लाया वह ।",
    '"जाओ!" राम बोल उठा। "क्यों?" सीता चीखी।': '" जाओ ! " राम बोल उठा । / " क्यों ? " सीता चीखी ।',
    'उसने कहा, "जाओ!" राम ने पूछा, "क्यों?"': 'उसने कहा , " जाओ ! " / राम ने पूछा , " क्यों ? "',
    '"जाओ!" राम ने कहा कि वह आए।': '" जाओ ! " / राम ने कहा कि वह आए ।',
    '"जाओ!" राम गया और बोला।': '" जाओ ! " / राम गया और बोला ।',
    '"जाओ!" कहीं शोर था।': '" जाओ ! " / कहीं शोर था ।',
    "शीर्षक\nराम आया।\n\n": "शीर्षक / राम आया ।",
    "स्\u200dथान पढ\u093cना 5वें": "स्थान प\u095dना 5वें",
    "": "",
    " \n\t\n": "",
}


@pytest.mark.parametrize("text", TEXTS)
def test_sentences(text):
    pytest.importorskip("indicnlp")
    expected = [word.split() for word in TEXTS[text].split(" / ") if word]
    assert [list(sentence) for sentence in tokenised_sentences(text, KNOWN)] == expected


def test_romanised_words_are_converted():
    pytest.importorskip("indicnlp")
    heard = []

    def convert(word):
        heard.append(word)
        return {"raam": "राम", "gayā": "गया"}[word]

    assert tokenised_sentences("raam 5 दिन gayā.", to_devanagari=convert) == [("राम", "5", "दिन", "गया", ".")]
    assert heard == ["raam", "gayā"]


def test_without_the_library(monkeypatch):
    monkeypatch.setitem(sys.modules, "indicnlp.tokenize.indic_tokenize", None)
    monkeypatch.setitem(sys.modules, "indicnlp.tokenize", None)
    with pytest.raises(MissingExtraError, match=r"lattice-simp\[hindi\]"):
        tokenised_sentences("राम आया।")


@given(st.text("राम १2.,-|।?!'\"() \nअaB\u200d", max_size=40))
@settings(max_examples=300)
def test_nothing_is_lost(text):
    pytest.importorskip("indicnlp")
    result = tokenised_sentences(text, {"म."})
    assert "".join(token for entry in result for token in entry) == "".join(tidied(text).split())
    assert all(entry and all(entry) for entry in result)


@given(st.lists(st.sampled_from(["क", "।", "?", ".", "...", '"', ")", "("]), max_size=12), st.booleans())
def test_sentences_end_at_their_marks(tokens, full_stops):
    result = _sentences(tokens, full_stops)
    assert [token for entry in result for token in entry] == tokens
    ends = {"।", "?"} | ({"."} if full_stops else set())
    for entry in result:
        last = max((position for position, token in enumerate(entry) if token not in {'"', ")"}), default=-1)
        assert not ends & set(entry[:last])


def test_the_longest_abbreviation_counts_and_the_line_s_end_wins():
    pieces = ["म", ".", "प्र", "."]
    assert _joined(pieces, {"म.", "म.प्र."}, False) == ["म.प्र."]
    assert _joined(pieces, {"म.", "प्र."}, False) == ["म.", "प्र."]
    assert _joined(pieces, {"म.", "म.प्र."}, True) == ["म.", "प्र", "."]


def test_one_spelling():
    assert folded("पढ\u093cा") == folded("प\u095dा")
    assert folded("१९८२") == "1982"
    assert tidied("प\u095d") == tidied("पढ\u093c") == "प\u095d"
    assert tidied("é") == "é"
