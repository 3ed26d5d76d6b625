"""Reads and writes files of HTK: lattices (SLF) and labels (MLF)."""
