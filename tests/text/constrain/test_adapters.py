"""Steps of other libraries' generators: the same scores as a whole pass, the same texts as their own beam searches."""

from __future__ import annotations

import numpy as np
import pytest

import lattice_simp as ls
from lattice_simp.errors import LatticeSimpError
from lattice_simp.text.constrain.adapters import log_softmax

SIZE, END, PROMPT = 12, 0, [3, 4]

ENDING = 3.0
"""Added to the logits of the end, since random models hardly end."""


def causal_model():
    torch = pytest.importorskip("torch", reason="torch is not installed")
    transformers = pytest.importorskip("transformers", reason="transformers is not installed")
    torch.manual_seed(1)
    config = transformers.GPT2Config(
        vocab_size=SIZE,
        n_positions=64,
        n_embd=16,
        n_layer=2,
        n_head=2,
        bos_token_id=1,
        eos_token_id=END,
        initializer_range=0.5,
    )
    model = transformers.GPT2LMHeadModel(config).eval()
    end = model.transformer.wte.weight.data[END]
    model.transformer.ln_f.bias.data += ENDING * end / (end @ end)
    return model


def translation_model():
    torch = pytest.importorskip("torch", reason="torch is not installed")
    transformers = pytest.importorskip("transformers", reason="transformers is not installed")
    torch.manual_seed(2)
    config = transformers.BartConfig(
        vocab_size=SIZE, d_model=16, encoder_layers=2, decoder_layers=2, encoder_attention_heads=2,
        decoder_attention_heads=2, encoder_ffn_dim=32, decoder_ffn_dim=32, max_position_embeddings=64, init_std=0.5,
        bos_token_id=1, pad_token_id=1, eos_token_id=END, decoder_start_token_id=2, forced_eos_token_id=None,
    )  # fmt: skip
    model = transformers.BartForConditionalGeneration(config).eval()
    model.final_logits_bias[0, END] = ENDING
    return model


@pytest.mark.parametrize("make", [causal_model, translation_model])
@pytest.mark.slow
def test_the_beam_search_of_transformers(make):
    """The search without a constraint gives what `generate` gives."""
    model = make()
    import torch

    compared = 0
    for beam in (2, 4, 7):
        for length_penalty in (0.0, 1.0):
            longest = 20
            output = model.generate(
                torch.tensor([PROMPT]), num_beams=beam, num_return_sequences=beam, max_new_tokens=longest,
                do_sample=False, early_stopping="never", length_penalty=length_penalty, pad_token_id=1,
                return_dict_in_generate=True, output_scores=True,
            )  # fmt: skip
            begin = 1 if model.config.is_encoder_decoder else len(PROMPT)
            rows = [row[begin:].tolist() for row in output.sequences]
            if not all(END in row for row in rows):
                continue  # generate returns texts without an end
            compared += 1
            step = ls.TransformersStep(model, PROMPT)
            texts = ls.constrained_beam_search(
                step, beam=beam, max_tokens=longest, eos=END, length_penalty=length_penalty
            )
            assert [list(text.tokens) for text in texts] == [row[: row.index(END)] for row in rows]
            if length_penalty == 0:
                assert [text.score for text in texts] == pytest.approx(output.sequences_scores.tolist(), abs=1e-4)
    assert compared >= 3


