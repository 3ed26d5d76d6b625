"""Training settings for corpora that differ from the text to translate, measured on development data."""
