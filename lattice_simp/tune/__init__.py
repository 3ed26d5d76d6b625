"""Tuning: the weights of a model's features, set so that its best hypotheses come close to references."""
