"""The options of minimum Bayes-risk decoding."""

from __future__ import annotations

import json
import shutil

import pytest

from lattice_simp import Decoder
from lattice_simp.commands.shared.settings_options import nested_values, setting_options
from lattice_simp.errors import LatticeSimpError
from lattice_simp.formats.nbest import read_nbest
from lattice_simp.ops.mbr import MbrSettings
from lattice_simp.translate.settings import DecoderSettings

SENTENCE = "the house was built yesterday\n"


def test_translations_are_those_of_the_decoder_with_the_same_settings(call, model, tmp_path):
    numbers = ("--mbr-scale", 0.4, "--mbr-precision", 0.9, "--mbr-ratio", 0.9)
    listed = ("--nbest", 5, "--nbest-output", tmp_path / "nbest", "--output", tmp_path / "out")
    assert call("translate", model, "--mbr", *numbers, *listed, stdin=SENTENCE).returncode == 0
    folder = shutil.copytree(model, tmp_path / "model")
    mbr = {"scale": 0.4, "precision": 0.9, "ratio": 0.9}
    (folder / "settings.json").write_text(json.dumps({"mbr": mbr}), encoding="utf-8")
    result = Decoder.load(folder).translate(SENTENCE.strip())
    expected = result.nbest(5)
    [actual] = read_nbest(tmp_path / "nbest")
    assert [entry.text for entry in actual] == [path.text for path in expected]
    assert [entry.cost for entry in actual] == pytest.approx([path.cost for path in expected])
    assert (tmp_path / "out").read_text() == expected[0].text + "\n"
    # The gain of a hypothesis is not its model score.
    assert expected[0].cost != pytest.approx(Decoder.load(model).translate(SENTENCE.strip()).best.cost)


def test_tuned_parameters_need_no_numbers(call, model, tmp_path):
    folder = shutil.copytree(model, tmp_path / "model")
    (folder / "settings.json").write_text('{"mbr": {"scale": 0.4}}', encoding="utf-8")
    assert call("translate", folder, "--mbr", stdin=SENTENCE).returncode == 0


OWN = MbrSettings(scale=0.25)


@pytest.mark.parametrize(
    ("flags", "settings", "expected"),
    [
        ({}, None, None),
        ({}, OWN, OWN),
        ({"mbr": True}, None, MbrSettings()),
        ({"mbr": True}, OWN, OWN),
        ({"mbr": False}, OWN, None),
        ({"mbr-precision": 0.6}, OWN, MbrSettings(scale=0.25, precision=0.6)),
        ({"mbr-max-arcs": 30}, OWN, MbrSettings(scale=0.25, max_arcs=30)),
        ({"mbr-scale": 2.0, "mbr-ratio": 0.9}, None, MbrSettings(scale=2.0, ratio=0.9)),
    ],
)
def test_options_change_the_models_own_settings(flags, settings, expected):
    assert DecoderSettings(mbr=settings).updated(nested_values(options(flags))).mbr == expected


def options(flags):
    return {option: flags.get(option.flag) for option in setting_options(DecoderSettings)}


def test_contradictions_are_refused():
    with pytest.raises(LatticeSimpError, match="--no-mbr and --mbr-ratio contradict each other"):
        nested_values(options({"mbr": False, "mbr-ratio": 0.5}))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--no-mbr", "--mbr-scale", 1), "--no-mbr and --mbr-scale contradict each other"),
        (("--mbr", "--mbr-precision", 2), "the precision is 2.0; give a number above 0 and up to 1"),
        (("--mbr-scale", 0), "the scale of the costs is 0.0"),
        (("--mbr",), "--mbr needs parameters tuned for the model: run `lattice-simp tune mbr "),
    ],
)
def test_bad_numbers_are_one_line(call, model, options, message):
    done = call("translate", model, *options, stdin=SENTENCE)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
