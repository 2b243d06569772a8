"""Keys are kept out of all that an endpoint or a package wrote, whatever they wrote it in."""

from __future__ import annotations

import json
from collections.abc import Iterable

_REDACTED = "[key]"
SHORTEST_KEY = 8
"""Shorter keys are refused: a word of a few letters cannot be taken out of every text without harming it."""


class Redaction:
    """Takes keys out of texts, and out of every text in the value that a body was parsed to."""

    def __init__(self, keys: Iterable[str]) -> None:
        # A key that holds another one goes first, so that nothing of it stays.
        self._keys = sorted({key for key in keys if len(key) >= SHORTEST_KEY}, key=lambda key: (-len(key), key))

    def text(self, text: str) -> str:
        """Return a text without the keys."""
        for key in self._keys:
            text = text.replace(key, _REDACTED)
        return text

    def value(self, value: object) -> object:
        """Return a value of JSON without the keys. Raises ValueError where it is nested too deeply to be read."""
        if isinstance(value, str):
            return self.text(value)
        try:
            written = json.dumps(value, ensure_ascii=False)
            redacted = written
            for key in self._keys:
                redacted = redacted.replace(json.dumps(key)[1:-1], _REDACTED)
            return value if redacted == written else json.loads(redacted)
        except RecursionError as error:
            raise ValueError("it is nested too deeply") from error
