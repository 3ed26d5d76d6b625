"""One weight for a skeleton's translation, or one for each of its features, measured on development data."""
