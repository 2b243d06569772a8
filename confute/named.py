"""What a user names in a module of theirs, as `module:attribute`."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from operator import attrgetter
from pathlib import Path
from typing import Any

from confute.errors import ConfuteError

_SHOWN = 20


def named(spec: str, mistake: Callable[[str, str | None], ConfuteError]) -> Any:
    """Return what `module:attribute` names; the module is looked for in the current folder too.

    Raises what `mistake` makes of the problem and of the names that are there instead, where any are known.
    """
    module_name, _, path = spec.partition(":")
    if not (module_name and path):
        raise mistake("is not module:attribute", None)
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)
    try:
        module = importlib.import_module(module_name)
    except (Exception, SystemExit) as error:
        raise mistake(f"its module cannot be imported: {type(error).__name__}: {error}", None) from error
    try:
        return attrgetter(path)(module)
    except AttributeError as error:
        public = ", ".join(sorted(key for key in vars(module) if not key.startswith("_"))[:_SHOWN])
        raise mistake(f"its module has no attribute {path!r}", public or None) from error


def source_of(spec: str) -> bytes | None:
    """Return the source of the loaded module that a `module:attribute` stands in, None where it has no file."""
    file = getattr(sys.modules.get(spec.partition(":")[0]), "__file__", None)
    return Path(file).read_bytes() if file and Path(file).is_file() else None
