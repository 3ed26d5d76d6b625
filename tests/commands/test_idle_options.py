"""Every option without effect is a clear error."""

from __future__ import annotations

import pytest

from lattice_simp import Lattice, write

NBEST = "0 ||| a b ||| f= -1 ||| -1\n0 ||| a c ||| f= -2 ||| -2\n1 ||| e ||| f= -1 ||| -1\n"
JSON = '{"tokens": ["the", "house"], "skeletons": ["10", "01"]}\n'

IDLE = [
    ("lattice convert a.fst b.fst", "--spacing text", "with the format openfst"),
    ("lattice lm a.fst --model MODEL/lm.arpa", "--old-weight 2", "without --replace FEATURE"),
    ("lattice lm a.fst --model MODEL/lm.arpa --engine openfst", "--name X", "with --engine openfst"),
    ("lattice nbest a.fst --moses", "--scores", "when the output is an n-best list"),
    ("lattice nbest a.fst --output b.jsonl", "--scores", "when the output is an n-best list"),
    ("lattice compose a.fst a.fst", "--nbest 3", "when the output is a lattice"),
    ("lattice compose list list --id 0", "--first-id 0", "when the output is a lattice"),
    ("lattice compose list list", "--to slf", "when the output is an n-best list"),
    ("lattice compose a.fst --terms line", "--weight 2", "with --terms"),
    ("lattice compose list --terms text", "--loops rho", "with --terms"),
    ("lattice compose list --terms text", "--to slf", "when the output is an n-best list"),
    ("lattice compose a.fst --terms line", "--nbest 3", "when the output is a lattice"),
    ("lattice gappy --terms line", "--loops rho", "with --terms"),
    ("lattice prune list --beam 3", "--to slf", "when the output is an n-best list"),
    ("lattice draw a.fst --output a.dot", "--max-states 3", "with .dot"),
    ("lattice draw a.fst --output a.dot", "--separate", "with a lattice"),
    ("lattice union a.fst a.fst --no-normalised", "--scale 1", "with --no-normalised"),
    ("lattice union a.fst a.fst", "--id 0", "if every file holds one lattice"),
    ("lattice mbr list list", "--id 0", "with several n-best lists"),
    ("lattice mbr list list", "--to slf", "when the output is an n-best list"),
    ("lattice mbr list", "--share 1", "with one file"),
    ("lattice mbr a.fst", "--max-calls 9", "with --utility linear"),
    ("lattice mbr list", "--max-calls 250000", "with --utility linear"),
    ("lattice mbr a.fst", "--paths 9", "with --utility linear"),
    ("lattice mbr list --utility wer", "--paths 9", "when the output is an n-best list"),
    ("lattice mbr list", "--to slf", "when the output is an n-best list"),
    ("lattice mbr a.fst", "--nbest 9", "when the output is a lattice"),
    ("lattice mbr a.fst --utility chrf", "--mbr-precision 0.5", "with --utility chrf"),
    ("lattice mbr a.fst --utility chrf", "--mbr-ratio 0.5", "with --utility chrf"),
    ("lattice mbr a.fst --utility chrf", "--mbr-max-arcs 5", "with --utility chrf"),
    ("lattice oracle a.fst --reference line", "--first-id 1", "without n-best lists"),
    ("combine text text", "--nbest 9", "without --nbest-output"),
    ("combine text text", "--lm-weight 0.1", "without --lm"),
    ("combine text text", "--gain-beam 3", "without --lm"),
    ("combine text text", "--parse", "with --method confusion"),
    ("combine text text --method union", "--strings 5", "with --method union"),
    ("translate MODEL --input text", "--mask-index 1", "without --skeletons"),
    ("translate MODEL --input text", "--first-id 1", "without --skeleton-nbest"),
    ("translate MODEL --input text", "--plf-scores log", "without --input-lattices"),
    ("translate MODEL --input text", "--skeleton-weight 1", "without --skeletons"),
    ("translate MODEL --skeletons json --strategy plain", "--skeleton-weight 1", "with --strategy plain"),
    ("translate MODEL --input text --strategy plain", "--skeletons json", "with --strategy plain"),
    ("rescore lattices . --source text --model MODEL/lm.arpa --best", "--nbest 2", "with --best"),
    ("rescore lattices . --source text --model MODEL/lm.arpa --nbest 9", "--prefixes 2", "below --nbest 9"),
    ("rescore train work --output out --kind model1", "--classes 9", "without --kind class"),
    ("rescore train work --output out --kind class", "--least-triple 1", "without --kind bilingual"),
    (
        "tune weights MODEL --source text --reference text -o o --strategy plain",
        "--skeletons json",
        "with --strategy pl",
    ),
    ("tune weights MODEL --source text --reference text -o o", "--skeleton-features", "without --skeletons"),
    (
        "tune nbest list --reference text --weights MODEL/weights.tsv -o o --optimizer mira",
        "--directions 3",
        "with --optimizer mira",
    ),
    ("tune nbest list --reference text --weights MODEL/weights.tsv -o o", "--source text", "with --metric bleu"),
    ("evaluate a=text --reference text --metrics ter", "--lowercase", "without BLEU-13a and chrF"),
    ("evaluate a=text --reference text", "--meteor-seconds 3", "without --metrics meteor"),
    ("evaluate a=text --reference text", "--skeletons json", "without --by gap-type or gaps"),
    ("evaluate a=text --reference text --by length", "--mask-index 1", "without --by gap-type or gaps"),
    ("evaluate a=text --reference text", "--length-edges 3", "without --by length"),
    ("evaluate a=text --reference text --metrics ter", "--source text", "with --metrics ter"),
    ("skeleton convert json --output out.jsonl", "--mask-index 1", "with jsonl"),
    ("skeleton annotation import talk.db text", "--annotator eve", "with sentences"),
    ("paraphrase expand text", "--beam 3", "without --lm"),
    ("paraphrase count text --senses 0", "--wordnet .", "with --senses 0"),
    ("paraphrase count text --senses 0 --trees", "--tokenised", "with --trees"),
    ("hindi clauses a.ssf --system tree", "--model work", "with --system tree"),
    ("hindi clauses a.ssf --system rules", "--model work", "with --system rules for ssf"),
    ("hindi evaluate a.ssf --system rules", "--model work", "with --system rules"),
]


@pytest.mark.parametrize(("command", "option", "where"), IDLE)
def test_options_without_effect_are_refused(call, tmp_path, monkeypatch, model, command, option, where):
    monkeypatch.chdir(tmp_path)
    for name, text in (("list", NBEST), ("text", "a b\ne\n"), ("line", "a b\n"), ("json", JSON), ("a.ssf", "")):
        (tmp_path / name).write_text(text)
    (tmp_path / "work").mkdir()
    write(Lattice.from_strings([("a b", 1.0), ("a c", 2.0)]), "a.fst")
    words = command.replace("MODEL", str(model)).split()
    done = call(*words, *option.split())
    assert done.returncode == 2, done.stderr
    flag = option.split()[0]
    assert f"{flag} has no effect {where}" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert "eave it out" in done.stderr or "leave it out" in done.stderr or "--skeleton" in where


def test_defaults_that_are_not_given_are_no_error(call, tmp_path, monkeypatch):
    """Without the option, the same commands do not mention it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "list").write_text(NBEST)
    (tmp_path / "text").write_text("a b\ne\n")
    write(Lattice.from_strings([("a b", 1.0), ("a c", 2.0)]), "a.fst")
    for command, _, _ in IDLE:
        if command.startswith("lattice") and "MODEL" not in command and "line" not in command:
            assert call(*command.split()).returncode == 0, command
