"""The section that paraphrases: all sentences that the phrases of a few sentences allow."""
