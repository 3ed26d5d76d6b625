"""Reads and writes automata of OpenFst: text, binary files and symbol tables."""
