"""The grammars that the library uses: pynini modules and word lists, each beside its tables (`.tsv`)."""
