"""The tables of a file of raters' judgements."""

from __future__ import annotations

from importlib import resources

from lattice_simp.support.database import Schema

SCHEMA = Schema(
    script=resources.files(__package__).joinpath("schema.sql").read_text(encoding="utf-8"),
    application=0x6C736A75,  # "lsju"
    version=1,
    content="judgements",
    maker="lattice-simp judge serve",
)
"""The schema of a file of judgements."""
