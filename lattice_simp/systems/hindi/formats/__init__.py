"""Files of Hindi sentences: SSF, CoNLL-U, treebanks, and tables of marked clauses."""
