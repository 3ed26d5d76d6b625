"""Text and tokens: tokenisers, truecasing, English parses, Hindi sentences, and constraints on generated text."""
