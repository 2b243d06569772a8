"""The persona that counterexamples are put to: of a contract, of a persona's file, or of the run that found them."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from confute import persona_plan
from confute.errors import CorpusError, PersonaError
from confute.harness.persona.attack.counterexample import PersonaCounterexample, PersonaMitigation
from confute.harness.persona.attack.run import is_persona_attack
from confute.harness.persona.load import persona_file
from confute.harness.regress.corpus import Corpus
from confute.models.chat import ChatModel
from confute.models.chat_load import load_chat
from confute.victims.persona import Persona


class PersonaSubject(NamedTuple):
    """A persona and its model, which answers nothing from a cache.

    `authorized` is its owner's word, without which a remote one is not asked; `folder` is where the files of families
    of judges are looked for.
    """

    persona: Persona
    model: ChatModel
    authorized: bool
    folder: Path

    @property
    def mitigation(self) -> PersonaMitigation:
        """What is written where it makes a counterexample hold."""
        return PersonaMitigation(
            persona=self.persona.name, version=self.persona.digest, fingerprint=self.model.fingerprint
        )


def of_contract(path: Path) -> PersonaSubject:
    """Return the persona of a contract. Raises ContractError, PersonaError and ModelError where it cannot be had."""
    contract = persona_plan.load(path)
    persona = persona_file(path.parent / contract.victim.persona).persona
    return _subject(persona, contract.authorized, path.parent)


def of_file(path: Path) -> PersonaSubject:
    """Return the persona of its file. Raises PersonaError and ModelError where it cannot be had."""
    file = persona_file(path)
    return _subject(file.persona, file.authorized, path.parent)


def of_run(corpus: Corpus[PersonaCounterexample]) -> PersonaSubject:
    """Return the persona that was attacked, for the corpus of a run.

    Raises PersonaError where the corpus stands in no folder of a run, CorpusError where its rows are of several
    personas, and ModelError where the model cannot be had.
    """
    if not is_persona_attack(corpus.path.parent):
        raise PersonaError(
            "which persona is asked?", field="persona", hint="name its file, or a contract against it, by an option"
        )
    first = corpus.rows[0]
    if any(row.persona != first.persona for row in corpus.rows):
        raise CorpusError("holds rows of several personas", field=str(corpus.path), allowed="those of one run")
    return _subject(first.persona, first.authorized, Path())


def _subject(persona: Persona, authorized: bool, folder: Path) -> PersonaSubject:
    return PersonaSubject(persona, load_chat(persona.model), authorized, folder)
