"""Causal language models as scorers: prompts and texts by a stand-in, costs by small models of transformers."""

from __future__ import annotations

import json
from itertools import pairwise

import numpy as np
import pytest

from lattice_simp.errors import FormatError, LatticeSimpError, MissingExtraError
from lattice_simp.rescore import read_scorers
from lattice_simp.rescore.causal import CausalScorer, CausalSettings, batches
from lattice_simp.rescore.piece_tree import reads_trees
from lattice_simp.rescore.scorer import reads_source

HYPOTHESES = [["x", "yy"], ["x"], [], ["abc", "def", "ghi", "jkl"], ["x"]]
PROMPTS = ["", "abc {source}:"]


class Letters:
    """A tokenizer whose pieces are letters."""

    bos_token_id: int | None = 1

    def __call__(self, text, add_special_tokens):
        assert not add_special_tokens
        return {"input_ids": [2 + ord(letter) % 60 for letter in text]}


class Counting(CausalScorer):
    """A scorer whose costs are the numbers of pieces; it records the prompts."""

    def _costs(self, prompt, texts):
        self.tokenizer.prompts.append((list(prompt), [list(text) for text in texts]))
        return np.array([float(len(text)) for text in texts])


def counting(**settings):
    tokenizer = Letters()
    tokenizer.prompts = []
    return Counting(
        type("Model", (), {"config": type("Config", (), {"max_position_embeddings": 50})}),
        tokenizer,
        CausalSettings(**settings),
    )


def test_the_prompt_holds_the_source_and_equal_texts_are_scored_once():
    scorer = counting(prompt="{source}=", between=" ", end=".")
    assert scorer.score(["u", "v"], HYPOTHESES).tolist() == [6.0, 3.0, 2.0, 17.0, 3.0]
    ((prompt, texts),) = scorer.tokenizer.prompts
    assert prompt == [1, *Letters()("u v=", False)["input_ids"]]
    assert texts == [Letters()(text, False)["input_ids"] for text in (" x yy.", " x.", " .", " abc def ghi jkl.")]
    assert scorer.score([], []).shape == (0,)


def test_only_a_prompt_with_a_source_needs_one():
    assert reads_source(counting(prompt="{source}:"))
    assert not reads_source(counting(prompt="English:"))


def test_texts_are_capitalised_and_detokenised():
    pytest.importorskip("sacremoses", reason="the extra `text` is not installed")
    scorer = counting(detokenise={"target": "en"}, capitalise=True)
    assert scorer._text(["it", "isn", "'t", "so", "."], "target") == "It isn't so."
    assert scorer._text(["es", "ist", "."], "source") == "Es ist ."


def test_what_no_model_can_score():
    scorer = counting()
    with pytest.raises(LatticeSimpError, match="52 subwords; shorten it"):
        scorer.score([], [["x" * 51]])
    scorer.tokenizer.bos_token_id = None
    with pytest.raises(LatticeSimpError, match="give a prompt"):
        scorer.score([], [["x"]])


def test_batches_hold_what_they_may():
    rng = np.random.default_rng(1)
    for _ in range(50):
        lengths = np.sort(rng.integers(1, 9, size=rng.integers(0, 12))).tolist()
        most = int(rng.integers(1, 30))
        cut = batches(range(len(lengths)), lengths, most)
        assert [number for batch in cut for number in batch] == list(range(len(lengths)))
        assert all(len(batch) == 1 or len(batch) * lengths[batch[-1]] <= most for batch in cut)
        for batch, following in pairwise(cut):  # none could take the next text
            assert (len(batch) + 1) * lengths[following[0]] > most


def test_folders(tmp_path):
    with pytest.raises(FormatError, match=r"holds no config\.json"):
        CausalScorer.read(tmp_path)
    (tmp_path / "config.json").write_text("{}", encoding="utf-8")
    (tmp_path / "lattice_simp.json").write_text('{"prompt": 1}', encoding="utf-8")
    with pytest.raises(FormatError, match="prompt is 1; give a string"):
        read_scorers(tmp_path)
    (tmp_path / "lattice_simp.json").write_text("{}", encoding="utf-8")
    with pytest.raises((FormatError, MissingExtraError), match=r"cannot load it|pip install"):
        read_scorers(tmp_path)


# ---------------------------------------------------------------- with torch


def small_models():
    torch = pytest.importorskip("torch", reason="the extra `causal` is not installed")
    transformers = pytest.importorskip("transformers", reason="the extra `causal` is not installed")
    torch.manual_seed(1)
    torch.set_num_threads(1)  # more only wait for each other where models are small
    sizes = {"vocab_size": 64, "bos_token_id": 1, "eos_token_id": 1}
    small = {"hidden_size": 32, "intermediate_size": 64, "num_attention_heads": 2, "max_position_embeddings": 256}
    gpt = {"n_embd": 32, "n_layer": 2, "n_head": 2, "n_positions": 256}
    yield transformers.GPT2LMHeadModel(transformers.GPT2Config(**gpt, **sizes))
    yield transformers.LlamaForCausalLM(transformers.LlamaConfig(num_hidden_layers=2, **small, **sizes))
    windows = {"num_hidden_layers": 6, "num_key_value_heads": 1, "head_dim": 16}
    for window in (8, 128):  # shorter than texts, and longer
        config = transformers.Gemma3TextConfig(sliding_window=window, **windows, **small, **sizes)
        yield transformers.Gemma3ForCausalLM(config)
    yield transformers.BloomForCausalLM(transformers.BloomConfig(hidden_size=32, n_layer=2, n_head=2, **sizes))


