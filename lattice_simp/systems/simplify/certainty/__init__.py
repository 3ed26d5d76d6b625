"""Conditions on the parse under which a split has only one reading; `certain.py` applies them."""
