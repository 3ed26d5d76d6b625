"""The training loop: updates, checkpoints from which a killed run resumes, validation, averaged weights."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lattice_simp.core.kernel import Longs
from lattice_simp.errors import LatticeSimpError
from lattice_simp.rescore.neural.data import END_ID, START_ID, VOID, Pairs, batches
from lattice_simp.rescore.neural.export import Array
from lattice_simp.rescore.neural.network import Transformer, greedy, initial_weights
from lattice_simp.rescore.neural.run_folder import CHECKPOINT, cosine_rate, load, resume, save
from lattice_simp.rescore.neural.settings import TrainingSettings
from lattice_simp.support.extras import Late

if TYPE_CHECKING:
    import torch  # type: ignore[import-not-found,unused-ignore]
    from torch.nn import functional
else:
    torch, functional = Late("torch", "neural-training"), Late("torch.nn.functional", "neural-training")

_WEIGHTS = "weights.*.pt"

Say = Callable[[str], None]


@dataclass(frozen=True)
class Validation:
    """Held-out pairs, the words of each piece for BLEU, and the texts to compare with."""

    pairs: Pairs
    to_words: Callable[[list[int]], str]
    references: list[str]


@dataclass
class _Position:
    """The progress of a run; mutable."""

    update: int = 0
    epoch: int = 0
    batch: int = 0


class Training:
    """A run in its folder."""

    def __init__(self, settings: TrainingSettings, vocabulary: int, folder: Path, say: Say) -> None:
        self.settings, self.folder, self.say = settings, folder, say
        self.device = _device(settings.device)
        self.precision = _precision(settings.precision, self.device)
        if settings.threads:
            torch.set_num_threads(settings.threads)
        torch.manual_seed(settings.seed)
        self.weights = initial_weights(settings.architecture, vocabulary, settings.seed, self.device)
        fused = self.device.type == "cuda"
        self.optimiser = torch.optim.Adam(self.weights.values(), lr=0.0, betas=(0.9, 0.98), eps=1e-9, fused=fused)
        self.scaler = torch.amp.GradScaler(self.device.type, enabled=self.precision is torch.float16)
        self.position = _Position()

    def run(self, pairs: Pairs, validation: Validation | None) -> None:
        """Runs the remaining updates."""
        settings, position = self.settings, self.position
        self._resume()
        losses: list[torch.Tensor] = []
        pieces, begin = 0, time.monotonic()
        for rows in self._rows(pairs):
            loss, size = self._update(pairs, rows)
            losses.append(loss)
            pieces += size
            if position.update % settings.log_every == 0 or position.update == settings.updates:
                rate = pieces / max(1e-9, time.monotonic() - begin)
                mean = float(torch.stack(losses).mean())
                self.say(f"update {position.update}: loss {mean:.4f}, {rate:,.0f} target pieces/s")
                losses, pieces, begin = [], 0, time.monotonic()
            if position.update % settings.checkpoint_every == 0 or position.update == settings.updates:
                self._write_checkpoint()
            due = position.update % settings.validate_every == 0 or position.update == settings.updates
            if validation is not None and due:
                loss_per_piece, bleu = self.validate(validation)
                self.say(f"update {position.update}: development loss {loss_per_piece:.4f} a piece, BLEU {bleu:.2f}")

    def _rows(self, pairs: Pairs) -> Iterator[Longs]:
        """Yields the rows of the remaining updates; the position advances before each."""
        settings, position = self.settings, self.position
        while position.update < settings.updates:
            epoch_batches = batches(pairs, settings.batch_tokens, settings.seed, position.epoch)
            while position.batch < len(epoch_batches) and position.update < settings.updates:
                position.update, position.batch = position.update + 1, position.batch + 1
                yield epoch_batches[position.batch - 1]
            if position.batch >= len(epoch_batches):
                position.epoch, position.batch = position.epoch + 1, 0

    def _update(self, pairs: Pairs, rows: Longs) -> tuple[torch.Tensor, int]:
        settings = self.settings
        network = Transformer(settings.architecture, self.weights, settings.dropout)
        for group in self.optimiser.param_groups:
            group["lr"] = learning_rate(settings, self.position.update)
        source, inputs, target = self._tensors(pairs, rows)
        with self._mixed():
            logits = network.logits(source, inputs)
        loss = functional.cross_entropy(
            logits.float().flatten(0, 1), target.flatten(), ignore_index=VOID, label_smoothing=settings.label_smoothing
        )
        self.scaler.scale(loss).backward()  # type: ignore[no-untyped-call]
        self.scaler.unscale_(self.optimiser)
        torch.nn.utils.clip_grad_norm_(list(self.weights.values()), settings.clip)
        self.scaler.step(self.optimiser)
        self.scaler.update()
        self.optimiser.zero_grad(set_to_none=True)
        return loss.detach(), target.numel()

    def _tensors(self, pairs: Pairs, rows: Longs) -> list[torch.Tensor]:
        return [torch.from_numpy(part).to(self.device, non_blocking=True) for part in pairs.batch(rows)]

    def _mixed(self) -> Any:
        enabled = self.precision is not torch.float32
        return torch.autocast(self.device.type, dtype=self.precision if enabled else None, enabled=enabled)

    def validate(self, validation: Validation) -> tuple[float, float]:
        """Returns the loss (nats a piece, not smoothed) and the BLEU of greedy translations."""
        from sacrebleu.metrics.bleu import BLEU

        network = Transformer(self.settings.architecture, self.weights)
        total, count = 0.0, 0
        texts = [""] * validation.pairs.source.num_sentences
        for rows in batches(validation.pairs, self.settings.batch_tokens, 0, 0):
            source, inputs, target = self._tensors(validation.pairs, rows)
            with torch.no_grad(), self._mixed():
                logits = network.logits(source, inputs).float().flatten(0, 1)
                outputs = greedy(network, source, 2 * source.shape[1] + 10, START_ID, END_ID)
            total += float(functional.cross_entropy(logits, target.flatten(), ignore_index=VOID, reduction="sum"))
            count += int((target != VOID).sum())
            for row, pieces in zip(rows.tolist(), outputs.tolist(), strict=True):
                texts[row] = validation.to_words(pieces[: pieces.index(END_ID)] if END_ID in pieces else pieces)
        bleu = BLEU(tokenize="none", force=True).corpus_score(texts, [validation.references]).score
        return total / max(1, count), float(bleu)

    def _write_checkpoint(self) -> None:
        """Writes the state of the run, and the weights for averaging; removes weights that are no longer needed."""
        weights = {name: weight.detach() for name, weight in self.weights.items()}
        state = {
            "place": vars(self.position),
            "weights": weights,
            "optimiser": self.optimiser.state_dict(),
            "scaler": self.scaler.state_dict(),
            "random": torch.get_rng_state(),
            "device_random": torch.cuda.get_rng_state_all() if self.device.type == "cuda" else [],
        }
        save(weights, self.folder / f"weights.{self.position.update:08d}.pt")
        save(state, self.folder / CHECKPOINT)
        for path in sorted(self.folder.glob(_WEIGHTS))[: -self.settings.average]:
            path.unlink()

    def _resume(self) -> None:
        path = self.folder / CHECKPOINT
        if resume(path, self.device, self.weights, self.optimiser, self._restore):
            self.say(f"update {self.position.update}: continuing from {path}")

    def _restore(self, state: dict[str, Any]) -> None:
        self.scaler.load_state_dict(state["scaler"])
        vars(self.position).update(state["place"])
        torch.set_rng_state(state["random"].cpu())
        if self.device.type == "cuda" and state["device_random"]:
            torch.cuda.set_rng_state_all([generator.cpu() for generator in state["device_random"]])


def averaged_weights(folder: Path) -> dict[str, Array]:
    """Returns the mean of the last checkpoints' weights; raises LatticeSimpError if there are none."""
    paths = sorted(folder.glob(_WEIGHTS))
    if not paths:
        raise LatticeSimpError(f"{folder}: no weights; train first")
    totals: dict[str, np.ndarray[Any, Any]] = {}
    for path in paths:
        for name, weight in load(path, torch.device("cpu")).items():
            totals[name] = totals.get(name, 0.0) + weight.double().numpy() / len(paths)
    return {name: total.astype(np.float32) for name, total in totals.items()}


def learning_rate(settings: TrainingSettings, update: int) -> float:
    """Returns the rate of an update, from 1: a linear rise, then a fall with 1 / sqrt(update) or a half cosine."""
    if update > settings.warmup and settings.schedule == "inverse-sqrt":
        return settings.learning_rate * math.sqrt(settings.warmup / update)
    return cosine_rate(settings.learning_rate, settings.warmup, update, settings.updates)


def _device(name: str) -> torch.device:
    if name == "cuda" and not torch.cuda.is_available():
        raise LatticeSimpError("torch sees no GPU; set device: cpu, or auto")
    return torch.device("cuda" if name != "cpu" and torch.cuda.is_available() else "cpu")


def _precision(name: str, device: torch.device) -> torch.dtype:
    if name == "auto" and device.type == "cuda":
        return torch.bfloat16 if torch.cuda.is_bf16_supported() else torch.float16
    return {"bf16": torch.bfloat16, "fp16": torch.float16}.get(name, torch.float32)