def plain_cost(model, prompt, text):
    """Scores one text at once, without a cache or a batch."""
    import torch

    with torch.inference_mode():
        scores = model(torch.tensor([prompt + text])).logits.double().log_softmax(-1)[0]
    return -sum(float(scores[len(prompt) + place - 1, piece]) for place, piece in enumerate(text))


@pytest.mark.filterwarnings("error::FutureWarning")  # of names that transformers changed
@pytest.mark.parametrize("prompt", PROMPTS)
@pytest.mark.parametrize("most", [1 << 26, 640, 1])
def test_costs_are_those_of_each_text_alone(prompt, most, monkeypatch):
    monkeypatch.setattr("lattice_simp.rescore.causal.MOST_SCORES", most)
    for model in small_models():
        scorer = CausalScorer(model.eval(), Letters(), CausalSettings(prompt=prompt, between=" ", end="\n"))
        first = [1, *Letters()(prompt.replace("{source}", "u v"), False)["input_ids"]]
        texts = [Letters()(f" {' '.join(words)}\n", False)["input_ids"] for words in HYPOTHESES]
        expected = [plain_cost(model, first, text) for text in texts]
        np.testing.assert_allclose(scorer.score(["u", "v"], HYPOTHESES), expected, atol=1e-4)
        if prompt:
            assert abs(scorer.score(["w"], HYPOTHESES) - expected).max() > 1e-3


def test_trees_are_read_by_models_whose_layers_keep_to_masks():
    pytest.importorskip("torch", reason="the extra `causal` is not installed")
    assert [reads_trees(model, 20) for model in small_models()] == [True, True, False, True, False]


@pytest.mark.parametrize("most", [1 << 26, 640])
def test_costs_of_trees_are_those_of_texts_for_one_sentence_after_the_other(most, monkeypatch):
    """Whatever texts and prompts begin with alike, also where a prompt is the beginning of the one before."""
    monkeypatch.setattr("lattice_simp.rescore.causal.MOST_SCORES", most)
    rng = np.random.default_rng(3)
    for model in small_models():
        scorer = CausalScorer(model.eval(), Letters(), CausalSettings(prompt="a:{source}", between="="))
        for source in ("xyz", "xyyy", "", "xyz"):
            texts = ["".join(rng.choice(list("ab"), size=rng.integers(0, 6))) for _ in range(6)]
            first = [1, *Letters()(f"a:{source}", False)["input_ids"]]
            expected = [plain_cost(model, first, Letters()(f"={text}", False)["input_ids"]) for text in texts]
            np.testing.assert_allclose(scorer.score([source], [[text] for text in texts]), expected, atol=1e-4)


def test_what_begins_alike_is_read_once():
    for model in filter(lambda model: reads_trees(model, 20), small_models()):
        lengths = list[int]()
        model.get_input_embeddings().register_forward_hook(lambda layer, ids, out: lengths.append(ids[0].numel()))
        scorer = CausalScorer(model.eval(), Letters(), CausalSettings(prompt="abc{source}"))
        for source in ("xy", "xz"):
            scorer.score([source], [["aaab"], ["aaac"], ["ad"]])
        # the prompt but its end, then this end and the nodes that something follows; of the other, what differs
        assert lengths == [5, 4, 4]


def test_only_some_pieces_have_a_probability():
    """Those of some texts, and those of the hypotheses."""
    torch = pytest.importorskip("torch", reason="the extra `causal` is not installed")
    hypotheses = [["ab"], ["ac"], ["b"]]
    for model in small_models():
        scorer = CausalScorer(model.eval(), Letters(), CausalSettings(between="=")).only_pieces_of(["a d"])
        pieces = sorted({*Letters()("=a dbc", False)["input_ids"]})
        assert scorer.pieces == frozenset(Letters()("=a d", False)["input_ids"])
        expected = []
        for words in hypotheses:
            text = Letters()("=" + words[0], False)["input_ids"]
            with torch.inference_mode():
                scores = model(torch.tensor([[1, *text]])).logits.double()[0][:, pieces].log_softmax(-1)
            expected.append(-sum(float(scores[place, pieces.index(piece)]) for place, piece in enumerate(text)))
        np.testing.assert_allclose(scorer.score([], hypotheses), expected, atol=1e-4)


def test_a_saved_model_is_read_with_its_settings(tmp_path):
    model = next(small_models())
    transformers = pytest.importorskip("transformers")
    tokenizers = pytest.importorskip("tokenizers", reason="the extra `causal` is not installed")
    words = {"<unk>": 0, "<s>": 1, "a": 2, "b": 3, ":": 4}
    level = tokenizers.Tokenizer(tokenizers.models.WordLevel(words, unk_token="<unk>"))
    level.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    transformers.PreTrainedTokenizerFast(tokenizer_object=level, bos_token="<s>").save_pretrained(tmp_path)
    model.save_pretrained(tmp_path)
    (tmp_path / "lattice_simp.json").write_text(json.dumps({"prompt": "{source} :", "between": " "}), encoding="utf-8")
    ((name, scorer),) = read_scorers(tmp_path).items()
    assert name == "Causal"
    costs = scorer.score(["a"], [["b", "a"], ["b"]])
    expected = [plain_cost(model.eval(), [1, 2, 4], text) for text in ([3, 2], [3])]
    np.testing.assert_allclose(costs, expected, atol=1e-4)
