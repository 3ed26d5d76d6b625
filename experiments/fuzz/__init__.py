"""Damaged and crafted files for every reader: is there always an answer, or one typed error?"""
