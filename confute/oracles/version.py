"""The version of an oracle: what it is made of."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import resources, util

from confute.records import digest_of

Sources = dict[str, object]


@cache
def version_of(package: str) -> str:
    """Return the first 16 hex digits of the SHA-256 over an oracle's Python and YAML files, its folders' included.

    Modules and packages beside it that it imports, also by way of each other, count as its own. Guards or lexica that
    change give another version, so that no two rulings of different code look alike.
    """
    beside = package.rpartition(".")[0]
    made: dict[str, Sources] = {}
    waiting = [package]
    while waiting:
        name = waiting.pop()
        made[name] = _sources(name)
        waiting += sorted(set(_neighbours(_texts(made[name]), beside)) - made.keys() - set(waiting))
    return digest_of(made)[:16]


def _sources(name: str) -> Sources:
    """Return the files of a package by their names, or the one of a module."""
    parent, _, last = name.rpartition(".")
    module = resources.files(parent).joinpath(f"{last}.py") if parent else None
    if module is not None and module.is_file():
        return {module.name: module.read_text(encoding="utf-8")}
    return _files(resources.files(name))


def _files(folder: resources.abc.Traversable) -> Sources:
    return {
        entry.name: _files(entry) if entry.is_dir() else entry.read_text(encoding="utf-8")
        for entry in sorted(folder.iterdir(), key=lambda entry: entry.name)
        if (entry.is_dir() and entry.name != "__pycache__") or entry.name.endswith((".py", ".yaml"))
    }


def _texts(sources: Sources) -> Iterator[str]:
    for name, value in sources.items():
        if isinstance(value, dict):
            yield from _texts(value)
        elif name.endswith(".py"):
            yield str(value)


def _neighbours(texts: Iterable[str], beside: str) -> Iterator[str]:
    """Yield the modules and packages right below `beside` that the texts of modules import."""
    for text in texts:
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Import):
                named = [one.name for one in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module is not None:
                named = [f"{node.module}.{one.name}" for one in node.names]
            else:
                continue
            below = [one[len(beside) + 1 :].split(".")[0] for one in named if beside and one.startswith(f"{beside}.")]
            yield from (name for name in (f"{beside}.{one}" for one in below) if util.find_spec(name) is not None)
