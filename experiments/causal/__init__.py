"""A pretrained causal language model as a scorer of a Hiero system's n-best lists."""
