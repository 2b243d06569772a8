"""A persona that a test can ask."""

from __future__ import annotations

import asyncio
from pathlib import Path

from confute.errors import PersonaError
from confute.harness.persona.attack.run import is_persona_attack
from confute.harness.persona.conversation import Run, converse
from confute.harness.persona.load import load_suite
from confute.harness.persona.probes import Asked
from confute.harness.persona.transcript import Transcript
from confute.harness.regress import persona_subject
from confute.harness.regress.corpus import read_persona_corpus
from confute.harness.regress.persona_subject import PersonaSubject
from confute.models.chat import ChatModel
from confute.victims.persona import Persona


class AskedPersona:
    """A persona on its model: each conversation is a run of its own, asked with a seed of its own.

    A repeated test therefore never gets the answer of an earlier run from a cache. `authorized` says that the owner of
    a remote persona allows that counterexamples are put to it.
    """

    def __init__(self, persona: Persona, model: ChatModel, *, seed: int = 0, authorized: bool = False) -> None:
        self.persona = persona
        self.authorized = authorized
        self._model = model
        self._seed = seed
        self._runs = 0

    def subject(self, folder: Path) -> PersonaSubject:
        """Return it as one that counterexamples are put to; families of judges are looked for in a folder."""
        return PersonaSubject(self.persona, self._model, self.authorized, folder)

    def ask(self, *turns: str) -> Transcript:
        """Return a new conversation of these turns; `whole` tells whether the endpoint answered all of them.

        Raises ValueError for no turn, or a blank one.
        """
        run, self._runs = self._runs, self._runs + 1
        asked = Asked(id=f"test-{run}", turns=turns)
        return asyncio.run(converse(self._model, self.persona, asked, Run(run, 0, run), seed=self._seed))


def persona_of(file: Path | None, corpus: Path | None = None) -> AskedPersona:
    """Return the persona of a file on its own model, else that of the run whose folder holds the corpus.

    Raises PersonaError for the file, or where none was named, and ModelError where its model cannot be loaded.
    """
    if file is not None:
        load_suite(file)
        return _asked(persona_subject.of_file(file))
    if corpus is not None and is_persona_attack(corpus.parent):
        return _asked(persona_subject.of_run(read_persona_corpus(corpus)))
    raise PersonaError(
        "no persona was named",
        field="persona",
        allowed="--confute-persona, in the ini file confute_persona",
        hint="or write a fixture `persona` of your own, in conftest.py",
    )


def _asked(subject: PersonaSubject) -> AskedPersona:
    return AskedPersona(subject.persona, subject.model, authorized=subject.authorized)
