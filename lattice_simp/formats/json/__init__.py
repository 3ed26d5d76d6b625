"""JSON of recognisers, translation programs and language models, as sentences with hypotheses."""
