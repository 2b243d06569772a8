"""Keys of endpoints: read from the environment when they are needed, and kept out of all that is written."""

from __future__ import annotations

import os
from typing import NamedTuple

from confute.models.chat import ChatReply, ModelSpec, ReplyCode
from confute.models.reading import failed

_REDACTED = "[key]"
_SHORTEST = 8


class ApiKey(NamedTuple):
    """A key that may be sent; `value` is `None` for an endpoint that asks for none."""

    value: str | None

    def __repr__(self) -> str:
        return "ApiKey(...)"

    def redacted(self, content: bytes) -> bytes:
        """Return what an endpoint wrote without the key in it."""
        if self.value is None or len(self.value) < _SHORTEST:
            return content
        return content.replace(self.value.encode(), _REDACTED.encode())


def key_of(spec: ModelSpec, default_env: str | None) -> ApiKey | ChatReply:
    """Return the key from the variable that a model names or from the default one, or the failure that it is missing.

    White space around a key is cut off. A key with characters that no header may hold counts as rejected.
    """
    name = spec.api_key_env or default_env
    if name is None:
        return ApiKey(None)
    value = os.environ.get(name, "").strip()
    if not value:
        return failed(spec, ReplyCode.KEY_MISSING, f"the environment variable {name} holds no key")
    if not (value.isascii() and value.isprintable()):
        return failed(spec, ReplyCode.KEY_REJECTED, f"the environment variable {name} holds characters of no key")
    return ApiKey(value)
