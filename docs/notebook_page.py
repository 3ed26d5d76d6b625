"""The notebook, with the outputs that it holds, as a page of the site."""

from __future__ import annotations

from pathlib import Path

from nbconvert import MarkdownExporter


def files(notebook: Path) -> dict[str, str | bytes]:
    """Returns the page as Markdown, and its drawings, by their names in the site."""
    exporter = MarkdownExporter()
    text, resources = exporter.from_filename(str(notebook), resources={"output_files_dir": "notebook"})
    return {f"{notebook.stem}.md": text, **resources["outputs"]}
