"""Prompt templates: sandboxed, rendered in one pass over values that go in literally, and fingerprinted."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from jinja2 import ChoiceLoader, DictLoader, FileSystemLoader, StrictUndefined, TemplateError, TemplateNotFound, meta
from jinja2.sandbox import ImmutableSandboxedEnvironment

from confute.errors import PromptError

FOLDER = Path(__file__).parent
"""Where the templates stand that come with the package."""

_SUFFIX = ".j2"
_MAX_RENDERED = 4_000_000

Value = str | bool | int | Sequence[str]
"""What may go into a template: text, texts, switches and numbers; never an object that would be shown by its repr."""


class Source(NamedTuple):
    """One file of a template: the template itself, or one that it extends or includes."""

    name: str
    text: str


class Template:
    """A template with all that it extends and includes, read once.

    Names are looked up in `folder` first and among the package's templates then. Raises PromptError, with the place,
    where a file is absent or is no template, or where it is named by an expression and so cannot be fingerprinted.
    """

    def __init__(self, name: str, *, folder: Path | None = None) -> None:
        folders = [FOLDER] if folder is None else [folder, FOLDER]
        files = ChoiceLoader([FileSystemLoader(one, encoding="utf-8") for one in folders])
        self._environment = ImmutableSandboxedEnvironment(
            loader=files, undefined=StrictUndefined, autoescape=False, trim_blocks=True, lstrip_blocks=True
        )
        self.name = name
        self.sources = self._read(name + _SUFFIX)
        self._environment.loader = DictLoader(dict(self.sources))  # what is rendered is what was fingerprinted
        self._template = self._environment.get_template(name + _SUFFIX)

    @property
    def fingerprint(self) -> str:
        """SHA-256, in hex, over the source and the sources of all that it extends and includes."""
        digest = hashlib.sha256()
        for source in self.sources:
            for part in source:
                encoded = part.encode("utf-8")
                digest.update(len(encoded).to_bytes(8, "big") + encoded)
        return digest.hexdigest()

    @property
    def names(self) -> frozenset[str]:
        """The names of the values that it asks for."""
        parsed = [self._environment.parse(source.text) for source in self.sources]
        return frozenset().union(*(meta.find_undeclared_variables(one) for one in parsed))

    def render(self, values: Mapping[str, Value]) -> str:
        """Return the text with the values put in as they are; what looks like a template in a value stays text.

        Raises PromptError where a value is missing, is an object, or the template fails on it.
        """
        for name, value in values.items():
            _refuse_objects(name, value)
        try:
            text = self._template.render(values)
        except (TemplateError, ArithmeticError, TypeError, ValueError, LookupError, RecursionError) as error:
            raise PromptError(f"cannot be rendered: {error}", field=self.name) from error
        if len(text) > _MAX_RENDERED:
            raise PromptError("renders to too long a text", field=self.name, allowed=f"{_MAX_RENDERED} characters")
        return text.strip("\n")

    def _read(self, name: str) -> tuple[Source, ...]:
        found: dict[str, Source] = {}
        waiting = [name]
        while waiting:
            current = waiting.pop()
            if current not in found:
                found[current] = Source(current, self._text(current))
                waiting += self._referenced(found[current])
        return tuple(found[key] for key in sorted(found, key=lambda key: (key != name, key)))

    def _text(self, name: str) -> str:
        assert self._environment.loader is not None
        try:
            return self._environment.loader.get_source(self._environment, name)[0]
        except TemplateNotFound as error:
            hint = "name a template without its ending, relative to the folder of the family or of the package"
            raise PromptError("there is no such template", field=self.name, got=name, hint=hint) from error
        except (OSError, UnicodeDecodeError, ValueError) as error:
            raise PromptError(f"cannot be read: {error}", field=self.name, got=name) from error

    def _referenced(self, source: Source) -> list[str]:
        try:
            names = list(meta.find_referenced_templates(self._environment.parse(source.text)))
        except (TemplateError, RecursionError) as error:
            line = getattr(error, "lineno", None)
            raise PromptError(
                f"no template: {error}", field=f"{source.name}:{line}" if line else source.name
            ) from error
        if None in names:
            hint = "name what is extended or included by a literal"
            raise PromptError("names another template by an expression", field=source.name, hint=hint)
        return [name for name in names if name is not None]


def _refuse_objects(name: str, value: object) -> None:
    texts = isinstance(value, Sequence) and all(isinstance(one, str) for one in value)
    if not (isinstance(value, str | bool | int) or texts):
        raise PromptError("must be text, texts, a switch or a whole number", field=name, got=value)
