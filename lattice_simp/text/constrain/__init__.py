"""Constrained decoding: masks over a tokeniser's vocabulary that keep a generator to the texts of an acceptor."""
