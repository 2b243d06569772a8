"""The body of a response: read to a bound, unpacked to a bound, and parsed."""

from __future__ import annotations

import json
import zlib
from collections.abc import AsyncIterable

LARGEST_BODY = 8_000_000
"""Bytes of a body, packed or unpacked, beyond which it is no answer of a chat model."""

ENCODING = "gzip"
"""The packing that is asked for, and the only one that is undone."""

_ANY_HEADER = zlib.MAX_WBITS | 32


class UnreadableBodyError(Exception):
    """A body that is too large, or packed in a way that cannot be undone."""


async def read(chunks: AsyncIterable[bytes], encoding: str) -> bytes:
    """Return a body unpacked. Raises UnreadableBodyError as soon as it is known to be none."""
    packed = bytearray()
    async for chunk in chunks:
        packed += chunk
        if len(packed) > LARGEST_BODY:
            raise _too_large()
    name = encoding.strip().lower()
    if name in {"", "identity"}:
        return bytes(packed)
    if name not in {ENCODING, "x-gzip", "deflate"}:
        raise UnreadableBodyError("it is packed in a way that was not asked for")
    return _unpacked(bytes(packed))


def parsed(content: bytes) -> object:
    """Return the JSON value of a body in UTF-8, UTF-16 or UTF-32, or its text where it is no JSON."""
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        # Zero bytes stand between the letters of a text in UTF-16 whose mark is missing.
        return content.decode(json.detect_encoding(content), "replace").replace("\0", "")


def _unpacked(packed: bytes) -> bytes:
    unpacking = zlib.decompressobj(_ANY_HEADER)
    try:
        content = unpacking.decompress(packed, LARGEST_BODY + 1)
    except zlib.error as error:
        raise UnreadableBodyError("it cannot be unpacked") from error
    if len(content) > LARGEST_BODY:
        raise _too_large()
    if not unpacking.eof:
        raise UnreadableBodyError("it breaks off")
    return content


def _too_large() -> UnreadableBodyError:
    return UnreadableBodyError(f"it is larger than {LARGEST_BODY} bytes")
