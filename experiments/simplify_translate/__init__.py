"""Translates simplified English: directly, and as skeletons whose words may differ from the sentence's."""
