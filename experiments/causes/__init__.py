"""Finds why gappy composition as in the paper gains less than with one weight: the causes, one by one."""
