"""Text simplification: measures outputs of systems on PWKP and TurkCorpus with the same metrics."""
