"""What the pruned search in nested grammars loses, by the exact search's certificates."""
