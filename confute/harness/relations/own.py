"""A user's own relations, from `module:NAME`: a function, a Relation, or several of them."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from functools import partial
from typing import Any

from confute.errors import OracleError
from confute.named import named
from confute.oracles.relations.relation import Relation

_ALLOWED = "module:NAME of a function (scene, random) -> instances, a Relation, or a tuple of these"


def load_relations(spec: str, taken: Iterable[str]) -> tuple[Relation, ...]:
    """Return the relations that a text names; a function is named by its own name and told by its docstring.

    The module is looked for in the current folder too. Raises OracleError where it cannot be imported, where what it
    names is no relation, and for a name that is `taken` or stands twice.
    """
    found = named(spec, partial(_mistake, spec))
    several = found if isinstance(found, (tuple, list)) and not isinstance(found, Relation) else (found,)
    relations = tuple(_relation(one, spec) for one in several)
    seen = set(taken)
    for relation in relations:
        if relation.relation_id in seen:
            raise OracleError(
                "stands twice", field="--relations", got=relation.relation_id, hint="give it another name"
            )
        seen.add(relation.relation_id)
    return relations


def _relation(found: Any, spec: str) -> Relation:
    if isinstance(found, Relation) and isinstance(found.relation_id, str) and callable(found.transform):
        return found
    if inspect.isfunction(found):
        title = (inspect.getdoc(found) or found.__name__).splitlines()[0].strip().rstrip(".")
        return Relation(found.__name__, title, "as its function says", found)
    raise OracleError(f"is a {type(found).__name__}, and no relation", field="--relations", allowed=_ALLOWED, got=spec)


def _mistake(spec: str, problem: str, allowed: str | None) -> OracleError:
    return OracleError(problem, field="--relations", allowed=allowed or _ALLOWED, got=spec)
