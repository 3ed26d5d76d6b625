"""Tuning: finds weights of a model's features under which its best hypotheses come close to references."""
