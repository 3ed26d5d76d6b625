"""The one progress bar."""

from __future__ import annotations

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text


class _RateColumn(ProgressColumn):
    """Tasks a second."""

    def render(self, task: Task) -> Text:
        return Text(f"{task.speed:.2f}/s" if task.speed else "")


def progress_bar(*, quiet: bool = False, transient: bool = False) -> Progress:
    """Returns the progress bar, which is shown only if standard error is a terminal.

    Args:
        quiet: whether to show nothing.
        transient: whether the bar vanishes at the end.
    """
    console = Console(stderr=True, highlight=False)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        _RateColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    return Progress(*columns, console=console, transient=transient, disable=quiet or not console.is_terminal)
