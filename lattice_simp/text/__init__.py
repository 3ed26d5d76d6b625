"""Handles text and tokens: tokenisers, truecasing, English parses, Hindi sentences, constraints on generated text."""
