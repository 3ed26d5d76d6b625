"""English: what may be deleted from a sentence, and the words that forbid it."""
