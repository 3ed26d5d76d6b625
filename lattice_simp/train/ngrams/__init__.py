"""N-gram models with KenLM's lmplz."""
