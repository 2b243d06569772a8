"""A persona that a test can ask."""

from __future__ import annotations

import asyncio
from pathlib import Path

from confute.errors import PersonaError
from confute.harness.persona.conversation import Run, converse
from confute.harness.persona.load import load_suite
from confute.harness.persona.probes import Asked
from confute.harness.persona.transcript import Transcript
from confute.models.chat import ChatModel
from confute.models.chat_load import load_chat
from confute.victims.persona import Persona


class AskedPersona:
    """A persona on its model: each conversation is a run of its own, asked with a seed of its own.

    A repeated test therefore never gets the answer of an earlier run from a cache.
    """

    def __init__(self, persona: Persona, model: ChatModel, *, seed: int = 0) -> None:
        self.persona = persona
        self._model = model
        self._seed = seed
        self._runs = 0

    def ask(self, *turns: str) -> Transcript:
        """Return a new conversation of these turns; `whole` tells whether the endpoint answered all of them.

        Raises ValueError for no turn, or a blank one.
        """
        run, self._runs = self._runs, self._runs + 1
        asked = Asked(id=f"test-{run}", turns=turns)
        return asyncio.run(converse(self._model, self.persona, asked, Run(run, 0, run), seed=self._seed))


def persona_of(file: Path | None) -> AskedPersona:
    """Return the persona of a file on its own model.

    Raises PersonaError for the file, or where none was named, and ModelError where its model cannot be loaded.
    """
    if file is None:
        raise PersonaError(
            "no persona was named",
            field="persona",
            allowed="--confute-persona, in the ini file confute_persona",
            hint="or write a fixture `persona` of your own, in conftest.py",
        )
    persona = load_suite(file).persona
    return AskedPersona(persona, load_chat(persona.model))
