"""How the two judgements of each sentence agree, which were given for different lengths."""
