"""English: word lists, and the costs of deletions."""
