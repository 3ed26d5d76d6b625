"""One sentence through every step of translation with a skeleton, as a page with drawings."""
