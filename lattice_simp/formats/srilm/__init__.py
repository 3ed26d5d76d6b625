"""Reads and writes files of SRILM: word meshes, PFSG, posterior lattices, n-best lists."""
