"""Compares automatic skeletons with human compressions: methods, domains, and agreement with hand-made masks."""
