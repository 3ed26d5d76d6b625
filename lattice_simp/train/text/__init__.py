"""Text files to clean, tokenised, numbered sentence pairs."""
