"""Translates Hindi to English with skeletons from clause boundaries, and from simplified sentences."""
