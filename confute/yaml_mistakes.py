"""Mistakes in a YAML file told by line and field."""

from __future__ import annotations

from typing import Any

import yaml
from pydantic import BaseModel, ValidationError

from confute.errors import shown


def explained(error: ValidationError, root: yaml.Node | None, name: str, model: type[BaseModel]) -> str:
    """Return what is wrong with a file of a model, one mistake a line, with its place and what is allowed there."""
    return "\n".join(_explained_one(detail, root, name, model) for detail in error.errors())


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


def _explained_one(detail: Any, root: yaml.Node | None, name: str, model: type[BaseModel]) -> str:
    location = [part for part in detail["loc"] if isinstance(part, int) or not part.startswith(("function", "literal"))]
    message = f"{name}:{_line_of(location, root)}: {'.'.join(map(str, location)) or 'contract'}: {detail['msg']}"
    if detail["type"] == "extra_forbidden":
        message += f"\n  allowed: {', '.join(_fields_at(location[:-1], model))}"
    elif detail["type"] != "missing":
        message += f"\n  got: {shown(detail['input'])}"
    return message


def _line_of(location: list[Any], root: yaml.Node | None) -> int:
    node, line = root, 1
    for part in location:
        if isinstance(node, yaml.MappingNode):
            found = [(key, value) for key, value in node.value if key.value == part]
            if not found:
                break
            line, node = found[0][0].start_mark.line + 1, found[0][1]
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
            node = node.value[part]
            line = node.start_mark.line + 1
        else:
            break
    return line


def _fields_at(location: list[Any], model: Any) -> list[str]:
    members = [model]
    for part in location:
        if isinstance(part, int):
            continue
        if part in model.model_fields:
            annotation = model.model_fields[part].annotation
            options = [annotation, *getattr(annotation, "__args__", ())]
            members = [option for option in options if isinstance(option, type) and issubclass(option, BaseModel)]
            model = members[0]
        else:  # the tag of a union's member
            model = next(one for one in members if part in {field.default for field in one.model_fields.values()})
    return sorted(model.model_fields)
