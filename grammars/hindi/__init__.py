"""Hindi: romanisation, paradigms of verbs and nouns, and the rewrite rules that find clauses."""
