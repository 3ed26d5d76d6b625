"""From text files to clean, tokenised, numbered sentence pairs."""
