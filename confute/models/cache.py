"""Vectors kept on disk by the content of their texts, so that no text is embedded twice."""

from __future__ import annotations

import hashlib
import sqlite3
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np

from confute.errors import ModelError
from confute.models.embedder import TruncatingEmbedder, Vectors

_FILE = "embeddings.sqlite3"
_TEXTS_PER_COMMIT = 1024
_WAIT_FOR_OTHERS_S = 60.0
_TABLE = "CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB NOT NULL, crc32 INTEGER NOT NULL)"


class CachedEmbedder:
    """An embedder that asks another one only for texts that its file does not hold, and for each of them once.

    A key is the SHA-256 over the other embedder's fingerprint and the text, so that a file may serve many models and
    nothing in it goes stale. Several processes may share the file; one that is killed loses what it had not committed
    and harms nothing. A vector that was damaged on disk is computed again.
    """

    def __init__(self, embedder: TruncatingEmbedder, folder: Path) -> None:
        """Open or make the file in a folder; raises ModelError where that cannot be."""
        self._embedder = embedder
        self._file = folder / _FILE
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ModelError(f"the folder cannot be made: {error.strerror or error}", field=str(folder)) from error
        with self._connection() as connection:
            connection.execute(_TABLE)

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the embedder whose vectors are kept."""
        return self._embedder.fingerprint

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return an array of shape (texts, dimension), float32, rows of unit length."""
        fingerprint = self.fingerprint.encode()
        keys = [_key(fingerprint, text) for text in texts]
        text_of = dict(zip(keys, texts, strict=True))
        vector_of = self._read(list(text_of))
        missing = [key for key in text_of if key not in vector_of]
        for start in range(0, len(missing), _TEXTS_PER_COMMIT):
            part = missing[start : start + _TEXTS_PER_COMMIT]
            new = dict(zip(part, self._embedder.embed([text_of[key] for key in part]), strict=True))
            self._write(new)
            vector_of.update(new)
        return np.stack([vector_of[key] for key in keys]) if keys else self._embedder.embed([])

    def truncated(self, texts: Sequence[str]) -> int:
        """Return how many of the texts are longer than the model reads."""
        return self._embedder.truncated(texts)

    def _read(self, keys: Sequence[bytes]) -> dict[bytes, Vectors]:
        found: dict[bytes, Vectors] = {}
        with self._connection() as connection:
            for key in keys:
                row = connection.execute("SELECT vector, crc32 FROM vectors WHERE key = ?", (key,)).fetchone()
                if row is not None and zlib.crc32(row[0]) == row[1]:
                    found[key] = np.frombuffer(row[0], "<f4").astype(np.float32)
        return found

    def _write(self, vectors: Mapping[bytes, Vectors]) -> None:
        blobs = [(key, vector.astype("<f4").tobytes()) for key, vector in vectors.items()]
        rows = [(key, blob, zlib.crc32(blob)) for key, blob in blobs]
        with self._connection() as connection, connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", rows)

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        # One connection a call: safe under threads and forks, and its cost is a fraction of embedding one text.
        try:
            with closing(sqlite3.connect(self._file, timeout=_WAIT_FOR_OTHERS_S)) as connection:
                yield connection
        except sqlite3.Error as error:
            hint = "delete the file, it holds nothing that cannot be computed again, or choose another cache folder"
            raise ModelError(
                f"the embedding cache cannot be used: {error}", field=str(self._file), hint=hint
            ) from error


def _key(fingerprint: bytes, text: str) -> bytes:
    content = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
    return hashlib.sha256(fingerprint + content).digest()
