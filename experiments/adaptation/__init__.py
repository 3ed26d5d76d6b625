"""Settings of training for corpora that differ from the text that is translated, measured on development data."""
