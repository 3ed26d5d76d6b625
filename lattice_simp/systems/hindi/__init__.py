"""Hindi: clauses of sentences, their types, and simpler sentences (Sharma and Paul 2014, Mishra et al. 2014)."""
