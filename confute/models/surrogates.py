"""Text that can be written as UTF-8."""

from __future__ import annotations


def well_formed(text: str) -> str:
    """Return the text with each lone surrogate replaced by U+FFFD, so that it can be written as UTF-8."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
