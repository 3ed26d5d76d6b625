"""The names of features that several formats and operations know."""

from __future__ import annotations

TIME = "time"
"""The duration of each arc in seconds; a path's sum is its time."""

POSTERIOR = "posterior"
"""The natural log of each arc's posterior; operations do not sum it over paths.

Where it is unknown, the feature is `core.columns.UNKNOWN_LOG`."""
