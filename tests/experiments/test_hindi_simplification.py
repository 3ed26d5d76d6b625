"""References of simplified Hindi sentences, ratings, and their table."""

from __future__ import annotations

import json

import pytest
from small_treebank import write_bank

from experiments.hindi_simplification import __main__ as program
from experiments.hindi_simplification import judgements
from experiments.hindi_simplification.judgements import judged_figures, judged_table, read_judged
from experiments.hindi_simplification.references import COLUMNS, fingerprint, read_pairs, read_ratings, sentences_of
from lattice_simp.errors import FormatError

HEADER = "file\tid\treference\n"


@pytest.fixture
def bank(tmp_path):
    folder = tmp_path / "bank"
    write_bank(folder, names=("a",), size=8)
    return folder


def complete(bank, tmp_path):
    """Writes references that change only the last sentence."""
    pairs = read_pairs(bank, table(tmp_path, [f"a.dat\t{number}\t1" for number in range(1, 9)]))
    rows = [f"a.dat\t{pair.key[1]}\t1-{len(pair.sentence) - 1}" for pair in pairs]
    return table(tmp_path, [*rows[:-1], rows[-1].replace("\t1-", "\t1 | 2-")])


def table(tmp_path, rows):
    path = tmp_path / "references.tsv"
    path.write_text(HEADER + "".join(f"{row}\n" for row in rows), encoding="utf-8")
    return path


def test_references_are_made_of_the_sentences_tokens_and_added_words(bank, tmp_path):
    result = read_pairs(bank, table(tmp_path, ["a.dat\t2\t2 1 | वह 1"]))[0]
    forms = [token.form for token in result.sentence.tokens]
    assert sentences_of(result.reference) == [f"{forms[1]} {forms[0]}", f"वह {forms[0]}"]
    assert sentences_of(result.source) == [" ".join(forms[:-1])]


@pytest.mark.parametrize("row", ["a.dat\t1\t1-99", "a.dat\t1\t0", "a.dat\t1\t1 | | 2", "a.dat\t1\t2-1", "a.dat\t99\t1"])
def test_broken_references_name_their_line(bank, tmp_path, row):
    with pytest.raises(FormatError, match=r"references\.tsv:3:"):
        read_pairs(bank, table(tmp_path, ["a.dat\t2\t1", row]))


@pytest.mark.parametrize("values", ["4\t1", "1\t-1", "1\tgood"])
def test_broken_ratings_name_their_line(tmp_path, values):
    path = tmp_path / "ratings.tsv"
    path.write_text("\t".join(COLUMNS) + f"\na\t1\t00000000\t{values}\n", encoding="utf-8")
    with pytest.raises(FormatError, match=r"ratings\.tsv:2:"):
        read_ratings(path)


def judged(tmp_path, *rows):
    path = tmp_path / judgements.JUDGED
    path.write_text("\n".join(["\t".join(judgements.COLUMNS), *rows]) + "\n", encoding="utf-8")
    return path


def test_judgements_of_the_last_reading_are_the_figures(tmp_path):
    pytest.importorskip("scipy", reason="SciPy is not installed")
    right, false = "a\ts{}\tcareful\t1\t1\t", "a\ts{}\tcareful\t1\t0\tfact"
    first = [f"1\tnews\t{row.format(number)}" for number, row in enumerate((right, false))]
    second = [f"2\tnews\t{row.format(number)}" for number, row in enumerate((right, right, right, false), start=2)]
    controls = ["2\tnews\ta\ts6\tright\t1\t1\t", "2\tnews\ta\ts7\twrong\t0\t1\tno subject"]
    figures = judged_figures(read_judged(judged(tmp_path, *first, *second, *controls)))
    assert [figures[f"{name}_pct"] for name in ("simplified_right", "grammatical", "meaning")] == [75, 100, 75]
    reading = figures["readings"]["2"]
    assert (reading["sentences"], reading["faults"]) == (4, {"fact": 1})
    assert [reading["controls"][name]["right"] for name in ("right", "wrong")] == [1, 0]
    table = judged_table(figures["readings"])
    assert [cell.shown for cell in table.rows[-1]][1:] == ["all", "4", "100 % (51 to 100)", *["75 % (30 to 95)"] * 2]
    assert "reading 1, faults: fact 1" in table.notes


@pytest.mark.parametrize("values", ["other\t1\t1", "careful\t2\t1", "right\t1\t"])
def test_broken_judgements_name_their_line(tmp_path, values):
    with pytest.raises(FormatError, match=r"judged\.tsv:2:"):
        read_judged(judged(tmp_path, f"1\tnews\ta\ts1\t{values}\t"))


def test_no_output_was_judged_twice():
    names = [row["sentence"] for row in read_judged(program.READ) if row["output"] == judgements.SYSTEM]
    assert len(names) == len(set(names)) >= 100


def test_the_table_has_bleu_and_the_ratings_of_what_was_rated(bank, tmp_path, monkeypatch):
    data = tmp_path / "data" / "hindi" / "treebank"
    data.mkdir(parents=True)
    bank.rename(data / "hdtb-ssf.tar.xz")
    bank = data / "hdtb-ssf.tar.xz"
    references = complete(bank, tmp_path)
    pairs = read_pairs(bank, references)
    ratings = tmp_path / "ratings.tsv"
    rated = [(pair.key, fingerprint(pair.source)) for pair in pairs]
    lines = [f"{file}\t{entry}\t{text}\t{number % 4}\t3\n" for number, ((file, entry), text) in enumerate(rated)]
    ratings.write_text("\t".join(COLUMNS) + "\n" + "".join(lines), encoding="utf-8")
    monkeypatch.setattr(program, "REFERENCES", references)
    monkeypatch.setattr(program, "RATINGS", ratings)
    program.main(["--data", str(tmp_path / "data"), "--output", str(tmp_path), "--without-model"])
    figures = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
    source, trees = (figures["all"]["systems"][name] for name in ("sentences as they are", "trees"))
    assert (figures["all"]["sentences"], figures["split"]["sentences"]) == (8, 1)
    assert source["identical"] == 87.5
    assert 50 < source["bleu"] < 100
    assert figures["split"]["systems"]["sentences as they are"]["identical"] == 0
    assert (source["rated"], source["simplification"], source["readability"]) == (8, 1.5, 3)
    assert trees["sentences_made"] > 1
    assert trees["rated"] < 8, "outputs that nobody has read"
    assert "readability" not in trees
    page = (tmp_path / "RESULTS.md").read_text(encoding="utf-8")
    assert "| 87.5 | 1.00 | 1.50 | 3.00 | 8 |" in page
    row = next(line for line in page.splitlines() if line.startswith("| trees |"))
    assert row.split("|")[-4:-2] == [" - ", " - "]
    assert "| Mishra et al. 2014, sentences of its own | 69.5 |" in page


def test_without_a_model_it_says_how_to_make_one(tmp_path):
    with pytest.raises(SystemExit, match="make hindi"):
        program.main(["--hindi", str(tmp_path / "none"), "--output", str(tmp_path)])


def test_the_references_are_of_a_hundred_sentences(shared):
    treebank = shared / "data/hindi/treebank/hdtb-ssf.tar.xz"
    pairs = read_pairs(treebank, program.REFERENCES, [])
    held_out = (shared / "data/hindi/treebank/dev-files.txt").read_text(encoding="utf-8").split()
    assert len(pairs) == 100
    assert {pair.key[0] for pair in pairs} <= set(held_out)
