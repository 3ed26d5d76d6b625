"""`combine` warns if the tokens of systems differ in form, and joins subwords."""

from __future__ import annotations

from functools import reduce

import pytest

from lattice_simp.commands.inputs.token_forms import TokenForms, form_differences

SENTENCES = ["The houses fell , I think .", "The cat sat on the mat .", "Did the dogs bark ?"]


def changed(*pairs):
    """Returns the sentences with some words replaced."""
    return [reduce(lambda text, pair: text.replace(*pair), pairs, line) for line in SENTENCES]


FORMS = {
    "plain": SENTENCES,
    "bpe": changed(("houses", "hous@@ es"), ("dogs", "do@@ gs"), ("mat", "m@@ at")),
    "sentencepiece": [" ".join(f"▁{word}" for word in line.split()) for line in SENTENCES],
    "wordpiece": changed(("houses", "hous ##es"), ("dogs", "dog ##s"), ("mat", "m ##at")),
    "lower": [line.lower() for line in SENTENCES],
    "upper": [line.upper() for line in SENTENCES],
    "attached": changed((" .", "."), (" ,", ","), (" ?", "?")),
    "bare": changed((" .", ""), (" ,", ""), (" ?", "")),
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for name, lines in FORMS.items():
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        rows = [f"{number} ||| {line} ||| ||| -1\n" for number, line in enumerate(lines)]
        (tmp_path / f"{name}.nbest").write_text("".join(rows), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def forms(name):
    return TokenForms.of([line.split() for line in FORMS[name]])


def test_forms():
    assert forms("plain") == TokenForms("none", "mixed", "detached", "")
    assert forms("bpe").pieces == "bpe"
    assert forms("sentencepiece").pieces == "sentencepiece"
    assert forms("wordpiece").pieces == "other"
    assert (forms("lower").case, forms("upper").case) == ("lower", "upper")
    assert (forms("attached").punctuation, forms("bare").punctuation) == ("attached", "no")
    assert TokenForms.of([]) == TokenForms("none", "", "", "")


@pytest.mark.parametrize(
    ("name", "message", "remedy"),
    [
        ("bpe", "subwords differ (plain: none, bpe: bpe)", "lattice-simp lattice tokens bpe --pieces bpe"),
        ("sentencepiece", "subwords differ", "lattice-simp lattice tokens sentencepiece --pieces sentencepiece"),
        ("wordpiece", "subwords differ", "join those of wordpiece with their own program"),
        ("lower", "the case of words differs (plain: mixed, lower: lower)", "lattice tokens plain --case lower"),
        ("attached", "punctuation differs (plain: detached, attached: attached)", "tokens attached --language CODE"),
        ("bare", "punctuation differs (plain: detached, bare: no)", "give punctuation to all"),
    ],
)
def test_differences_are_reported_with_a_remedy(call, folder, name, message, remedy):
    for ending in ("", ".nbest"):
        done = call("combine", f"plain{ending}", name)
        assert done.returncode == 0, done.stderr
        lines = [line for line in done.stderr.splitlines() if line.startswith("lattice-simp: ")]
        assert len(lines) == 1, done.stderr
        assert message.replace("plain:", f"plain{ending}:") in lines[0]
        assert remedy.replace("plain", f"plain{ending}") in lines[0]


def test_accents_in_two_forms_are_reported(call, folder):
    (folder / "composed").write_text("le café noir\n" * 3, encoding="utf-8")
    (folder / "decomposed").write_text("le cafe\u0301 noir\n" * 3, encoding="utf-8")
    message = "lattice-simp: the form of accents differs (composed: composed, decomposed: decomposed): python3 -c"
    done = call("combine", "composed", "decomposed")
    assert done.stderr.startswith(message)
    assert call("combine", "composed", "composed").stderr == ""
    assert message in call("evaluate", "decomposed", "--reference", "composed").stderr
    assert call("evaluate", "composed", "--reference", "composed").stderr == ""


def test_systems_alike_are_combined_in_silence(call, folder):
    for name in ("plain", "lower", "attached"):
        assert call("combine", name, f"{name}.nbest").stderr == ""
    assert "give --pieces bpe" in call("combine", "bpe", "bpe.nbest").stderr


@pytest.mark.parametrize("pieces", ["bpe", "sentencepiece"])
@pytest.mark.parametrize("words", ["plain", "plain.nbest"])
def test_words_and_subwords_meet(call, folder, pieces, words):
    for ending in ("", ".nbest"):
        done = call("combine", words, f"{pieces}{ending}", "--pieces", pieces)
        assert done.stdout.splitlines() == SENTENCES
        assert done.stderr == f"lattice-simp: {words}: no subwords of {pieces}, so its tokens are words\n"


def test_few_tokens_tell_nothing():
    few = [TokenForms.of([["A", "b"]]), TokenForms.of([["a", "b", "."]])]
    assert form_differences(["one", "two"], few) == []


def test_folders_become_lists_before_their_words_change(tmp_path):
    forms = [TokenForms.of([words.split()] * 9) for words in ("The cat sat", "the cat sat")]
    (message,) = form_differences([str(tmp_path), "lower"], forms)
    lists = f"lattice-simp lattice nbest {tmp_path} -n 100 --moses"
    assert message.endswith(f": {lists} | lattice-simp lattice tokens - --case lower")
