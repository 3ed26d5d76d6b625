"""The section that makes English sentences simpler."""
