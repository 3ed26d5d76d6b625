"""The comparison of systems that find Hindi clauses, on a made-up treebank."""

from __future__ import annotations

import json
import tarfile

import pytest
from small_treebank import write_bank

from experiments.hindi import bracket_costs
from experiments.hindi.__main__ import main
from lattice_simp.grammars.hindi.bracket_rules import bracket_rules
from lattice_simp.systems.hindi.formats.treebank import read_treebank
from lattice_simp.systems.hindi.from_tree import clauses_of_tree

pytest.importorskip("pycrfsuite", reason="python-crfsuite is not installed (the extra 'hindi')")


@pytest.fixture
def data(tmp_path):
    """The folder that the experiment reads."""
    write_bank(tmp_path / "bank", names=("a", "b", "c"))
    folder = tmp_path / "data" / "hindi" / "treebank"
    folder.mkdir(parents=True)
    with tarfile.open(folder / "hdtb-ssf.tar.xz", "w:xz") as archive:
        archive.add(tmp_path / "bank", "bank")
    (folder / "dev-files.txt").write_text("b.dat\n", encoding="utf-8")
    marked = []
    for name, sentence in read_treebank(tmp_path / "bank", only=["b.dat"]):
        spans = [f"{clause.kind}:{clause.start + 1}-{clause.end}" for clause in clauses_of_tree(sentence)]
        marked.append(f"{name}#{sentence.id}\t{' '.join(spans)}\n")
    (folder.parent / "clauses-dev.tsv").write_text("".join(marked[:20]), encoding="utf-8")
    return tmp_path / "data"


@pytest.mark.slow
def test_the_figures_are_written_from_the_systems(data, tmp_path):
    arguments = [
        "--output",
        str(tmp_path),
        "--data",
        str(data),
        "--work",
        str(tmp_path / "work"),
        "--command",
        "make it",
    ]
    main(arguments)
    figures = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
    for name, sentences in (("hand", 20), ("derived", 60)):
        result = figures[name]
        assert result["sentences"] == sentences
        assert result["well_formed_pct"] == 100
        assert min(result[f"{key}_f1"] for key in ("starts", "ends", "clauses", "types", "nonfinite")) == 100
    assert figures["systems"]["hand"]["trees"]["types"]["f1"] == 100
    page = (tmp_path / "RESULTS.md").read_text(encoding="utf-8")
    assert "`make it`" in page
    assert "| steps, paper's features, start/end/none, counts (paper) | 90.8 | 94.7 |" in page
    assert figures["hand"]["paper_steps_starts_f1"] > 90
    assert "| rules (paper) | 91.3 | 91.8 | 91.5 | 80.3 | 81.0 | 80.6 | 60.6 |" in page  # finite clauses alone
    assert figures["systems"]["hand"]["trees"]["finite"]["types"]["f1"] == 100
    seconds = figures["seconds"]
    main(arguments)
    again = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))["seconds"]
    assert {key: value for key, value in again.items() if key.startswith("training")} == {
        key: value for key, value in seconds.items() if key.startswith("training")
    }


def test_without_the_treebank_it_says_so(data, tmp_path):
    (data / "hindi" / "treebank" / "hdtb-ssf.tar.xz").unlink()
    with pytest.raises(SystemExit, match=r"error: .*/hdtb-ssf.tar.xz: no such file; check the config's paths"):
        main(["--data", str(data), "--work", str(tmp_path / "work"), "--output", str(tmp_path)])
    assert not (tmp_path / "work").exists()


@pytest.mark.slow
def test_the_costs_of_rules_are_tuned_on_files_that_are_not_held_out(data, capsys, tmp_path, monkeypatch):
    names = [rule.name for rule in bracket_rules()]
    before = bracket_costs.grammar_path(bracket_costs.TABLE).read_text(encoding="utf-8")
    path = tmp_path / "rules.tsv"
    path.write_text(before, encoding="utf-8")
    monkeypatch.setattr(bracket_costs, "grammar_path", lambda name: path)
    bracket_costs.main(["--data", str(data), "--write"])
    printed = capsys.readouterr().out
    assert "60 sentences to train on, 60 to tune on" in printed
    costs = dict(line.split(maxsplit=1)[::-1] for line in printed.splitlines()[-len(names) :])
    assert list(costs) == names
    assert min(map(float, costs.values())) == 0
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]
    written = {row[0]: float(row[3]) for row in rows if row[0] in costs}
    assert written == {name: float(cost) for name, cost in costs.items()}
    assert path.read_text(encoding="utf-8").count("\n") == before.count("\n")
