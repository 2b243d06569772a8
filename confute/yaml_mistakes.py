"""Mistakes in a YAML file told by line and field."""

from __future__ import annotations

from typing import Any, get_args

import yaml
from pydantic import BaseModel, ValidationError

from confute.errors import problem_of, shown

_MAY_HOLD_A_KEY = frozenset({"base_url", "api_key_env", "api_key"})
"""Fields whose value is never shown: a key may stand in them by mistake."""


def explained(error: ValidationError, root: yaml.Node | None, name: str, model: type[BaseModel]) -> str:
    """Return what is wrong with a file of a model, one mistake a line, with its place and what is allowed there."""
    details = error.errors()
    told = [detail for detail in details if not _follows(detail, details)]
    return "\n".join(_explained_one(detail, root, name, model) for detail in told)


def repeated_key(node: yaml.Node | None) -> yaml.ScalarNode | None:
    """Return the first key that stands twice in one mapping, which YAML would take for the last one silently."""
    if not isinstance(node, yaml.MappingNode):
        return None
    seen: set[str] = set()
    for key, value in node.value:
        if isinstance(key, yaml.ScalarNode) and key.value in seen:
            return key
        seen.add(str(key.value))
        if (found := repeated_key(value)) is not None:
            return found
    return None


def _follows(detail: Any, details: list[Any]) -> bool:
    """Tell whether a list is called too short for the sole reason that its items are wrong, which is told already."""
    loc = detail["loc"]
    within = any(len(other["loc"]) > len(loc) and other["loc"][: len(loc)] == loc for other in details)
    return detail["type"] == "too_short" and within


def _explained_one(detail: Any, root: yaml.Node | None, name: str, model: type[BaseModel]) -> str:
    location = [part for part in detail["loc"] if isinstance(part, int) or not part.startswith(("function", "literal"))]
    message = f"{name}:{_line_of(location, root)}: {'.'.join(map(str, location)) or 'contract'}: {problem_of(detail)}"
    if detail["type"] == "extra_forbidden":
        message += f"\n  allowed: {', '.join(_fields_at(location[:-1], model))}"
    elif detail["type"] != "missing" and not _MAY_HOLD_A_KEY.intersection(location):
        message += f"\n  got: {shown(detail['input'])}"
    return message


def _line_of(location: list[Any], root: yaml.Node | None) -> int:
    node, line = root, 1
    for part in location:
        if isinstance(node, yaml.MappingNode):
            found = [(key, value) for key, value in node.value if key.value == part]
            if not found:  # the tag of a union's member, or a field that is missing
                continue
            line, node = found[0][0].start_mark.line + 1, found[0][1]
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
            node = node.value[part]
            line = node.start_mark.line + 1
        else:
            break
    return line


def _fields_at(location: list[Any], model: type[BaseModel]) -> list[str]:
    members = [model]
    for part in location:
        tagged = [one for one in members if part in _tags(one)] if len(members) > 1 else []
        holders = [one for one in members if part in one.model_fields]
        if tagged:
            members = tagged
        elif holders:
            members = _members(holders[0].model_fields[part].annotation)
    return sorted({name for one in members for name in one.model_fields})


def _members(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [one for part in get_args(annotation) for one in _members(part)]


def _tags(model: type[BaseModel]) -> set[Any]:
    return {value for field in model.model_fields.values() for value in get_args(field.annotation)}
