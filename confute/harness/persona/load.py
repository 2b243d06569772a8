"""A persona and its probes, read from YAML and checked before anything is asked."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple, TypeVar

import yaml
from pydantic import Field, ValidationError

from confute.errors import PersonaError
from confute.harness.persona.probes import Probe, ProbeFile, refuse_wrong_checks
from confute.records import NonBlank, Record, digest_of
from confute.victims.persona import Persona
from confute.yaml_mistakes import explained, repeated_key

_MAX_BYTES = 1_000_000
Read = TypeVar("Read", bound=Record)


class PersonaFile(Persona):
    """What a persona's file holds: the persona, and the files of its probes, beside it."""

    probes: tuple[NonBlank, ...] = Field(min_length=1)


class Suite(NamedTuple):
    """A persona and the probes that it is put to; every check has told its own samples rightly."""

    persona: Persona
    probes: tuple[Probe, ...]

    @property
    def digest(self) -> str:
        """SHA-256, in hex, over the persona and the probes."""
        return digest_of([self.persona.digest, [probe.model_dump(mode="json") for probe in self.probes]])


def load_suite(path: Path, *, only: str | None = None) -> Suite:
    """Read a persona and its probes; `only` is a glob on the probes' ids.

    Raises PersonaError, with line and field, for what is unreadable or not valid, for an id that stands twice, for a
    glob that no probe fits, and for a check that is wrong about its own samples.
    """
    file = read_yaml(path, PersonaFile)
    persona = Persona.model_validate(file.model_dump(exclude={"probes"}))
    probes = tuple(probe for name in file.probes for probe in read_yaml(path.parent / name, ProbeFile).probes)
    _refuse_repeated([probe.id for probe in probes], path)
    chosen = tuple(probe for probe in probes if only is None or Path(probe.id).match(only))
    if not chosen:
        raise PersonaError("fits no probe", field="only", allowed=", ".join(probe.id for probe in probes), got=only)
    refuse_wrong_checks(chosen, persona.gender)
    return Suite(persona, chosen)


def read_yaml(path: Path, model: type[Read]) -> Read:
    """Read a record from YAML. Raises PersonaError, with the line and what is allowed there, where it is none."""
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise PersonaError("is too large", field=str(path), allowed=f"{_MAX_BYTES} bytes")
        source = path.read_text(encoding="utf-8")
        node = yaml.compose(source, Loader=yaml.SafeLoader)
        value = yaml.safe_load(source)
        repeated = repeated_key(node)
    except (OSError, UnicodeDecodeError) as error:
        raise PersonaError(f"cannot be read: {error}", field=str(path)) from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise PersonaError(f"is no YAML: {error}", field=str(path)) from error
    if repeated is not None:
        place = f"{path}:{repeated.start_mark.line + 1}: {repeated.value}"
        raise PersonaError("stands twice", field=place, allowed="each field once")
    if not isinstance(value, dict):
        raise PersonaError("must be a mapping", field=str(path), allowed=", ".join(model.model_fields), got=value)
    try:
        return model.model_validate(value)
    except ValidationError as error:
        raise PersonaError(explained(error, node, str(path), model)) from error


def _refuse_repeated(ids: list[str], path: Path) -> None:
    twice = sorted({one for one in ids if ids.count(one) > 1})
    if twice:
        raise PersonaError("stands twice", field=f"{path}: probes: id", allowed="each id once", got=", ".join(twice))
