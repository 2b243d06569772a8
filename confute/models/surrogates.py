"""Text that can be written as UTF-8."""

from __future__ import annotations

import re

_LONE = re.compile(r"[\ud800-\udfff]")


def well_formed(text: str) -> str:
    """Return the text with each lone surrogate replaced by U+FFFD, so that it can be written as UTF-8."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def escaped(json_text: str) -> str:
    """Return a JSON text with each lone surrogate written as its escape: it fits UTF-8 and reads back the same."""
    return _LONE.sub(lambda found: f"\\u{ord(found.group()):04x}", json_text)
