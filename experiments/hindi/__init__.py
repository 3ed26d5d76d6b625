"""Clauses of Hindi sentences: trained systems and rules, tested on held-out files of the treebank."""
