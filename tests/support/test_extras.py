"""Optional libraries are imported late."""

from __future__ import annotations

import sys

from lattice_simp.support.extras import Late


def test_tools_that_inspect_modules_import_no_library():
    library = Late("this")
    for name in ("__wrapped__", "_mock_name", "pytest_mock_example_attribute_that_shouldnt_exist"):
        assert not hasattr(library, name)
    assert "this" not in sys.modules


def test_collection_imports_no_slow_library(loaded_by_collection):
    """Make lattices and models in functions, not when a module of tests is imported."""
    assert not loaded_by_collection
