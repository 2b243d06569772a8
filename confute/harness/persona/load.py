"""A persona and its probes, read from YAML and checked before anything is asked."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from pydantic import Field

from confute.errors import PersonaError
from confute.harness.authorization import check_authorized
from confute.harness.persona.probes import Probe, ProbeFile, refuse_wrong_checks
from confute.records import NonBlank, digest_of
from confute.victims.persona import Persona
from confute.yaml_records import read_record


class PersonaFile(Persona):
    """What a persona's file holds: the persona, and the files of its probes, beside it.

    `authorized` states that the owner of a remote persona allows the test.
    """

    probes: tuple[NonBlank, ...] = Field(min_length=1)
    authorized: bool = False

    @property
    def persona(self) -> Persona:
        """The persona alone."""
        return Persona.model_validate(self.model_dump(exclude={"probes", "authorized"}))


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

    Raises PersonaError, with line and field, for what is unreadable or not valid, for a file of probes in the persona's
    place, for an id that stands twice, for a glob that no probe fits, and for a check that errs on its own samples;
    ContractError for a remote persona whose file does not say `authorized: true`.
    """
    file = persona_file(path)
    check_authorized(file, file.model, role="persona")
    files = [read_record(path.parent / name, ProbeFile, PersonaError) for name in file.probes]
    probes = tuple(probe for one in files for probe in one.probes)
    refuse_repeated([probe.id for probe in probes], path)
    chosen = tuple(probe for probe in probes if only is None or Path(probe.id).match(only))
    if not chosen:
        raise PersonaError("fits no probe", field="only", allowed=", ".join(probe.id for probe in probes), got=only)
    refuse_wrong_checks(chosen, file.gender)
    return Suite(file.persona, chosen)


def persona_file(path: Path) -> PersonaFile:
    """Read a persona's file; raises PersonaError, also for a file of probes in its place."""
    try:
        return read_record(path, PersonaFile, PersonaError)
    except PersonaError:
        try:
            read_record(path, ProbeFile, PersonaError)
        except PersonaError:
            pass
        else:
            hint = "give the file of a persona, which names this one under `probes`"
            raise PersonaError("is a file of probes, and no persona", field=str(path), hint=hint) from None
        raise


def refuse_repeated(ids: list[str], path: Path) -> None:
    """Raise PersonaError where an id stands twice."""
    twice = sorted({one for one in ids if ids.count(one) > 1})
    if twice:
        raise PersonaError("stands twice", field=f"{path}: probes: id", allowed="each id once", got=", ".join(twice))
