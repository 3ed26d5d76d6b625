"""Text simplification: outputs of systems on PWKP and TurkCorpus under the same metrics."""
