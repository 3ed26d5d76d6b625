"""Hindi sentences and their tokens."""
