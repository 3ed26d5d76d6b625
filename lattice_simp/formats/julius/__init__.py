"""Reads the results, word graphs and confusion networks of Julius."""
