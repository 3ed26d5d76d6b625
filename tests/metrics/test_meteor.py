"""METEOR: the formula against the jar's scores; the cache; errors of Java."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest
from metrics.corpora import random_sentences, real_sentences, with_mistakes

from lattice_simp.errors import LatticeSimpError, MissingExtraError
from lattice_simp.metrics import JarOptions, meteor, meteor_jar
from lattice_simp.metrics.meteor import LANGUAGES, meteor_language
from lattice_simp.support.array_cache import read_arrays, write_arrays

needs_java = pytest.mark.skipif(shutil.which("java") is None, reason="no Java")
EXACT = {"rel": 1e-12, "abs": 1e-11}
HEADER = re.compile(r"^(Modules|Weights|Parameters):\s+(.+)$", re.MULTILINE)


@pytest.fixture(autouse=True)
def cache_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("LATTICE_SIMP_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "meteor"


@pytest.fixture
def jar(tmp_path):
    """Runs the jar on the command line; returns its output."""

    def run(hypotheses, references, *options):
        (tmp_path / "hyp").write_text("".join(line + "\n" for line in hypotheses), encoding="utf-8")
        lines = [line for lines in zip(*references, strict=True) for line in lines]
        (tmp_path / "ref").write_text("".join(line + "\n" for line in lines), encoding="utf-8")
        command = ["java", "-Xmx2G", "-Dfile.encoding=UTF-8", "-jar", meteor_jar.find_jar()]
        command += [tmp_path / "hyp", tmp_path / "ref", "-r", str(len(references)), *options]
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=300).stdout

    return run


def scores_of(printed: str) -> tuple[float, list[float]]:
    """Returns the final score and those of the segments, times 100."""
    segments = [100 * float(score) for score in re.findall(r"^Segment \d+ score:\s+(\S+)", printed, re.MULTILINE)]
    return 100 * float(printed.split("Final score:")[1]), segments


def assert_scores_are_the_jars(language, hypotheses, references, printed):
    metric = meteor(language, len(references))
    rows = metric.rows(hypotheses, references)
    final, segments = scores_of(printed)
    assert len(segments) == len(hypotheses)
    assert float(metric.score(rows.sum(axis=0))) == pytest.approx(final, **EXACT)
    np.testing.assert_allclose(metric.score(rows), segments, rtol=1e-12, atol=1e-11)
    return final


TINY = ["Das Haus, das wir sahen, ist alt.", "ein Hund", "", "Brücken werden gebaut .", "gar nichts davon"]
TINY_REFERENCES = [
    ["Das alte Haus, das wir sahen.", "ein Hund", "leer", "Eine Brücke wurde gebaut .", "x y z"],
    ["Wir sahen das alte Haus.", "der Hund", "", "Brücken werden gebaut", "u v"],
]


@needs_java
@pytest.mark.parametrize("references", [TINY_REFERENCES, TINY_REFERENCES[:1], TINY_REFERENCES[1:]])
def test_scores_of_a_few_sentences_are_the_jars(jar, references):
    printed = jar(TINY, references, "-l", "de", "-norm", "-m", "exact stem")
    assert 5 < assert_scores_are_the_jars("de", TINY, references, printed) < 90


@needs_java
def test_scores_of_tokens_in_another_language_are_the_jars(jar):
    references = random_sentences(60, 3)
    hypotheses = with_mistakes(references, 0.4, 4)
    for code, name in (("sv", "se"), ("other", "xx")):
        assert_scores_are_the_jars(code, hypotheses, [references], jar(hypotheses, [references], "-l", name, "-lower"))


@pytest.mark.slow
@needs_java
@pytest.mark.shared
@pytest.mark.parametrize(("code", "test_set"), [("de", "newstest2013.en-de.de"), ("fr", "newstest2013.en-fr.fr")])
def test_scores_of_news_are_the_jars(jar, shared, code, test_set):
    references = real_sentences(shared, test_set, 400)
    hypotheses = with_mistakes(references, 0.3, 1)
    printed = jar(hypotheses, [references], "-l", code, "-norm", "-m", "exact stem")
    final = assert_scores_are_the_jars(code, hypotheses, [references], printed)
    worse = meteor(code).corpus_score(with_mistakes(references, 0.4, 2), [references])
    assert 50 < worse < final < 90


@needs_java
@pytest.mark.slow
@pytest.mark.shared
def test_scores_of_english_news_are_the_jars(jar, shared):
    """With the jar's defaults: all four modules, the bundled paraphrases, two references."""
    lines = real_sentences(shared, "newstest2013.en-de.en", 1000)
    references = [lines, with_mistakes(lines, 0.2, 3)]
    hypotheses = with_mistakes(lines, 0.3, 1)
    printed = jar(hypotheses, references, "-l", "en", "-norm")
    assert assert_scores_are_the_jars("en", hypotheses, references, printed) > 30
    assert dict(HEADER.findall(printed))["Modules"] == "exact stem synonym paraphrase"


