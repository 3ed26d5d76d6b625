"""Building parallel corpora of complex and simple sentences."""
