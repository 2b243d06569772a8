"""The forms in which a measurement is printed."""

from __future__ import annotations

from enum import StrEnum


class Form(StrEnum):
    """A table on the terminal, JSON, or Markdown."""

    TABLE = "table"
    JSON = "json"
    MD = "md"