@needs_java
def test_languages_are_those_of_the_jar(tmp_path):
    """The table against the jar's class `Constants`, asked by a small program."""
    program = tmp_path / "Ask.java"
    program.write_text(
        """
        import edu.cmu.meteor.util.Constants;
        public class Ask { public static void main(String[] names) {
            for (String name : names) {
                int id = Constants.getLanguageID(Constants.normLanguageName(name));
                int task = Constants.getDefaultTask(id);
                System.out.println(name + "\\t" + Constants.getModuleListString(Constants.getModules(id, task)) + "\\t"
                    + Constants.getModuleWeights(id, task) + "\\t" + Constants.getParameters(id, task));
            }
        }}""",
        encoding="utf-8",
    )
    codes = [line.split("\t")[0] for line in LANGUAGES.read_text("utf-8").splitlines()[1:]]
    assert len(codes) == 17
    languages = [meteor_language(code) for code in codes]
    command = ["java", "-cp", meteor_jar.find_jar(), program, *(language.meteor_name for language in languages)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    if "ToolProvider" in done.stderr or "jdk.compiler" in done.stderr:
        pytest.skip("this Java has no compiler")
    assert done.returncode == 0, done.stderr
    short = {"exact": "ex", "stem": "st", "synonym": "sy", "paraphrase": "pa"}
    for line, language in zip(done.stdout.splitlines(), languages, strict=True):
        name, modules, weights, parameters = line.split("\t")
        assert (name, modules) == (language.meteor_name, "_".join(short[module] for module in language.modules))
        assert [float(part) for part in weights.strip("[]").split(",")][: len(language.modules)] == list(
            language.modules.values()
        )
        assert [float(part) for part in parameters.strip("[]").split(",")] == list(language.parameters)


@needs_java
def test_line_ends_within_a_sentence_and_other_characters_shift_nothing(monkeypatch):
    monkeypatch.setenv("LC_ALL", "C")
    odd = ["grüße\ran alle", "état\u2028neu", "a\u0085b ||| c", "\ufeffende"]
    rows = meteor("fr", cache=False).rows(odd, [odd])
    assert len(rows) == 4
    assert meteor("fr").score(rows).tolist() == [100.0] * 4


@needs_java
def test_the_cache_gives_the_same_without_java(cache_folder, monkeypatch):
    metric = meteor("de", 2)
    rows = metric.rows(TINY, TINY_REFERENCES)
    assert len(list(cache_folder.iterdir())) == 1
    monkeypatch.setenv("PATH", "")
    np.testing.assert_array_equal(metric.rows(TINY, TINY_REFERENCES), rows)
    for other in (
        lambda: metric.rows(TINY, TINY_REFERENCES[::-1]),
        lambda: metric.rows([*TINY[1:], ""], TINY_REFERENCES),
        lambda: meteor("fr", 2).rows(TINY, TINY_REFERENCES),
        lambda: meteor("de", 2, cache=False).rows(TINY, TINY_REFERENCES),
    ):
        with pytest.raises(MissingExtraError, match="Java"):
            other()


@needs_java
def test_a_broken_cache_is_made_again(cache_folder):
    rows = meteor("de", 2).rows(TINY, TINY_REFERENCES)
    (file,) = cache_folder.iterdir()
    for content in (b"", b"lattice_simp arrays 1\n broken", None):
        if content is None:
            write_arrays(file, {"statistics": rows[:2]})
        else:
            file.write_bytes(content)
        np.testing.assert_array_equal(meteor("de", 2).rows(TINY, TINY_REFERENCES), rows)
        assert len(read_arrays(file)["statistics"]) == len(TINY)


def test_keys_tell_where_lines_and_lists_end():
    keys = {
        meteor_jar.cache_key([], ["-l", "de"], hypotheses, references)
        for hypotheses, references in [
            (["a", "b"], [["c", "d"]]),
            (["a"], [["b", "c", "d"]]),
            (["a", "b"], [["c"], ["d"]]),
            (["ab"], [["c", "d"]]),
            (["a\nb"], [["c", "d"]]),
        ]
    }
    assert len(keys) == 5


@pytest.fixture
def fake_java(tmp_path, monkeypatch):
    """Puts a program named `java` first in PATH."""

    def make(body: str) -> None:
        folder = tmp_path / "bin"
        folder.mkdir()
        (folder / "java").write_text(f"#!{sys.executable}\n{body}\n", encoding="utf-8")
        (folder / "java").chmod(0o755)
        monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")

    return make


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("import time; time.sleep(60)", "more than 1 seconds"),
        ("print('1.0 2.0')", "METEOR failed with exit code 0: 1.0 2.0"),
        ("", "no message"),
        ("import sys; sys.exit('\\nError: something new\\n  at')", "exit code 1: Error: something new"),
        ("import sys; sys.exit('java.lang.OutOfMemoryError: Java heap space')", "Java heap of 2G"),
    ],
)
def test_a_java_that_fails_is_one_error(cache_folder, fake_java, body, message):
    fake_java(body)
    with pytest.raises(LatticeSimpError, match=message) as error:
        meteor("de", options=JarOptions(seconds=1)).rows(["a"], [["b"]])
    assert "\n" not in str(error.value)
    assert not cache_folder.exists()