@pytest.mark.filterwarnings("error::FutureWarning")  # of names that transformers changed
@pytest.mark.parametrize("make", [causal_model, translation_model])
def test_cached_steps_are_those_of_whole_passes(make):
    model = make()
    import torch

    step = ls.TransformersStep(model, PROMPT)
    prefixes, rng = np.zeros((1, 0), dtype=np.int64), np.random.default_rng(1)
    for rows in (1, 5, 3, 4, 1):
        scores = step(prefixes)
        for prefix, row in zip(prefixes.tolist(), scores, strict=True):
            with torch.inference_mode():
                if model.config.is_encoder_decoder:
                    inputs = {"input_ids": [PROMPT], "decoder_input_ids": [[2, *prefix]]}
                else:
                    inputs = {"input_ids": [PROMPT + prefix]}
                logits = model(**{name: torch.tensor(value) for name, value in inputs.items()}).logits[0, -1]
            assert row == pytest.approx(torch.log_softmax(logits, dim=-1).numpy(), abs=1e-4)
        parents = rng.integers(0, len(prefixes), size=rows)
        prefixes = np.unique(np.column_stack((prefixes[parents], rng.integers(0, SIZE, size=rows))), axis=0)
        prefixes = prefixes[rng.permutation(len(prefixes))]
    with pytest.raises(LatticeSimpError, match="make a new step"):
        step(np.array([[99, 98, 97, 96, 95, 94]]))


def test_a_translation_model_of_ctranslate2(tmp_path):
    ctranslate2 = pytest.importorskip("ctranslate2")
    from lattice_simp.rescore.neural.export import Architecture, export_model, weight_shapes

    pieces, rng = ["<unk>", "<s>", "</s>", "a", "b", "c", "d"], np.random.default_rng(1)
    shape = Architecture(layers=1, width=16, heads=2, inner=24, positions=40)
    weights = {
        name: (rng.normal(size=size) * 0.4 + name.endswith("norm.weight")).astype("f4")
        for name, size in weight_shapes(shape, len(pieces)).items()
    }
    export_model(tmp_path, shape, weights, pieces)
    translator = ctranslate2.Translator(str(tmp_path), intra_threads=1)
    source = ["a", "b", "</s>"]
    step = ls.Ctranslate2TranslatorStep(translator, source, pieces)
    tokens = [None, None, None, b" a", b" b", b" c", b" d"]
    constraint = ls.TokenConstraint.of(ls.term_acceptor(["c a", "d"]), tokens, end=2)
    texts = ls.constrained_beam_search(step, constraint, beam=4, max_tokens=8)
    assert texts
    for text in texts:
        words = [pieces[token] for token in text.tokens]
        assert "c a" in " ".join(words)
        assert "d" in words[words.index("c") + 1 :]
        score = sum(translator.score_batch([source], [words])[0].log_probs)
        assert text.model_score == pytest.approx(score, abs=0.05)  # logits in half precision


class Generator:
    """A stand-in for `ctranslate2.Generator`."""

    def forward_batch(self, rows, return_log_probs):
        assert return_log_probs
        return np.stack([np.stack([bigram(token) for token in row]) for row in rows]).astype(np.float32)


class Llama:
    """A stand-in for `llama_cpp.Llama` with `logits_all`."""

    def __init__(self):
        self.n_tokens, self.scores, self.evaluated = 0, np.zeros((50, SIZE)), 0

    def reset(self):
        self.n_tokens = 0

    def eval(self, tokens):
        for token in tokens:
            self.scores[self.n_tokens] = bigram(token) + 3.0
            self.n_tokens += 1
        self.evaluated += len(tokens)


def bigram(token):
    return log_softmax(np.random.default_rng(token).normal(size=(1, SIZE), scale=2))[0]


def test_stand_ins_for_generators():
    """Both give the texts of a plain function, and only what is new is evaluated."""
    wanted = ls.constrained_beam_search(
        lambda prefixes: np.stack([bigram(([*PROMPT, *prefix])[-1]) for prefix in prefixes.tolist()]),
        beam=3, max_tokens=6, eos=END,
    )  # fmt: skip
    llama = Llama()
    for step in (ls.Ctranslate2GeneratorStep(Generator(), PROMPT), ls.LlamaCppStep(llama, PROMPT)):
        texts = ls.constrained_beam_search(step, beam=3, max_tokens=6, eos=END)
        assert [text.tokens for text in texts] == [text.tokens for text in wanted]
        assert [text.score for text in texts] == pytest.approx([text.score for text in wanted], abs=1e-4)
    assert llama.evaluated < 60
