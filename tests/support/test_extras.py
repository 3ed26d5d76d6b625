"""Optional libraries are imported late."""

from __future__ import annotations

import sys

from lattice_simp.support.extras import Late


def test_tools_that_inspect_modules_import_no_library():
    library = Late("this")
    for name in ("__wrapped__", "_mock_name", "pytest_mock_example_attribute_that_shouldnt_exist"):
        assert not hasattr(library, name)
    assert "this" not in sys.modules
