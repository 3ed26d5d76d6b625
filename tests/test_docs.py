"""The documents: recipes and first pages run, files and options in the text exist, and the English is plain."""

from __future__ import annotations

import re
import shlex
import shutil
import tomllib
from pathlib import Path

import pytest
import typer
from document import ROOT, Document, furnish

from lattice_simp.cli import COMMANDS, command

DOCS = ROOT / "docs"
RECIPES = sorted((DOCS / "recipes").glob("*.md"))
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *DOCS.rglob("*.md")])
NAMES = [str(path.relative_to(ROOT)) for path in PAGES]
FIRST_PAGES = ("first-steps", "migrating")

DIALECT = (
    r"\bis told\b",
    r"\bare told\b",
    r"\btells? (of|how|where|what|why|whether|which|the)\b",
    r"what stays",
    r"\bin vain\b",
    r"which are their definition",
    r"as their definition",
    r"\bnobody (read|else is let)",
    r"\bmakes? (its|their) input into\b",
    r"\bmakes? tokens of\b",
    r"\bTuned for is\b",
    r"\bMore find\b",
    r"\band is no (quality )?estimate\b",
    r"\bis no (JSON|word)\b",
    r"\bare no words\b",
    r"\bhave pass\b",
    r"\bothers than\b",
    r"\blet other machines in\b",
    r"\bgoes on where\b",
    r"\bbut for\b",
    r"\ball the same\b",
    r"\btake every word but\b",
    r"\bAdds words to what\b",
    r"\bnothing twice\b",
    r"\bin the place of\b",
    r"\bhow (it|they) looks?\b",
)
"""Turns of phrase that no native speaker would write here; the entries are regular expressions."""


def prose(path: Path) -> str:
    """Returns a page's text without code, each paragraph on a line, so that phrases match across line breaks."""
    text = re.sub(r"`[^`\n]*`", "`code`", Document(path.read_text(encoding="utf-8")).prose)
    return re.sub(r"(?<=\S)[ ]*\n(?=\S)", " ", text)


# ---------------------------------------------------------------- examples


@pytest.fixture
def workplace(tmp_path):
    shutil.copytree(DOCS / "recipes" / "files", tmp_path, dirs_exist_ok=True)
    (tmp_path / "model").symlink_to(ROOT / "grammars" / "demo" / "data")
    return tmp_path


def test_there_are_recipes():
    names = {path.stem for path in RECIPES}
    assert names >= {"fairseq", "marian", "ctranslate2", "moses", "kaldi", "llm-samples", "constrained-decoding"}


