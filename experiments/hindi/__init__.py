"""Clauses of Hindi sentences: trained systems and rules, on held-out files of the treebank."""
