"""Reading configs: values, overrides, and errors for mistakes."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import get_args, get_origin

import pytest
import yaml

from lattice_simp.errors import FormatError
from lattice_simp.support.settings_file import checked_settings, read_settings
from lattice_simp.train.config import Config, read_config, write_config

LEAST = {
    "work": "w",
    "corpora": [{"name": "a", "source": "a.fr", "target": "a.en"}],
    "text": {"source_language": "fr", "target_language": "en"},
}


@pytest.fixture
def written(tmp_path):
    def write(text: str | dict | bytes) -> Path:
        path = tmp_path / "c.yaml"
        if isinstance(text, dict):
            text = yaml.safe_dump(text)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def test_a_short_config_has_defaults(written):
    config = read_config(written(LEAST))
    assert config.corpora[0].source == Path("a.fr")
    assert config.path(Path("x/a.fr")) == Path("x/a.fr")
    assert config.path(Path("/x/a.fr")) == Path("/x/a.fr")
    assert (config.model_folder, config.rules.max_span, config.tune.development) == (Path("w/model"), 10, None)


def test_paths_start_from_the_data_folder(written):
    config = read_config(written(LEAST | {"data": "d", "model": "m"}))
    assert config.path(Path("a.fr")) == Path("d/a.fr")
    assert config.path(Path("/x/a.fr")) == Path("/x/a.fr")
    assert config.model_folder == Path("m")


def test_case_true_is_a_word(written):
    assert read_config(written(LEAST), ["text.case=true"]).text.case == "true"
    assert read_config(written(LEAST), ["text.case='true'"]).text.case == "true"


def test_overrides_change_fields_and_make_sections(written):
    overrides = ["rules.max_span=12", "tune.development={name: d, source: d.fr, references: [d.en]}", "test=[]"]
    config = read_config(written(LEAST | {"rules": {"max_gaps": 1}}), [*overrides, "rules.max_span=13"])
    assert (config.rules.max_span, config.rules.max_gaps) == (13, 1)
    assert config.tune.development.references == (Path("d.en"),)


def test_a_written_config_is_read_again(written, tmp_path):
    config = read_config(written(LEAST), ["language_model.prune=[0, 1]", "data=données", "text.case=keep"])
    write_config(config, tmp_path / "again.yaml")
    assert read_config(tmp_path / "again.yaml") == config
    assert "données" in (tmp_path / "again.yaml").read_text(encoding="utf-8")


def without(*names: str) -> dict:
    return {name: value for name, value in LEAST.items() if name not in names}


A_TEST = {"name": "t", "source": "t.fr", "references": ["t.en"]}


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (LEAST | {"ruels": {}}, "unknown field ruels (did you mean rules?)"),
        (without("corpora") | {"corpra": []}, "unknown field corpra (did you mean corpora?)"),
        (LEAST | {"rules": {"maxspan": 3}}, "unknown field rules.maxspan (did you mean max_span?)"),
        (LEAST | {"corpora": [{"nam": "a"}]}, "unknown field corpora.0.nam (did you mean name?)"),
        (LEAST | {"tune": {"development": A_TEST | {"line": 4}}}, "tune.development.line (did you mean lines?)"),
        (LEAST | {"test": [A_TEST | {"reference": 4}]}, "unknown field test.0.reference (did you mean references?)"),
        (LEAST | {"align": {"xyz": 1}}, "unknown field align.xyz (known are method, symmetrisation, links)"),
        (without("work"), "the field work is missing (add it)"),
        (LEAST | {"text": {"source_language": "fr"}}, "the field text.target_language is missing"),
        (LEAST | {"rules": {"max_span": "long"}}, "rules.max_span: Input should be a valid integer"),
        (LEAST | {"rules": {"max_span": 0}}, "rules.max_span: Input should be greater than or equal to 1"),
        (LEAST | {"rules": None}, "rules: Input should be"),
        (
            LEAST | {"text": {"source_language": False, "target_language": "en"}},
            "text.source_language: Input should be a valid string (put the text in quotes; YAML reads yes, no, on",
        ),
        (LEAST | {"text": LEAST["text"] | {"case": "upper"}}, "text.case: Input should be 'lower', 'true' or 'keep'"),
        (LEAST | {"align": {"method": "giza"}}, "align.method: Input should be 'hmm' or 'links'"),
        (LEAST | {"align": {"method": "links"}}, "align.links has no file for the corpus a"),
        (LEAST | {"align": {"links": {"a": "a.links"}}}, "align.links has a file for an unknown corpus, a"),
        (LEAST | {"align": {"method": "links", "links": {"a": "x", "b": "y"}}}, "for an unknown corpus, b"),
        (LEAST | {"corpora": []}, "corpora: "),
        (LEAST | {"corpora": LEAST["corpora"] * 2}, "corpora: duplicate names: a, a"),
        (LEAST | {"test": [A_TEST, A_TEST]}, "test: duplicate names: t, t"),
        (LEAST | {"test": [A_TEST | {"references": []}]}, "test.0.references: "),
        (LEAST | {"test": [A_TEST | {"name": "a/b"}]}, "test.0.name: "),
        (LEAST | {"clean": {"min_words": 9, "max_words": 8}}, "clean.min_words exceeds clean.max_words"),
        (
            LEAST
            | {"rules": {"provenance": True}}
            | {"corpora": [{"name": f"c{number}", "source": "a", "target": "b"} for number in range(64)]},
            "rules.provenance can distinguish at most 63 corpora",
        ),
        (
            LEAST | {"rules": {"grammar": "full"}, "simplify": {"swaps": True}},
            "simplify.swaps needs rules.grammar shallow",
        ),
        (LEAST | {"rules": {"max_gaps": 1}, "simplify": {}}, "simplify needs rules.max_gaps 0"),
        ("work: [", ":1: invalid YAML: "),
        ("work: w\ncorpora:\n\t- a", ":3: invalid YAML: "),
        (b"# a\nwork: caf\xe9", ":2: bytes that are not UTF-8"),
        ("work: w\nrules: {max_span: 5}\nrules:\n  max_span: 6\n", ":3: invalid YAML: the name 'rules' occurs twice"),
        (b"work: a\x01b", "invalid YAML: special characters are not allowed"),
        ("work: " + "[" * 100_000, "invalid YAML: it is nested too deeply"),
        ("work: " + "9" * 5000, "value has 5000 digits"),
        ("- a\n- b", "holds no fields"),
        ("", "holds no fields"),
    ],
)
def test_mistakes_are_one_line_that_names_the_field(written, values, message):
    path = written(values)
    with pytest.raises(FormatError) as raised:
        read_config(path)
    text = str(raised.value)
    assert text.startswith(f"{path}:")
    assert message in text
    assert "\n" not in text


def test_simplifiers_have_phrase_pairs_by_default(written):
    assert read_config(written(LEAST)).rules.max_gaps == 2
    for rules in ({}, {"rules": {"max_span": 5}}, {"rules": {"max_gaps": 0}}):
        assert read_config(written(LEAST | rules | {"simplify": {}})).rules.max_gaps == 0


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("rules.max_span", "the override 'rules.max_span' is not name=value"),
        ("=3", "the override '=3' is not name=value"),
        ("work.folder=3", "goes into a plain value"),
        ("rules.max_span=[", "is not a YAML value"),
        ("rules.maxspan=3", "unknown field rules.maxspan (did you mean max_span?)"),
    ],
)
def test_mistakes_of_overrides(written, override, message):
    with pytest.raises(FormatError) as raised:
        read_config(written(LEAST), [override])
    assert message in str(raised.value)


def test_merged_sections_may_change_fields(written):
    shared = "a: &a {x: 1, y: 2}\nb: &b {<<: *a, x: 3}\nc: {<<: *b, z: 4}\n"
    values = read_settings(written(shared))
    assert (values["b"], values["c"].keys()) == ({"x": 3, "y": 2}, {"x", "y", "z"})


def test_missing_files_are_reported(tmp_path):
    with pytest.raises(FormatError, match=r"none\.yaml: cannot be read"):
        read_config(tmp_path / "none.yaml")


def test_each_name_that_is_known_can_be_set():
    """Suggestions come from the fields themselves, at all depths."""
    for section, field in Config.model_fields.items():
        if get_origin(field.annotation) is tuple:  # lists, whose messages number the entries
            continue
        kinds = (field.annotation, *get_args(field.annotation))  # `Simplify | None`, too
        for name in chain.from_iterable(getattr(kind, "model_fields", {}) for kind in kinds):
            values = LEAST | {section: {f"{name}x": 1}} if section != "text" else LEAST | {"text": {f"{name}x": 1}}
            with pytest.raises(FormatError, match=rf"unknown field {section}\.{name}x \(did you mean {name}\?\)"):
                checked_settings(Config, values, "c")


def test_a_mixture_is_estimated_and_chosen_lines_have_a_number(written):
    with pytest.raises(FormatError, match=r"language_model.mix_for and language_model.arpa exclude each other"):
        read_config(written(LEAST), ["language_model={arpa: a, mix_for: b}"])
    development = "tune.development={name: d, source: d.fr, references: [d.en]}"
    for settings in ([], [development]):
        with pytest.raises(
            FormatError, match=r"length_ratio selects lines; set their number in tune.development.lines"
        ):
            read_config(written(LEAST), ["tune.length_ratio=1", *settings])
    chosen = read_config(written(LEAST), [development, "tune.development.lines=3", "tune.length_ratio=1"])
    assert chosen.tune.length_ratio == 1.0
