"""Plots: valid files, reproducible bytes, the right numbers."""

from __future__ import annotations

import sys
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from metrics.corpora import random_sentences, with_mistakes

from lattice_simp.errors import LatticeSimpError, MissingExtraError
from lattice_simp.metrics import Groups, Lines, SignificanceTest, compare_groups, measure, ter
from lattice_simp.metrics.plots import draw_results, failure_plot, gain_plot, quality_plot, save_plot
from lattice_simp.metrics.report import Breakdown

pytest.importorskip("matplotlib")
CURVES = {"rho": [(1, 0.4), (1000, 0.05), (10, 0.2)], "sigma": [(1, 0.3), (10, 0.1), (1000, 0.0)]}


@pytest.fixture(scope="module")
def measured():
    references = random_sentences(60, 1)
    systems = {name: Lines(with_mistakes(references, rate, 2)) for name, rate in [("a", 0.4), ("b", 0.2), ("c", 0.3)]}
    return measure(systems, [Lines(references)], [ter()])


@pytest.fixture(scope="module")
def groups():
    return Groups.of("size", ["big"] * 30 + ["middling"] * 25 + ["tiny"] * 5)


@pytest.fixture(scope="module")
def comparisons(measured, groups):
    return compare_groups(measured, groups, "a", SignificanceTest(samples=100))


PLOTS = {
    "gain": lambda comparisons: gain_plot(ter(), "size", comparisons),
    "quality": lambda comparisons: quality_plot(ter(), "size", comparisons),
    "failure": lambda comparisons: failure_plot(CURVES),
}


@pytest.mark.parametrize("name", PLOTS)
def test_files_are_valid_and_the_same_each_time(tmp_path, comparisons, name):
    for ending in ("png", "svg"):
        paths = [tmp_path / f"{time}.{ending}" for time in (1, 2)]
        for path in paths:
            save_plot(PLOTS[name](comparisons), path)
        first, second = (path.read_bytes() for path in paths)
        assert first == second
        if ending == "png":
            assert first.startswith(b"\x89PNG\r\n\x1a\n")
            assert first.endswith(b"IEND\xaeB`\x82")
        else:
            assert ElementTree.fromstring(first).tag == "{http://www.w3.org/2000/svg}svg"
            assert b"<dc:date>" not in first


def test_bars_are_the_gains_and_small_groups_are_left_out(comparisons):
    (axes,) = gain_plot(ter(), "size", comparisons).axes
    bars = [bar.get_height() for container in axes.containers if hasattr(container, "patches") for bar in container]
    expected = [comparisons[group].scores[name]["TER"].gain for name in "bc" for group in ("big", "middling")]
    assert bars == pytest.approx(expected)
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["big\nn = 30", "middling\nn = 25"]
    assert "gain over a" in axes.get_ylabel()


def test_lines_are_the_scores(comparisons):
    (axes,) = quality_plot(ter(), "size", comparisons).axes
    for line, name in zip(axes.get_lines(), "abc", strict=True):
        assert line.get_label() == name
        expected = [comparisons[group].scores[name]["TER"].value for group in ("big", "middling")]
        np.testing.assert_allclose(line.get_ydata(), expected)


def test_failures_are_drawn_in_percent_over_a_logarithmic_axis():
    (axes,) = failure_plot(CURVES).axes
    assert axes.get_xscale() == "log"
    line = axes.get_lines()[0]
    assert line.get_xdata().tolist() == [1, 10, 1000]
    np.testing.assert_allclose(line.get_ydata(), [40, 20, 5])


@pytest.mark.parametrize("curves", [{}, {"a": []}, {"a": [(0, 0.5)]}, {"a": [(1, 50.0)]}, {"a": [(1, float("nan"))]}])
def test_failures_out_of_range_are_refused(curves):
    with pytest.raises(LatticeSimpError, match="from 0 to 1"):
        failure_plot(curves)


def test_gains_need_a_baseline(measured, groups):
    with pytest.raises(LatticeSimpError, match="baseline"):
        gain_plot(ter(), "size", compare_groups(measured, groups))


def test_no_window_and_no_state_is_left(comparisons, tmp_path):
    import matplotlib

    before = dict(matplotlib.rcParams.copy())
    for plot in PLOTS.values():
        save_plot(plot(comparisons), tmp_path / "plot.svg")
    after = dict(matplotlib.rcParams.copy())
    del before["backend"], after["backend"]  # determined on first use
    assert after == before
    assert "matplotlib.pyplot" not in sys.modules or not sys.modules["matplotlib.pyplot"].get_fignums()


def test_all_plots_of_an_evaluation_are_written(tmp_path, measured, groups, comparisons):
    names = [path.name for path in draw_results(tmp_path / "new" / "plots", measured, [Breakdown(groups, comparisons)])]
    assert names == [f"ter.size.{kind}.{ending}" for kind in ("quality", "gain") for ending in ("png", "svg")]
    assert sorted(path.name for path in (tmp_path / "new" / "plots").iterdir()) == sorted(names)


def test_other_endings_and_other_folders_are_refused(tmp_path, measured, groups, comparisons):
    with pytest.raises(LatticeSimpError, match=r"\.png, \.svg or \.pdf"):
        save_plot(failure_plot(CURVES), tmp_path / "a.jpg")
    (tmp_path / "file").write_text("")
    with pytest.raises(LatticeSimpError, match="cannot be made"):
        draw_results(tmp_path / "file" / "plots", measured, [Breakdown(groups, comparisons)])


def test_a_missing_matplotlib_is_reported(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtraError, match=r"lattice-simp\[evaluate\]"):
        failure_plot(CURVES)
