"""Reads and writes files of Moses and its relatives: PLF, n-best lists, graphs, confusion networks, rule tables."""
