"""Word alignments of sentence pairs."""
