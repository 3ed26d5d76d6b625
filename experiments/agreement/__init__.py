"""The agreement of two judgements of each sentence, made for different lengths."""
