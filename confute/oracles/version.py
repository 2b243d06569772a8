"""The version of an oracle: what it is made of."""

from __future__ import annotations

from functools import cache
from importlib import resources

from confute.records import digest_of


@cache
def version_of(package: str) -> str:
    """Return the first 16 hex digits of the SHA-256 over a package's Python and YAML files, its folders' included.

    Guards or lexica that change give another version, so that no two rulings of different code look alike.
    """
    return digest_of(_sources(resources.files(package)))[:16]


def _sources(folder: resources.abc.Traversable) -> dict[str, object]:
    return {
        entry.name: _sources(entry) if entry.is_dir() else entry.read_text(encoding="utf-8")
        for entry in sorted(folder.iterdir(), key=lambda entry: entry.name)
        if (entry.is_dir() and entry.name != "__pycache__") or entry.name.endswith((".py", ".yaml"))
    }
