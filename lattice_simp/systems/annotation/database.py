"""The tables of a file of annotations."""

from __future__ import annotations

from importlib import resources

from lattice_simp.support.database import Schema

SCHEMA = Schema(
    script=resources.files(__package__).joinpath("schema.sql").read_text(encoding="utf-8"),
    application=0x6C736B61,  # "lska"
    version=1,
    content="annotations",
    maker="lattice-simp skeleton annotation import",
)
"""The schema of a file of annotations."""
