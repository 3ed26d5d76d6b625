"""Letters of scripts without blanks, and lines whose tokens are whole sentences."""

from __future__ import annotations

import unicodedata

import pytest

from lattice_simp.core.scripts import is_unspaced, unspaced_letters, unspaced_marks, whole_sentences

SENTENCES = {
    "zh": "他昨天去北京参加会议。",
    "ja": "私は昨日東京へ行きました。",
    "kana": "わたしはすしがすきです。",
    "th": "ผมชอบกินข้าวผัด มากกว่าก๋วยเตี๋ยวน้ำ",
    "lo": "ຂ້ອຍກິນເຂົ້າແລ້ວຢູ່ເຮືອນ",
    "km": "ខ្ញុំរៀនភាសាខ្មែរនៅសាលា",
    "my": "ကျွန်တော်မြန်မာစကားပြောသည်",
    "bo": "ང་བོད་ཡིག་སློབ་སྦྱོང་བྱེད་ཀྱི་ཡོད།",
    "joined": "▁the▁cat▁sat▁on▁the▁mat▁and▁it▁slept▁there",
}

WORDS = {
    "zh": "他 昨天 去 北京 参加 会议 。",
    "ja": "私 は コンピュータ を 買い まし た 。",
    "th": "ผม ชอบ กิน ข้าวผัด มาก กว่า ก๋วยเตี๋ยว",
    "km": "ខ្ញុំ រៀន ភាសា ខ្មែរ នៅ សាលា",
    "my": "ကျွန်တော် မြန်မာ စကား ပြော သည်",
    "ko": "저는 학교에서 왔습니다 .",
    "de": "Donaudampfschifffahrtsgesellschaftskapitän",
    "en": "he visited 北京大学出版社有限公司 in May 2003 and then went home again to see his friends there",
    "name": "東京",
    "nothing": "",
}


@pytest.mark.parametrize("name", SENTENCES)
def test_sentences_that_are_tokens(name):
    assert whole_sentences([SENTENCES[name].split()] * 3)
    assert not whole_sentences([[*SENTENCES[name]]])  # characters are tokens


@pytest.mark.parametrize("name", WORDS)
def test_words_are_no_sentences(name):
    if name == "de":  # one long word is no sentence among others
        assert not whole_sentences([[WORDS[name]], ["die", "Gesellschaft", "des", "Kapitäns"]])
        return
    assert not whole_sentences([WORDS[name].split()] * 3)


def test_letters_and_marks():
    letters = [chr(point) for first, last in unspaced_letters() for point in range(first, last + 1)]
    marks = [chr(point) for first, last in unspaced_marks() for point in range(first, last + 1)]
    assert all(map(is_unspaced, letters))
    assert not any(map(is_unspaced, marks))
    assert {unicodedata.category(letter)[0] for letter in letters} == {"L"}
    assert {unicodedata.category(mark)[0] for mark in marks} == {"M"}
    assert not any(map(is_unspaced, "aé한가1１。、 ་๑"))
