"""From word alignments to a rule table: extraction, counting out of core, features."""
