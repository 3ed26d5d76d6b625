"""English parses and punctuation marks, for skeletons and for all systems of English text."""
