"""Keys of endpoints: read from the environment when they are needed."""

from __future__ import annotations

import os
import re
from typing import NamedTuple

from confute.models.chat import ChatReply, ModelSpec, ReplyCode
from confute.models.reading import failed
from confute.models.redaction import SHORTEST_KEY

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
_SECRET = re.compile(r"(?:key|token|secret|password|credentials?)(?:_id)?$", re.IGNORECASE)


class ApiKey(NamedTuple):
    """A key that may be sent; `value` is `None` for an endpoint that asks for none."""

    value: str | None

    def __repr__(self) -> str:
        return "ApiKey(...)"

    @property
    def secrets(self) -> tuple[str, ...]:
        """What is to be kept out of all that is written."""
        return () if self.value is None else (self.value,)


def key_of(spec: ModelSpec, default_env: str | None) -> ApiKey | ChatReply:
    """Return the key from the variable that a model names or from the default one, or the failure that it is missing.

    White space around a key is cut off. A key with characters that no header may hold counts as rejected, and so does
    one that is too short to be kept out of what is written.
    """
    name = spec.api_key_env or default_env
    if name is None:
        return ApiKey(None)
    if not _VARIABLE.fullmatch(name):
        words = "api_key_env holds no name of an environment variable; put the key into a variable, and its name here"
        return failed(spec, ReplyCode.KEY_MISSING, words)
    value = os.environ.get(name, "").strip()
    if not value:
        return failed(spec, ReplyCode.KEY_MISSING, f"the environment variable {name} holds no key")
    if not (value.isascii() and value.isprintable()):
        return failed(spec, ReplyCode.KEY_REJECTED, f"the environment variable {name} holds characters of no key")
    if len(value) < SHORTEST_KEY:
        words = (
            f"the environment variable {name} holds fewer than {SHORTEST_KEY} characters, too few to be told from"
            " a word in what the endpoint writes; for an endpoint that asks for no key, name no variable"
        )
        return failed(spec, ReplyCode.KEY_REJECTED, words)
    return ApiKey(value)


def secrets_of_environment() -> tuple[str, ...]:
    """Return what every variable of the environment holds whose name ends like that of a secret."""
    return tuple(sorted({value.strip() for name, value in os.environ.items() if _SECRET.search(name)}))
