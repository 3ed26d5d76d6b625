"""Fuzzes every reader with damaged and crafted files; the result must be an answer or a typed error."""
