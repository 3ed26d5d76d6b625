"""The section that marks Hindi clauses and makes simple sentences of them."""
