"""English sentence simplification by splitting, deletion and substitution (Narayan and Gardent, ACL 2014)."""

from __future__ import annotations
