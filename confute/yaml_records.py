"""Records read from YAML files, with every mistake told by line and field."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from confute.errors import ConfuteError
from confute.yaml_mistakes import explained, repeated_key

_MAX_BYTES = 1_000_000
Read = TypeVar("Read", bound=BaseModel)


def read_record(path: Path, model: type[Read], refusal: type[ConfuteError]) -> Read:
    """Read a record from YAML, which JSON is too, of at most a megabyte.

    Raises the `refusal`, with line and field and what is allowed there, where the file is unreadable or no such record.
    """
    try:
        status = path.stat()
        if not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
            raise refusal("is no regular file", field=str(path), allowed="a file of YAML, not a device or a pipe")
        if status.st_size > _MAX_BYTES:
            raise refusal("is too large", field=str(path), allowed=f"{_MAX_BYTES} bytes")
        source = path.read_text(encoding="utf-8")
        node = yaml.compose(source, Loader=yaml.SafeLoader)
        value = yaml.safe_load(source)
        repeated = repeated_key(node)
    except OSError as error:
        raise refusal(f"cannot be read: {error.strerror or error}", field=str(path)) from error
    except UnicodeDecodeError as error:
        raise refusal(f"cannot be read: not UTF-8: {error}", field=str(path)) from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise refusal(f"is no YAML: {error}", field=str(path)) from error
    if repeated is not None:
        place = f"{path}:{repeated.start_mark.line + 1}: {repeated.value}"
        raise refusal("stands twice", field=place, allowed="each field once")
    if not isinstance(value, dict):
        raise refusal("must be a mapping", field=str(path), allowed=", ".join(model.model_fields), got=type(value))
    try:
        return model.model_validate(value)
    except ValidationError as error:
        raise refusal(explained(error, node, str(path), model)) from error
