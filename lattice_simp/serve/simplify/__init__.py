"""The section that simplifies English sentences."""
