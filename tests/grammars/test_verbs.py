"""Forms of verbs: irregular ones, analysis as the inverse, a treebank."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lattice_simp.errors import FormatError
from lattice_simp.grammars.hindi import verbs
from lattice_simp.grammars.hindi.romanisation import composed
from lattice_simp.grammars.hindi.verbs import Agreement, VerbForm, _verbs, analyse, generate, variants

FORMS = [
    ("कर", "yA", "m sg 3", "किया"),
    ("कर", "yA", "f pl 3", "कीं"),
    ("कर", "kara", "m sg 3", "करके"),
    ("ले", "yA", "m pl 3", "लिए"),
    ("ले", "gA", "f sg 1", "लूंगी"),
    ("दे", "yA", "f sg 3", "दी"),
    ("दे", "eM", "m pl 3", "दें"),
    ("दे", "ie", "m pl 2", "दीजिए"),
    ("हो", "yA", "m pl 3", "हुए"),
    ("हो", "gA", "m pl 3", "होंगे"),
    ("हो", "kara", "m sg 3", "होकर"),
    ("जा", "yA", "m sg 3", "गया"),
    ("जा", "gA", "m sg 3", "जाएगा"),
    ("जा", "yA1", "f sg 3", "गई"),
    ("पी", "yA", "m sg 3", "पिया"),
    ("पी", "yA", "f sg 3", "पी"),
    ("जी", "yA", "m pl 3", "जिए"),
    ("सी", "gA", "m sg 3", "सिएगा"),
    ("छू", "yA", "m sg 3", "छुआ"),
    ("छू", "wA", "f sg 3", "छूती"),
    ("खा", "yA", "m sg 3", "खाया"),
    ("सो", "yA", "m sg 3", "सोया"),
    ("आ", "yA", "f sg 3", "आई"),
    ("लिख", "yA", "m pl 3", "लिखे"),
    ("लिख", "gA", "m sg 1", "लिखूंगा"),
    ("लिख", "ao", "m pl 2", "लिखो"),
    ("लिख", "ne", "m sg 3", "लिखने"),
    ("है", "hE", "m pl 3", "हैं"),
    ("था", "WA", "f pl 3", "थीं"),
]


@pytest.mark.parametrize(("root", "tam", "agreement", "form"), FORMS)
def test_forms(root: str, tam: str, agreement: str, form: str):
    assert generate(root, tam, Agreement(*agreement.split()), last=True) == form


def test_what_has_no_form():
    assert generate("है", "nA") is None
    assert generate("कर", "nonsense") is None
    assert analyse("मकान") == ()


@given(
    st.sampled_from(list(_verbs())),
    st.sampled_from(["yA", "wA", "nA", "ne", "kara", "gA", "eM", "ao", "0"]),
    st.builds(Agreement, st.sampled_from("mf"), st.sampled_from(["sg", "pl"]), st.sampled_from("123")),
    st.booleans(),
)
@settings(max_examples=200)
def test_analysis_inverts_generation(root: str, tam: str, agreement: Agreement, last: bool):
    for form in variants(root, tam, agreement, last=last):
        assert VerbForm(root, tam, agreement) in analyse(form)


@given(st.sampled_from(list(_verbs())))
@settings(max_examples=50)
def test_every_analysis_generates_the_form(root: str):
    form = generate(root, "yA") or ""
    for entry in analyse(form):
        result = {
            spelt for last in (True, False) for spelt in variants(entry.root, entry.tam, entry.agreement, last=last)
        }
        assert form in result


@pytest.mark.parametrize(("person", "number"), [("3h", "pl"), ("2h", "pl"), ("any", "sg"), ("", "sg")])
def test_honorific_forms_are_plural(person: str, number: str):
    assert Agreement.of("any", "sg", person).number == number


@pytest.mark.slow
def test_generates_the_treebanks_finite_verbs(shared: Path, tmp_path: Path):
    """More than 97 % of the main verbs of finite groups are generated from their features."""
    import tarfile

    from lattice_simp.grammars.hindi.verbs import listed_root
    from lattice_simp.systems.hindi.formats.ssf import read_ssf

    folder = shared / "data/hindi/treebank"
    held_out = set((folder / "dev-files.txt").read_text().split())
    with tarfile.open(folder / "hdtb-ssf.tar.xz") as archive:
        archive.extractall(tmp_path, filter="data")
    right = total = 0
    for path in sorted(tmp_path.rglob("*.dat"))[::10]:
        if path.name in held_out:
            continue
        for sentence in read_ssf(path, []):
            for chunk in (chunk for chunk in sentence.chunks if chunk.tag == "VGF"):
                tokens = sentence.tokens[chunk.start : chunk.end]
                for position, token in enumerate(tokens):
                    if token.tag != "VM" or token.category != "v" or token.is_empty or not token.root or not token.tam:
                        continue
                    following = [token for token in tokens[position + 1 :] if token.tag == "VAUX"]
                    plural = any(entry.number == "pl" or entry.person.endswith("h") for entry in following)
                    agreement = Agreement.of(token.gender, "pl" if plural else token.number, token.person)
                    oblique = token.tam == "nA" and (
                        token.case == "o"
                        or any(entry.root in ("लग", "वाला", "दे", "पा", "जा") for entry in following[:1])
                    )
                    result = variants(
                        listed_root(token.root), "ne" if oblique else token.tam, agreement, last=not following
                    )
                    total += 1
                    right += composed(token.form).replace("ँ", "ं") in [entry.replace("ँ", "ं") for entry in result]
    assert total > 1000
    assert right / total > 0.97


@pytest.mark.parametrize("cost", ["much", "-1", "nan"])
def test_a_broken_cost_names_its_line(cost: str, grammar_folder: Path):
    table = "tam\tgender\tnumber\tperson\tplace\tending\tcost\n# a comment\n0\t*\t*\t*\t*\t\t" + cost + "\n"
    (grammar_folder / "hindi" / "tam.tsv").write_text(table, encoding="utf-8")
    (grammar_folder / "hindi" / "irregular_verbs.tsv").write_text(
        "root\ttam\tgender\tnumber\tperson\tplace\tstem\tform\n"
    )
    with pytest.raises(FormatError, match=r"tam\.tsv:3: not a cost"):
        verbs._endings.__wrapped__()
