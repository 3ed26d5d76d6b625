"""The section that translates with skeletons."""
