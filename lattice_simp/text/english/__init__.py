"""Parses and punctuates English text, for skeletons and for the systems that work on English."""