@pytest.mark.slow
@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.stem)
def test_recipe(path, workplace, capfdbinary, monkeypatch):
    recipe = Document(path.read_text(encoding="utf-8"))
    assert recipe.commands
    assert recipe.python
    recipe.run(workplace, capfdbinary, monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("name", FIRST_PAGES)
def test_first_pages(name, tmp_path, capfdbinary, monkeypatch):
    furnish(tmp_path)
    Document((DOCS / f"{name}.md").read_text(encoding="utf-8")).run(tmp_path, capfdbinary, monkeypatch)


def test_output_that_differs_is_seen(tmp_path, capfdbinary, monkeypatch):
    example = "```python\nprint(1, 2)\n```\n\n```text\n{}\n```\n"
    Document(example.format("1   2")).run(tmp_path, capfdbinary, monkeypatch)
    Document(example.format("1 ...")).run(tmp_path, capfdbinary, monkeypatch)
    with pytest.raises(AssertionError, match="printed"):
        Document(example.format("1 3")).run(tmp_path, capfdbinary, monkeypatch)


# ---------------------------------------------------------------- names


@pytest.mark.parametrize("path", PAGES, ids=NAMES)
def test_the_text_names_the_files_of_its_examples(path):
    """The names beside the fences do not show everywhere."""
    document = Document(path.read_text(encoding="utf-8"))
    missing = [block.name for block in document.blocks if block.name and f"`{block.name}`" not in document.prose]
    assert not missing


@pytest.mark.parametrize("path", PAGES, ids=NAMES)
def test_commands_in_the_text_exist(path):
    for line in re.findall(r"`(lattice-simp [^`]*)`", Document(path.read_text(encoding="utf-8")).prose):
        check_command(line)


def test_a_command_or_an_option_that_is_not_there_is_seen():
    for line in ("lattice-simp lattices", "lattice-simp lattice bests a", "lattice-simp lattice nbest a --best 2"):
        with pytest.raises(AssertionError):
            check_command(line)


def check_command(line: str) -> None:
    """Checks that a command of the command line and its options exist."""
    words = shlex.split(" ".join(line.split()))[1:]
    if not words or words[0].startswith("-"):
        return
    assert words[0] in COMMANDS, line
    current, rest = typer.main.get_command(command(words[0])), words[1:]
    if commands := getattr(current, "commands", None):
        assert rest, line
        assert rest[0] in commands, line
        current = commands[rest[0]]
    known = {name for parameter in current.params for name in (*parameter.opts, *parameter.secondary_opts)}
    for word in rest:
        if re.match(r"--?[a-z]", word):
            assert word in known | {"--help"}, f"{line}: {word}"


@pytest.mark.parametrize("path", PAGES, ids=NAMES)
def test_options_in_the_text_exist(path):
    """Those of other programs stand behind these programs' names, or in `OTHERS`."""
    codes = re.findall(r"`(--[^`]*)`", Document(path.read_text(encoding="utf-8")).prose)
    options = {word for code in codes for word in re.findall(r"--[a-z][\w-]*", code)}
    assert options <= ALL_OPTIONS | OTHERS


OTHERS = {"--discount_fallback", "--grammar-file", "--http", "--lenpen", "--normalize", "--reference_lprobs"}
"""Options of other programs."""


def options_of(group) -> set[str]:
    """Returns the options of a command and of all commands below it."""
    names = {name for parameter in group.params for name in (*parameter.opts, *parameter.secondary_opts)}
    return names.union(*(options_of(below) for below in getattr(group, "commands", {}).values()))


ALL_OPTIONS = {"--help", "--help-all", "--debug", "--version"}.union(
    *(options_of(typer.main.get_command(command(name))) for name in COMMANDS)
) | {"--data", "--work", "--set", "--jobs", "--command"}
"""The options of the command line and of the experiments."""


def test_targets_in_the_text_exist():
    rules = re.findall(r"^([\w%-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE)
    targets = re.compile("|".join(rule.replace("%", r"[\w-]+") for rule in rules))
    for path in [*PAGES, *sorted((ROOT / ".github" / "workflows").glob("*.yml"))]:
        for words in re.findall(r"(?:`|run: |^)make ([\w -]+)", path.read_text(encoding="utf-8"), flags=re.MULTILINE):
            unknown = [word for word in words.split() if not targets.fullmatch(word) and word not in {"JOBS", "PYTHON"}]
            assert not unknown, f"{path}: make {words}"


def test_the_workflow_runs_every_version_of_python():
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8"))["jobs"]
    classifiers = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["classifiers"]
    versions = re.findall(r":: (3\.\d+)$", "\n".join(classifiers), flags=re.MULTILINE)
    assert jobs["test"]["strategy"]["matrix"]["python"] == versions


# ---------------------------------------------------------------- words


@pytest.mark.parametrize("path", PAGES, ids=NAMES)
def test_plain_english(path):
    text = prose(path)
    results = [
        text[max(0, hit.start() - 40) : hit.end() + 40] for phrase in DIALECT for hit in re.finditer(phrase, text)
    ]
    assert not results


@pytest.mark.parametrize(
    "phrase", ["is told by its name", "what stays when its\nwords go", "which library is imported in vain"]
)
def test_a_turn_of_phrase_is_seen(phrase, tmp_path):
    page = tmp_path / "page.md"
    page.write_text(f"It {phrase}.\n", encoding="utf-8")
    assert any(re.search(pattern, prose(page)) for pattern in DIALECT)
