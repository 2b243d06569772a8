"""Files that a run writes."""

from __future__ import annotations

import os
from pathlib import Path

from confute.errors import ReportError


def write_text(path: Path, content: str) -> None:
    """Write a file whole or not at all, so that a kill leaves no half of it.

    Raises ReportError where it cannot be written.
    """
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        partial.write_text(content, encoding="utf-8", newline="\n")
        partial.replace(path)
    except OSError as error:
        raise ReportError(f"{path}: cannot be written: {error.strerror}") from error
    finally:
        partial.unlink(missing_ok=True)
