"""Parallel corpora of complex and simple sentences out of paired articles (Coster and Kauchak 2011)."""
