"""Reads and writes lattices of Kaldi: archives, text and binary, and its sausages."""