@needs_java
def test_too_small_a_heap_is_reported():
    with pytest.raises(LatticeSimpError, match="ran out of a Java heap of 2M"):
        meteor("de", options=JarOptions(heap="2M")).rows(["a"], [["b"]])


def test_a_missing_package_is_reported(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"lattice-simp\[evaluate\]"):
        meteor("de").rows(["a"], [["b"]])


@pytest.mark.parametrize("code", ["hi", "xx", "cz", ""])
def test_unknown_languages_are_answered_with_the_known_ones(code):
    with pytest.raises(LatticeSimpError, match=r"it knows en, cs, .* 'other'"):
        meteor(code)


def test_paraphrases_are_named_where_they_can_be(tmp_path):
    (tmp_path / "para.gz").write_bytes(b"")
    assert "|m:exact stem paraphrase|w:1.0 0.2 0.4" in meteor("fr", paraphrases=tmp_path / "para.gz").signature
    with pytest.raises(LatticeSimpError, match="no such file"):
        meteor("fr", paraphrases=tmp_path / "none.gz")
    with pytest.raises(LatticeSimpError, match="no paraphrases for 'sv'"):
        meteor("sv", paraphrases=tmp_path / "para.gz")


@pytest.mark.parametrize("options", [{"heap": "much"}, {"heap": "0G"}, {"seconds": 0}, {"seconds": float("nan")}])
def test_bad_options_of_java_are_refused(options):
    with pytest.raises(LatticeSimpError):
        JarOptions(**options)
