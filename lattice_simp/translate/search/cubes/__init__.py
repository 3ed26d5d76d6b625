"""The pruned search in nested grammars: cube pruning with the language model's states."""
