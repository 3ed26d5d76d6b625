"""Scores over numbered words: counts of n-grams and edits that add up, and the formulas over their sums."""
